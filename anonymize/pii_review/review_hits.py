"""Hits of personal information in a study: where they are written and spoken, their decisions and replacements."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from anonymize.pii_detection.pii_hit import CERTAIN, PiiMatch, normalize_kind
from anonymize.pii_detection.pii_replacement import PersonalPlaces, Replacements
from anonymize.pii_detection.text_scrubber import Finder, Keeper, PhraseMatcher
from anonymize.pii_review.study_finder import build_finder, find_text_hits
from project.entities.study_records import Utterance
from project.entities.transcript import Word, split_words
from project.queries.pii_rows import PiiDecision, PiiPlace, PiiVerdict, pii_decisions, private_words
from project.queries.transcript_rows import find_utterances
from project.search.free_texts import QUOTED, FreeText, free_texts
from project.session.session import Session

STAND_INS_PROPERTY = "pii-stand-ins"
"""Property of a study: id of a participant -> the name that stands in for them."""
NUMBERS_PROPERTY = "pii-numbers"
"""Property of a study: the numbers that were shown or given so far, which stay. It never leaves with a release."""


def build_replacements(
    session: Session, found: Iterable[PiiMatch], texts: Iterable[FreeText] | None = None
) -> Replacements:
    """Return what is written in place of hits; numbers are given in the order of `found`.

    `texts` are all of the study, where they are at hand.
    """
    words = private_words(session.study)
    people = {word.participant_id: word.replacement for word in reversed(words) if word.participant_id}
    made = Replacements(private_replacements(session), {**people, **read_stand_ins(session)}, read_numbers(session))
    made.reserve_numbers(free_text.text for free_text in (free_texts(session.study) if texts is None else texts))
    made.number_hits(found)
    return made


def private_replacements(session: Session) -> dict[str, str]:
    """Return private word -> what is written in its place: for a participant's name, the name that stands in for it."""
    names = read_stand_ins(session)
    return {
        private_word.word: names.get(private_word.participant_id or "", private_word.replacement)
        for private_word in private_words(session.study)
    }


def read_numbers(session: Session) -> dict[str, dict[str, int]]:
    """Return the numbers that were given so far, see `Replacements.numbers`; what is damaged is left aside."""
    kept = session.study.get_property(NUMBERS_PROPERTY)
    return {
        label: {who: number for who, number in each.items() if type(number) is int and number > 0}
        for label, each in (kept.items() if isinstance(kept, dict) else ())
        if isinstance(each, dict)
    }


def read_stand_ins(session: Session) -> dict[str, str]:
    """Return id of a participant -> the name that stands in for them; empty where numbers are written."""
    kept = session.study.get_property(STAND_INS_PROPERTY)
    return {str(who): str(name) for who, name in kept.items()} if isinstance(kept, dict) else {}


_LETTER_US = 35_000
"""Nobody speaks faster: words that have less time were put there by a guess, or were cut."""
_WORD = re.compile(r"\S+")


def _hit_times(text: FreeText, hit: PiiMatch, spoken: Utterance | None) -> tuple[int, int, bool, tuple[bool, bool]]:
    """Return when the words of a hit are said, whether that was measured, and whether they begin and end an utterance.

    Without measured words it is the whole utterance. Words that have less time than it takes to say them are within
    that of their neighbours.
    """
    whole = text.start_us, text.end_us, False, (True, True)
    if spoken is None or [word.text for word in spoken.words] != split_words(spoken.text):
        return whole
    inside = [
        at
        for at, place in enumerate(_WORD.finditer(spoken.text))
        if place.start() < hit.end and hit.start < place.end()
    ]
    if not inside:
        return whole
    first, last, end = inside[0], inside[-1], len(spoken.words) - 1
    while _span(spoken.words[first : last + 1])[1] < _LETTER_US * sum(map(str.isalnum, hit.text)):
        if (first, last) == (0, end):
            return whole
        first, last = max(0, first - 1), min(end, last + 1)
    start, length = _span(spoken.words[first : last + 1])
    return start, start + length, True, (first == 0, last == end)


def _span(words: Sequence[Word]) -> tuple[int, int]:
    """Return start and length of words."""
    start = min(word.start_us for word in words)
    return start, max(word.end_us for word in words) - start


MARGIN_US = 150_000
"""Margin around measured words: a recogniser's times are about that uncertain."""
BORDER_US = 400_000
"""Margin at the borders of an utterance, which are less certain."""


