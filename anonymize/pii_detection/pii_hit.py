"""Spans of personal information in a text, and their kinds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

CERTAIN = 1.0
STRONG = 0.85
LIKELY = 0.7
WEAK = 0.5


@dataclass(frozen=True, slots=True)
class PiiMatch:
    """A stretch of a text that looks like personal information.

    Attributes:
        start: first character.
        end: after the last character.
        kind: key of `KINDS`.
        text: what stands there.
        score: 0 to 1, how sure the rule is that found it.
        source: what found it: `study`, `rules`, `lists`, `presidio` or the key of a model.
        participant_id: whose name it is, where it is a participant's.
        word: of the study, that this is a form of; "" where it is none.
    """

    start: int
    end: int
    kind: str
    text: str
    score: float
    source: str
    participant_id: str | None = None
    word: str = ""


@dataclass(frozen=True, slots=True)
class PiiSpan:
    """What a rule found in a text: a hit without its words."""

    start: int
    end: int
    kind: str
    score: float
    source: str = "rules"
    participant_id: str | None = None
    word: str = ""


def resolve_overlaps(text: str, found: Iterable[PiiSpan]) -> list[PiiMatch]:
    """Return hits in order of place, without overlaps and without blanks at their ends.

    Stretches that overlap become one, so that nothing that any rule found stays outside. It is what the surest of them
    says; of those alike, the longest.
    """
    trimmed = (
        replace(pii_span, start=start, end=end)
        for pii_span in found
        for start, end in (_trim(text, pii_span.start, pii_span.end),)
    )
    ordered = sorted(
        (pii_span for pii_span in trimmed if pii_span.start < pii_span.end), key=lambda s: (s.start, -s.end, -s.score)
    )
    made: list[PiiMatch] = []
    at = 0
    while at < len(ordered):
        first, end = at, ordered[at].end
        while at < len(ordered) and ordered[at].start < end:
            end = max(end, ordered[at].end)
            at += 1
        made.append(_merge_spans(text, ordered[first:at], end))
    return made


def _merge_spans(text: str, together: Sequence[PiiSpan], end: int) -> PiiMatch:
    surest = max(together, key=lambda s: (s.score, s.end - s.start))
    known = next((pii_span for pii_span in (surest, *together) if pii_span.word or pii_span.participant_id), surest)
    start = together[0].start
    return PiiMatch(
        start, end, surest.kind, text[start:end], surest.score, surest.source, known.participant_id, known.word
    )


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
