"""What a scrubber of texts hides in a study, and what a person decided to keep."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace

from anonymize.pii.hit import Hit
from anonymize.pii.scrubbing import PersonalPlaces
from anonymize.text import Finder, Keeper, Words
from app.core.pii.finder import finder_for
from app.core.pii.hits import PlacedHit, hits
from app.core.pii.replacing import replacements_of
from app.core.session import Session
from project.queries.free_texts import QUOTED
from project.queries.pii import PiiVerdict


def finders_of(session: Session) -> tuple[Finder, Keeper]:
    """Return what finds personal information in any text of a study, and what a person decided to keep, for a scrubber.

    Texts are known by what they say: what is kept in one of two texts that are alike, and not in the other, is hidden.
    """
    placed = hits(session)
    replacements = replacements_of(session, (one.hit for one in placed))
    found_in = finder_for(session)
    marked: dict[str, list[Hit]] = {}
    kept: dict[str, list[set[tuple[int, int]]]] = {}
    for (_, text), found in _by_text(placed).items():
        kept.setdefault(text, []).append(_kept_whole(found))
        marked.setdefault(text, []).extend(one.hit for one in found if one.hidden)

    def find(text: str) -> list[Hit]:
        return [*marked.get(text, ()), *found_in(text)]

    def keep(text: str) -> list[tuple[int, int]]:
        spans = kept.get(text)
        return sorted(set.intersection(*spans)) if spans else []

    return PersonalPlaces(find, replacements, marked), keep


def quoted_finder(session: Session) -> Finder:
    """Return what finds, in texts that quote others, the stretches that somebody decided to hide there.

    A question says what nodes say, and a judge is told a summary line by line: what was marked there by hand would be
    found in no text that says the same and more. It is looked for as a word, also with another case or ending.
    """
    placed = [one for one in hits(session) if one.place.table in QUOTED and one.verdict is PiiVerdict.HIDE]
    return Words({one.hit.text: one.replacement for one in placed})


def _kept_whole(found: Iterable[PlacedHit]) -> set[tuple[int, int]]:
    """Return where hits of a text are kept and nothing in them is hidden, such as a word that was marked by hand."""
    every = [*found]
    gone = [one.hit for one in every if one.hidden]
    return {
        (one.hit.start, one.hit.end)
        for one in every
        if not one.hidden and not any(hit.start < one.hit.end and one.hit.start < hit.end for hit in gone)
    }


def _by_text(placed: Iterable[PlacedHit]) -> dict[tuple[tuple[str, str, str], str], list[PlacedHit]]:
    """Return hits by where their text is kept and what it says; composed (NFC), as a scrubber sees it."""
    found: dict[tuple[tuple[str, str, str], str], list[PlacedHit]] = {}
    for one in placed:
        where = (one.place.table, one.place.row, one.place.field)
        composed = unicodedata.normalize("NFC", one.text)
        if composed == one.text:
            found.setdefault((where, composed), []).append(one)
        else:
            found.setdefault((where, composed), []).extend(_composed(one, composed))
    return found


def _composed(one: PlacedHit, text: str) -> Iterator[PlacedHit]:
    """Yield a hit that is hidden with its place in its text, composed. What is kept is not yielded: it is hidden."""
    if one.hidden:
        before, until, since, after = (
            len(unicodedata.normalize("NFC", part))
            for part in (
                *(one.text[: one.hit.start], one.text[: one.hit.end]),
                *(one.text[one.hit.start :], one.text[one.hit.end :]),
            )
        )
        start, end = min(before, len(text) - since), max(until, len(text) - after)
        yield replace(one, text=text, hit=replace(one.hit, start=start, end=end))
