"""Personal information in a study: where it stands, where it is heard, and what was decided about it.

What nobody decided about counts as hidden wherever anything leaves.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from anonymize.pii.hit import CERTAIN, Hit
from anonymize.pii.kinds import known_kind
from app.core.pii.finder import hits_of
from app.core.pii.replacing import replacements_of
from app.core.pii.times import times_of
from app.core.session import Session
from project.queries.free_texts import FreeText, free_texts
from project.queries.pii import PiiDecision, PiiPlace, PiiVerdict, pii_decisions
from project.queries.private_words import private_words
from project.queries.utterances import utterances_called
from project.types import Json

MARGIN_US = 150_000
"""Around measured words: a recogniser's times are about that uncertain."""
BORDER_US = 400_000
"""Where an utterance begins and ends is less certain: so far may its speech reach out of it."""


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
        hit: what was found; its places count in `text`.
        kind: key of `KINDS`: as a person decided, or as it was found.
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
    hit: Hit
    kind: str
    verdict: PiiVerdict | None
    annotator_id: str
    replacement: str

    @property
    def hidden(self) -> bool:
        """Whether it is hidden wherever anything leaves: unless somebody decided to keep it."""
        return self.verdict is not PiiVerdict.KEEP

    @property
    def is_spoken(self) -> bool:
        """Whether it is heard: it stands in an utterance."""
        return self.place.table == "utterance"

    def as_json(self, number: int | None) -> dict[str, Json]:
        """Return it for the command line; `number` is that of its recording."""
        return {
            "kind": self.kind,
            "text": self.hit.text,
            "time": self.time_us / 1e6 if number is not None else None,
            "end": self.end_us / 1e6 if number is not None else None,
            "recording": number,
            "where": {
                "table": self.place.table,
                "id": self.place.row,
                "field": self.place.field,
                "ordinal": self.place.ordinal,
                "start": self.hit.start,
                "end": self.hit.end,
            },
            "context": self.text,
            "decision": self.verdict.value if self.verdict else None,
            "replacement": self.replacement,
            "source": self.hit.source,
            "score": round(self.hit.score, 2),
        }


@dataclass(frozen=True, slots=True)
class SpokenHit:
    """A stretch of sound in which something personal is said that nobody decided to keep.

    Attributes:
        start_us: on the recording's axis, with a margin before the words.
        end_us: with a margin after them.
        kind: key of `KINDS`.
        hit: what was found.
        measured: whether its words have measured times; the stretch is the whole utterance otherwise.
    """

    start_us: int
    end_us: int
    kind: str
    hit: Hit
    measured: bool


def hits(session: Session, recordings: Sequence[str] | None = None) -> list[PlacedHit]:
    """Return what looks personal in every free text of a study, in the order of recordings and time.

    Args:
        session: of the study.
        recordings: ids; only what belongs to these. Numbers of replacements are those of the whole study all the same.
    """
    found = [*_placed(session, [*free_texts(session.study)])]
    return found if recordings is None else [one for one in found if one.recording_id in set(recordings)]


def undecided(session: Session, recordings: Sequence[str] | None = None) -> list[PlacedHit]:
    """Return what nobody decided about."""
    return [one for one in hits(session, recordings) if one.verdict is None]


def spoken_spans(session: Session, recording_id: str) -> list[SpokenHit]:
    """Return where in the sound of a recording something personal is said that nobody decided to keep, by time.

    Words with measured times have a margin of `MARGIN_US`, and of `BORDER_US` where their utterance begins or ends;
    where nobody measured any, it is the whole utterance with that margin.
    """
    return spoken_of(hits(session, [recording_id]))


def spoken_of(found: Iterable[PlacedHit]) -> list[SpokenHit]:
    """Return where those of some hits are heard that nobody decided to keep, by time; see `spoken_spans`."""
    heard = [_spoken(one) for one in found if one.is_spoken and one.hidden]
    return sorted(heard, key=lambda one: (one.start_us, one.end_us))


