"""Spans of personal information in a text, and their kinds."""

from collections.abc import Iterable
from dataclasses import dataclass

CERTAIN = 1.0
STRONG = 0.85
LIKELY = 0.7
WEAK = 0.5


@dataclass(frozen=True, slots=True)
class PiiSpan:
    """A stretch of a text that looks like personal information.

    Attributes:
        start: first character.
        end: after the last character.
        kind: key of `KINDS`.
        score: 0 to 1, how sure the rule is that found it.
        source: what found it: `study`, `rules`, `presidio`, `hand` or the key of a model.
        participant_id: whose name it is, where it is a participant's.
        word: of the study, that this is a form of; "" where it is none.
    """

    start: int
    end: int
    kind: str
    score: float
    source: str = "rules"
    participant_id: str | None = None
    word: str = ""


@dataclass(frozen=True, slots=True)
class PiiMatch(PiiSpan):
    """A hit: such a stretch with what stands there."""

    text: str = ""


def resolve_overlaps(text: str, found: Iterable[PiiSpan]) -> list[PiiMatch]:
    """Return hits in order of place, without overlaps and without blanks at their ends.

    Stretches that overlap become one, so that nothing that any rule found stays outside. It is what the surest of them
    says; of those alike, the longest.
    """
    trimmed = [(*_trim(text, span.start, span.end), span) for span in found]
    ordered = sorted((row for row in trimmed if row[0] < row[1]), key=lambda row: (row[0], -row[1], -row[2].score))
    hits: list[PiiMatch] = []
    at = 0
    while at < len(ordered):
        first, start, end = at, ordered[at][0], ordered[at][1]
        while at < len(ordered) and ordered[at][0] < end:
            end = max(end, ordered[at][1])
            at += 1
        together = ordered[first:at]
        *_, surest = max(together, key=lambda row: (row[2].score, row[1] - row[0]))
        spans = [surest, *(row[2] for row in together)]
        known = next((span for span in spans if span.word or span.participant_id), surest)
        words = text[start:end]
        hits.append(
            PiiMatch(start, end, surest.kind, surest.score, surest.source, known.participant_id, known.word, words)
        )
    return hits


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    start, end = max(start, 0), min(end, len(text))
    while start < end and text[start].isspace():
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in ",;:!?"):
        end -= 1
    return start, end


NAMES, PLACES, STRUCTURED = "names", "places", "structured"


@dataclass(frozen=True, slots=True)
class PiiKind:
    """A kind of personal information.

    Attributes:
        title: for people.
        label: what replacements are called, as in `[PERSON_2]`.
        group: `names`, `places` or `structured`: what figures are told apart by.
    """

    title: str
    label: str
    group: str


PERSON, PLACE, ORGANISATION = "person", "place", "organisation"
BIRTH, DATE, PHONE, MAIL = "date-of-birth", "date", "phone", "e-mail"
ADDRESS, ACCOUNT, LICENCE, IDENTITY, LINK, OTHER = "address", "account", "licence", "id", "link", "other"

KINDS: dict[str, PiiKind] = {
    PERSON: PiiKind("Name of a person", "PERSON", NAMES),
    PLACE: PiiKind("Place", "PLACE", PLACES),
    ORGANISATION: PiiKind("Organisation", "ORGANISATION", PLACES),
    BIRTH: PiiKind("Date of birth", "BIRTH", STRUCTURED),
    DATE: PiiKind("Date", "DATE", STRUCTURED),
    PHONE: PiiKind("Telephone number", "PHONE", STRUCTURED),
    MAIL: PiiKind("E-mail address", "EMAIL", STRUCTURED),
    ADDRESS: PiiKind("Address", "ADDRESS", STRUCTURED),
    ACCOUNT: PiiKind("Account or card", "ACCOUNT", STRUCTURED),
    LICENCE: PiiKind("Licence or number plate", "LICENCE", STRUCTURED),
    IDENTITY: PiiKind("Identity number", "ID", STRUCTURED),
    LINK: PiiKind("Link or handle", "LINK", STRUCTURED),
    OTHER: PiiKind("Other", "PRIVATE", STRUCTURED),
}
"""Key -> kind, in the order in which people choose."""


def normalize_kind(key: str) -> str:
    """Return a kind that there is: words of which nobody said what they are count as other."""
    return key if key in KINDS else OTHER
