"""Hits as rows of the two tables: place by place, and word by word."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonymize.pii.kinds import KINDS
from anonymize.pii.replacing import identity_of
from app.core.pii.hits import PlacedHit
from project.timebase import format_time
from resources.translation import tr
from widgets.pii.rows import HIDE, KEEP, MIXED, UNDECIDED, DecisionRow

PLACES = ((tr("Text"), 420), (tr("Kind"), 150), (tr("Where"), 230), (tr("Decision"), 120), (tr("Written instead"), 140))
WORDS = (
    *((tr("Word"), 260), (tr("Kind"), 150), (tr("Places"), 80), (tr("Undecided"), 90), (tr("Decision"), 120)),
    *((tr("Written instead"), 140), (tr("Whose name"), 140)),
)
DECISION_OF_PLACE, DECISION_OF_WORD = 3, 4
COUNTS_OF_WORD = (2, 3)
STATES = {UNDECIDED: tr("Undecided"), HIDE: tr("Hide"), KEEP: tr("Keep"), MIXED: tr("Differs")}
_FIELDS = {
    "text": tr("comment"),
    "note": tr("note"),
    "name": tr("name"),
    "agent_context": tr("context of the agent"),
}
_OF_QUESTIONS = {
    "text": tr("question"),
    "answer": tr("right option"),
    **{f"wrong_{place}": tr("wrong option {place}").format(place=place) for place in range(1, 5)},
}
_AROUND = 70


@dataclass(frozen=True, slots=True)
class People:
    """What the rows need to know about the study.

    Attributes:
        numbers: recording id -> number.
        pseudonyms: participant id -> pseudonym.
    """

    numbers: Mapping[str, int]
    pseudonyms: Mapping[str, str]


def key_of(one: PlacedHit) -> str:
    """Return what tells a place from all others."""
    at = one.place
    return "\0".join((at.table, at.row, at.field, str(at.ordinal), at.text))


def word_key(one: PlacedHit) -> str:
    """Return what the places of one word have in common."""
    return f"{one.kind}\0{identity_of(one.hit)}"


def state_of(one: PlacedHit) -> str:
    """Return the state of a place."""
    return UNDECIDED if one.verdict is None else str(one.verdict.value)


def where(one: PlacedHit, people: People) -> str:
    """Return where a place is, in words."""
    at = one.place
    known = _OF_QUESTIONS if at.table == "question" else _FIELDS
    field = tr("utterance") if one.is_spoken else known.get(at.field, at.field)
    if one.recording_id is None:
        return f"{one.place.table}, {field}"
    number = people.numbers.get(one.recording_id, 0)
    return f"{number}  {format_time(one.time_us)}  {field}"


def place_rows(found: Sequence[PlacedHit], people: People) -> list[DecisionRow]:
    """Return a row for each place, with what stands around it."""
    rows = []
    for one in found:
        begin, end = max(0, one.hit.start - _AROUND), one.hit.end + _AROUND
        head = "…" if begin else ""
        text = head + one.text[begin:end].replace("\n", " ") + ("…" if end < len(one.text) else "")
        start = one.hit.start - begin + len(head)
        state = state_of(one)
        after = one.replacement if one.hidden else tr("as it is")
        cells = (text, KINDS[one.kind].title, where(one, people), STATES[state], after)
        rows.append(DecisionRow(key_of(one), cells, state, ((start, start + len(one.hit.text)),), one.is_spoken))
    return rows


def word_rows(found: Sequence[PlacedHit], people: People) -> list[DecisionRow]:
    """Return a row for each word, those with most places that nobody decided on first."""
    words: dict[str, list[PlacedHit]] = {}
    for one in found:
        words.setdefault(word_key(one), []).append(one)
    rows = []
    for key, those in words.items():
        states = Counter(state_of(one) for one in those)
        state = next(iter(states)) if len(states) == 1 else MIXED
        if states[UNDECIDED]:
            state = UNDECIDED
        shown = Counter(one.hit.text for one in those).most_common(1)[0][0]
        afters = sorted({one.replacement for one in those if one.hidden})
        whose = sorted({people.pseudonyms.get(one.hit.participant_id or "", "") for one in those} - {""})
        cells = (
            shown,
            KINDS[those[0].kind].title,
            str(len(those)),
            str(states[UNDECIDED] or ""),
            STATES[state],
            ", ".join(afters) or tr("as it is"),
            ", ".join(whose),
        )
        rows.append(DecisionRow(key, cells, state, (), any(one.is_spoken for one in those)))
    return sorted(rows, key=lambda row: (row.state != UNDECIDED, -int(row.cells[3] or 0), row.cells[0].casefold()))