def _placed(session: Session, texts: Sequence[FreeText]) -> Iterator[PlacedHit]:
    decisions = pii_decisions(session.study)
    private = {one.word for one in private_words(session.study)}
    found = hits_of(session, [one.text for one in texts])
    located = [
        _decided(one, each, decisions) for one, per in zip(texts, found, strict=True) for each in _with_places(one, per)
    ]
    located += _by_hand(texts, decisions, {place for place, *_ in located})
    order = {(one.table, one.row, one.field): number for number, one in enumerate(texts)}
    located.sort(key=lambda one: (order[one[0].table, one[0].row, one[0].field], one[2].start))
    replacements = replacements_of(session, (hit for _, _, hit, _ in located), texts)
    spoken = utterances_called(session.study, {place.row for place, *_ in located if place.table == "utterance"})
    for place, text, hit, decision in located:
        when = times_of(text, hit, spoken.get(place.row))
        verdict = _everywhere(hit, private) or (decision.verdict if decision else None)
        yield PlacedHit(
            place,
            text.recording_id,
            when.start_us,
            when.end_us,
            when.measured,
            when.borders,
            text.text,
            hit,
            hit.kind,
            verdict,
            decision.annotator_id if decision and decision.verdict is verdict else "",
            replacements.of(hit),
        )


def _everywhere(hit: Hit, private: Collection[str]) -> PiiVerdict | None:
    """Return what was decided about a word everywhere, whatever was decided about one place before or elsewhere.

    A misspelling of it still has to be looked at.
    """
    return PiiVerdict.HIDE if hit.word in private and hit.score >= CERTAIN else None


_Located = tuple[PiiPlace, FreeText, Hit, PiiDecision | None]


def _with_places(text: FreeText, found: Sequence[Hit]) -> Iterator[tuple[FreeText, PiiPlace, Hit]]:
    for hit in found:
        yield text, place_of(text, hit), hit


def place_of(text: FreeText, hit: Hit) -> PiiPlace:
    """Return the place of a hit in a text, counted by what stands there."""
    return PiiPlace(text.table, text.row, text.field, hit.text, _count(text.text, hit.text, hit.start))


def _count(text: str, words: str, start: int) -> int:
    """Return how often words stand in a text before a place, also where they overlap."""
    count, at = 0, text.find(words)
    while 0 <= at < start:
        count += 1
        at = text.find(words, at + 1)
    return count


def _decided(text: FreeText, found: tuple[FreeText, PiiPlace, Hit], decisions: dict[PiiPlace, PiiDecision]) -> _Located:
    _, place, hit = found
    decision = decisions.get(place)
    if decision is not None and decision.kind != hit.kind:
        hit = _of_kind(hit, decision.kind)
    return place, text, hit, decision


def _of_kind(hit: Hit, kind: str) -> Hit:
    return replace(hit, kind=known_kind(kind))


def _by_hand(
    texts: Sequence[FreeText], decisions: dict[PiiPlace, PiiDecision], found: set[PiiPlace]
) -> Iterator[_Located]:
    """Yield places that a person marked and no rule finds; those whose words are gone are left aside."""
    by_place = {(one.table, one.row, one.field): one for one in texts}
    for place, decision in decisions.items():
        text = by_place.get((place.table, place.row, place.field))
        if text is None or place in found or decision.verdict is not PiiVerdict.HIDE:
            continue
        at = -1
        for _ in range(place.ordinal + 1):
            at = text.text.find(place.text, at + 1)
            if at < 0:
                break
        if at >= 0:
            yield (
                place,
                text,
                Hit(at, at + len(place.text), known_kind(decision.kind), place.text, 1.0, "hand"),
                decision,
            )


def _spoken(one: PlacedHit) -> SpokenHit:
    before, after = (BORDER_US if border else MARGIN_US for border in one.borders)
    return SpokenHit(max(0, one.time_us - before), one.end_us + after, one.kind, one.hit, one.measured)