@dataclass(frozen=True, slots=True)
class PlacedHit:
    """Something that looks personal, where it stands in the study.

    Attributes:
        place: where, in a way that is found again after edits elsewhere in the same text.
        recording_id: that it belongs to, or None where it belongs to the study as a whole.
        time_us: where on the recording the words are said, or what the text is about begins; 0 for the whole.
        end_us: where that ends.
        measured: whether these are times of words that somebody measured.
        borders: whether its utterance begins, and whether it ends, with these words.
        text: the whole text that it stands in.
        hit: what was found, of the kind that a person decided; its places count in `text`.
        verdict: what was decided, about this place or about the word everywhere; None while nobody did.
        annotator_id: who decided; "" while nobody did.
        replacement: what is written in its place.
    """

    place: PiiPlace
    recording_id: str | None
    time_us: int
    end_us: int
    measured: bool
    borders: tuple[bool, bool]
    text: str
    hit: PiiMatch
    verdict: PiiVerdict | None
    annotator_id: str
    replacement: str

    @property
    def kind(self) -> str:
        """Key of `KINDS`."""
        return self.hit.kind

    @property
    def is_hidden(self) -> bool:
        """Whether it is hidden wherever anything leaves: unless somebody decided to keep it."""
        return self.verdict is not PiiVerdict.KEEP

    @property
    def is_spoken(self) -> bool:
        """Whether it is heard: it stands in an utterance."""
        return self.place.table == "utterance"


@dataclass(frozen=True, slots=True)
class SpokenHit:
    """A stretch of sound in which something personal is said that nobody decided to keep.

    Attributes:
        start_us: on the recording's axis, with a margin before the words: `MARGIN_US`, or `BORDER_US` where their
            utterance begins.
        end_us: with a margin after them.
        kind: key of `KINDS`.
        hit: what was found.
        measured: whether its words have measured times; the stretch is the whole utterance otherwise.
    """

    start_us: int
    end_us: int
    kind: str
    hit: PiiMatch
    measured: bool


def find_hits(session: Session, recordings: Sequence[str] | None = None) -> list[PlacedHit]:
    """Return what looks personal in every free text of a study, or of some recordings, in the order of their time.

    Numbers of replacements are those of the whole study all the same.
    """
    return [
        placed_hit
        for placed_hit in _place_hits(session, [*free_texts(session.study)])
        if recordings is None or placed_hit.recording_id in recordings
    ]


def find_undecided(session: Session, recordings: Sequence[str] | None = None) -> list[PlacedHit]:
    """Return what nobody decided about."""
    return [hit for hit in find_hits(session, recordings) if hit.verdict is None]


def find_spoken_spans(session: Session, recording_id: str) -> list[SpokenHit]:
    """Return where in the sound of a recording something personal is said that nobody decided to keep, by time."""
    return spoken_hits(find_hits(session, [recording_id]))


def spoken_hits(found: Iterable[PlacedHit]) -> list[SpokenHit]:
    """Return where those of some hits are heard that nobody decided to keep, by time."""
    heard = []
    for hit in found:
        if hit.is_spoken and hit.is_hidden:
            before, after = (BORDER_US if border else MARGIN_US for border in hit.borders)
            heard.append(SpokenHit(max(0, hit.time_us - before), hit.end_us + after, hit.kind, hit.hit, hit.measured))
    return sorted(heard, key=lambda spoken_hit: (spoken_hit.start_us, spoken_hit.end_us))


def _place_hits(session: Session, texts: Sequence[FreeText]) -> Iterator[PlacedHit]:
    decisions = pii_decisions(session.study)
    private = {private_word.word for private_word in private_words(session.study)}
    located: list[tuple[PiiPlace, FreeText, PiiMatch, PiiDecision | None]] = []
    for text, hits in zip(texts, find_text_hits(session, [free_text.text for free_text in texts]), strict=True):
        for hit in hits:
            place = hit_place(text, hit)
            decision = decisions.get(place)
            decided = hit if decision is None else replace(hit, kind=normalize_kind(decision.kind))
            located.append((place, text, decided, decision))
    found = {place for place, *_ in located}
    by_place = {(text.table, text.row, text.field): text for text in texts}
    for place, decision in decisions.items():
        marked = by_place.get((place.table, place.row, place.field))
        if marked is not None and place not in found and decision.verdict is PiiVerdict.HIDE:
            located += ((place, marked, hit, decision) for hit in _marked_by_hand(marked.text, place, decision.kind))
    order = {key: number for number, key in enumerate(by_place)}
    located.sort(key=lambda row: (order[row[0].table, row[0].row, row[0].field], row[2].start))
    replacements = build_replacements(session, (hit for _, _, hit, _ in located), texts)
    spoken = find_utterances(session.study, {place.row for place, *_ in located if place.table == "utterance"})
    for place, text, hit, decision in located:
        # What was decided about a word everywhere holds, whatever was decided about one place before or elsewhere;
        # a misspelling of it still has to be looked at.
        everywhere = hit.word in private and hit.score >= CERTAIN
        verdict = PiiVerdict.HIDE if everywhere else decision.verdict if decision else None
        yield PlacedHit(
            place,
            text.recording_id,
            *_hit_times(text, hit, spoken.get(place.row)),
            text.text,
            hit,
            verdict,
            decision.annotator_id if decision and decision.verdict is verdict else "",
            replacements.replacement_for(hit),
        )


