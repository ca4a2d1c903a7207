"""Which label each person and each judge gives every segment, and how far they are from saying the same."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import log2

from app.core.judging.own_words import Partners
from app.core.judging.reveals import Eyes
from app.core.session import Session
from project.judging import RAW, JudgmentStatus
from project.queries.annotators import all_annotators
from project.queries.judgments import LabelGiven, labels_given
from project.queries.segments import segments_of
from project.types import Json, Segment


@dataclass(frozen=True, slots=True)
class Voice:
    """A judge under one condition, or a person in the form for people.

    Attributes:
        key: tells it from others.
        name: of the judge, or of the person.
        condition: which rendering it saw.
        person: whether it is somebody's answer in the form.
    """

    key: str
    name: str
    condition: str = RAW
    person: bool = False


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What is said about one segment.

    Attributes:
        segment: its label is that of who made it.
        people: name -> label, of everybody whose segment stands for it; who made it first.
        judges: key of a voice -> label, where it may be seen and there is one.
        silent: keys of the voices that gave no label: no answer, or one that could not be read.
        hidden: keys of the voices that have answered and may not be seen yet.
        why_not: why those may not.
    """

    segment: Segment
    people: Mapping[str, str]
    judges: Mapping[str, str]
    silent: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    why_not: str = ""

    @property
    def against(self) -> tuple[str, ...]:
        """Keys of the voices that say another label than the segment has."""
        return tuple(key for key, label in self.judges.items() if label != self.segment.label)

    @property
    def differs(self) -> bool:
        """Whether any judge says another label than the segment has."""
        return bool(self.against)

    @property
    def entropy(self) -> float:
        """Of the labels of people and judges, in bits: 0 where all say the same."""
        return entropy([*self.people.values(), *self.judges.values()])

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        return {
            "segment": self.segment.id,
            "label": self.segment.label,
            "people": dict(self.people),
            "judges": dict(self.judges),
            "hidden": len(self.hidden),
            "entropy": self.entropy,
        }


@dataclass(frozen=True, slots=True)
class Board:
    """The verdicts on a recording: the voices in it, and a row for each segment that a judge was asked about."""

    voices: tuple[Voice, ...]
    rows: tuple[Verdicts, ...]


def entropy(labels: Collection[str]) -> float:
    """Return the Shannon entropy of how often each label was given, in bits; 0 for none."""
    total = len(labels)
    return max(0.0, -sum(n / total * log2(n / total) for n in Counter(labels).values())) if total else 0.0


def disagreement(
    session: Session, recording_id: str, *, task: str | None = None, condition: str | None = None
) -> Board:
    """Return who gives which label to the segments of a recording, as far as who works here may see it.

    Of several answers of a judge to the same, the newest counts.

    Args:
        session: whose annotator looks.
        recording_id: of the recording.
        task: that judges were asked; any that asks for a label where None.
        condition: that they saw; each is a voice of its own where None.
    """
    given = [
        one
        for one in labels_given(session.study, recording_id)
        if (task is None or one.task == task) and (condition is None or one.condition == condition)
    ]
    if not given:
        return Board((), ())
    marked = {one.id: one for one in segments_of(session.study, recording_id)}
    names = {one.id: one.name for one in all_annotators(session.study)}
    kept = {one.id for one in all_annotators(session.study) if one.kind == "person"}
    people = Partners(session, recording_id)
    eyes = Eyes(session)
    eyes.read(recording_id)
    voices: dict[str, Voice] = {}
    found: dict[str, dict[str, LabelGiven]] = {}
    for one in given:
        if one.segment_id not in marked or not (one.label or one.status is not JudgmentStatus.OK):
            continue
        voice = _voice(one, names)
        voices.setdefault(voice.key, voice)
        found.setdefault(one.segment_id, {}).setdefault(voice.key, one)
    rows = []
    for key, segment in marked.items():
        if key in found:
            first, *others = people.beside(segment)
            beside = [first, *(other for other in others if other.annotator_id in kept)]
            said = {names.get(other.annotator_id, ""): other.label for other in beside}
            rows.append(_verdicts(segment, said, found[key], eyes))
    order = sorted(voices.values(), key=lambda voice: (voice.person, voice.name.casefold(), voice.condition != RAW))
    return Board(tuple(order), tuple(rows))


def _verdicts(segment: Segment, people: Mapping[str, str], given: Mapping[str, LabelGiven], eyes: Eyes) -> Verdicts:
    judges: dict[str, str] = {}
    silent, hidden, why_not = set(), set(), ""
    for key, one in given.items():
        leave = eyes.may_see(segment, one.task)
        if not (leave or eyes.owns(one.annotator_id)):
            hidden.add(key)
            why_not = leave.why_not
        elif one.label:
            judges[key] = one.label
        else:
            silent.add(key)
    return Verdicts(segment, people, judges, frozenset(silent), frozenset(hidden), why_not)


def _voice(one: LabelGiven, names: Mapping[str, str]) -> Voice:
    person = one.annotator_id is not None
    name = names.get(one.annotator_id or "", one.judge) if person else one.judge
    return Voice(f"{one.judge_id}/{one.annotator_id or ''}/{one.condition}", name, one.condition, person)