def hit_place(text: FreeText, hit: PiiMatch) -> PiiPlace:
    """Return the place of a hit in a text, counted by what stands there, also where that overlaps."""
    before = sum(start < hit.start for start in _starts(text.text, hit.text))
    return PiiPlace(text.table, text.row, text.field, hit.text, before)


def _marked_by_hand(text: str, place: PiiPlace, kind: str) -> Iterator[PiiMatch]:
    """Yield the hit at a place that a person marked and no rule finds; nothing where its words are gone."""
    for start in islice(_starts(text, place.text), place.ordinal, place.ordinal + 1):
        yield PiiMatch(start, start + len(place.text), normalize_kind(kind), 1.0, "hand", text=place.text)


def _starts(text: str, words: str) -> Iterator[int]:
    at = text.find(words)
    while at >= 0:
        yield at
        at = text.find(words, at + 1)


def build_finders(session: Session) -> tuple[Finder, Keeper]:
    """Return what finds personal information in any text of a study, and what a person decided to keep, for a scrubber.

    Texts are known by what they say: what is kept in one of two texts that are alike, and not in the other, is hidden.
    """
    placed = find_hits(session)
    replacements = build_replacements(session, (placed_hit.hit for placed_hit in placed))
    found_in = build_finder(session)
    marked: dict[str, list[PiiMatch]] = {}
    kept: dict[str, list[set[tuple[int, int]]]] = {}
    for (_, text), found in _group_by_text(placed).items():
        kept.setdefault(text, []).append(_fully_kept_spans(found))
        marked.setdefault(text, []).extend(placed_hit.hit for placed_hit in found if placed_hit.is_hidden)

    def find(text: str) -> list[PiiMatch]:
        return [*marked.get(text, ()), *found_in(text)]

    def keep(text: str) -> list[tuple[int, int]]:
        spans = kept.get(text)
        return sorted(set.intersection(*spans)) if spans else []

    return PersonalPlaces(find, replacements, marked), keep


def build_quoted_finder(session: Session) -> Finder:
    """Return what finds, in texts that quote others, the stretches that somebody decided to hide there.

    A question says what nodes say, and a judge is told a summary line by line: what was marked there by hand would be
    found in no text that says the same and more. It is looked for as a word, also with another case or ending.
    """
    placed = [hit for hit in find_hits(session) if hit.place.table in QUOTED and hit.verdict is PiiVerdict.HIDE]
    return PhraseMatcher({placed_hit.hit.text: placed_hit.replacement for placed_hit in placed})


def _fully_kept_spans(found: Iterable[PlacedHit]) -> set[tuple[int, int]]:
    """Return where hits of a text are kept and nothing in them is hidden, such as a word that was marked by hand."""
    every = [*found]
    gone = [placed_hit.hit for placed_hit in every if placed_hit.is_hidden]
    return {
        (placed_hit.hit.start, placed_hit.hit.end)
        for placed_hit in every
        if not placed_hit.is_hidden
        and not any(hit.start < placed_hit.hit.end and placed_hit.hit.start < hit.end for hit in gone)
    }


def _group_by_text(placed: Iterable[PlacedHit]) -> dict[tuple[tuple[str, str, str], str], list[PlacedHit]]:
    """Return hits by where their text is kept and what it says; composed (NFC), as a scrubber sees it."""
    found: dict[tuple[tuple[str, str, str], str], list[PlacedHit]] = {}
    for placed_hit in placed:
        where = (placed_hit.place.table, placed_hit.place.row, placed_hit.place.field)
        composed = unicodedata.normalize("NFC", placed_hit.text)
        if composed == placed_hit.text:
            found.setdefault((where, composed), []).append(placed_hit)
        else:
            found.setdefault((where, composed), []).extend(_compose_hit(placed_hit, composed))
    return found


def _compose_hit(placed_hit: PlacedHit, text: str) -> Iterator[PlacedHit]:
    """Yield a hit that is hidden with its place in its text, composed. What is kept is not yielded: it is hidden."""
    if placed_hit.is_hidden:
        before, until, since, after = (
            len(unicodedata.normalize("NFC", part))
            for part in (
                *(placed_hit.text[: placed_hit.hit.start], placed_hit.text[: placed_hit.hit.end]),
                *(placed_hit.text[placed_hit.hit.start :], placed_hit.text[placed_hit.hit.end :]),
            )
        )
        start, end = min(before, len(text) - since), max(until, len(text) - after)
        yield replace(placed_hit, text=text, hit=replace(placed_hit.hit, start=start, end=end))
