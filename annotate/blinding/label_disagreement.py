"""Labels that people and judges give each segment, and how far they disagree."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from annotate.blinding.own_answers import Partners
from annotate.blinding.reveals import JudgmentVisibility, reveal_all
from project.entities.judgments import RAW_CONDITION, JudgmentStatus
from project.entities.study_records import Segment
from project.queries.annotator_rows import all_annotators
from project.queries.judgment_rows import LabelGiven, judge_labels
from project.session.session import Session


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
    condition: str = RAW_CONDITION
    person: bool = False


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The labels that one segment got from people and judges.

    Attributes:
        segment: its label is that of who made it.
        people: name -> label, of everybody whose segment stands for it; who made it first.
        judges: key of a voice -> label, where it may be seen and there is one.
        silent: keys of the voices that gave no label: no answer, or one that could not be read.
        hidden: keys of the voices that have answered and may not be seen yet.
        hidden_reason: why those may not.
    """

    segment: Segment
    people: Mapping[str, str]
    judges: Mapping[str, str]
    silent: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    hidden_reason: str = ""

    @property
    def dissenting_keys(self) -> tuple[str, ...]:
        """Keys of the voices that say another label than the segment has."""
        return tuple(key for key, label in self.judges.items() if label != self.segment.label)

    @property
    def has_dissent(self) -> bool:
        """Whether any judge says another label than the segment has."""
        return bool(self.dissenting_keys)

    @property
    def entropy(self) -> float:
        """Of the labels of people and judges, in bits: 0 where all say the same."""
        return entropy([*self.people.values(), *self.judges.values()])


def entropy(labels: Collection[str]) -> float:
    """Return the Shannon entropy of how often each label was given, in bits; 0 for none."""
    total = len(labels)
    return max(0.0, -sum(n / total * log2(n / total) for n in Counter(labels).values())) if total else 0.0


class VerdictBoard:
    """Labels that people and judges give the segments of one recording, as far as the annotator may see them.

    Of several answers of a judge to the same, the newest counts. What changes can be read again piece by piece.

    Attributes:
        recording_id: of the recording.
        voices: key -> voice.
        rows: segment id -> verdicts, of every segment that a judge was asked about.
    """

    def __init__(self, session: Session, recording_id: str) -> None:
        self._session = session
        self.recording_id = recording_id
        self.voices: dict[str, Voice] = {}
        self.rows: dict[str, Verdicts] = {}
        self.reload()

    def reload(self) -> None:
        """Read everything again."""
        study = self._session.study
        self._given: dict[str, dict[str, LabelGiven]] = {}
        self._people = {annotator.id: annotator for annotator in all_annotators(study)}
        self._partners: Partners | None = None
        self._eyes = JudgmentVisibility(self._session)
        self.voices, self.rows = {}, {}
        self._store_given(judge_labels(study, self.recording_id))

    def refresh_verdicts(self, segment_ids: Collection[str]) -> None:
        """Reload the judgments of some segments: after judges were asked, or judgments revealed."""
        if not segment_ids:
            return
        self._eyes.refresh(segment_ids)
        for key in segment_ids:
            self._given.pop(key, None)
            self.rows.pop(key, None)
        self._store_given(judge_labels(self._session.study, self.recording_id, segment_ids))

    def refresh_forms(self, segment_ids: Collection[str]) -> None:
        """Read again what depends on the values of some segments, and on nothing else about them."""
        if self._partners is None:
            return
        for key in segment_ids:
            self._partners.values.pop(key, None)
            self._eyes.forget_form(key)
        beside = {other.id for key in segment_ids for other in self._partners.counterparts(key)}
        self._update_rows({*segment_ids, *beside} & self._given.keys())

    def record_shown(self, segment_ids: Collection[str]) -> None:
        """Record that the annotator is shown these rows now; hidden judgments do not count as shown."""
        eyes, shown = self._eyes, []
        for key in segment_ids:
            row = self.rows.get(key)
            if row is not None and row.judges and not eyes.was_shown(key):
                visible = (answer for voice, answer in self._given[key].items() if voice in row.judges)
                shown += [(row.segment, answer.task) for answer in visible if not eyes.owns(answer.annotator_id)][:1]
        if shown:
            eyes.refresh(reveal_all(self._session, eyes, shown))

    def _store_given(self, given: Sequence[LabelGiven]) -> None:
        found = [answer for answer in given if answer.label or answer.status is not JudgmentStatus.OK]
        if not found:
            return
        for answer in found:
            voice = self._voice(answer)
            self.voices.setdefault(voice.key, voice)
            self._given.setdefault(answer.segment_id, {}).setdefault(voice.key, answer)
        self._update_rows({answer.segment_id for answer in found})

    def _update_rows(self, segment_ids: Collection[str]) -> None:
        if self._partners is None:
            self._partners = Partners(self._session, self.recording_id)
        self._eyes.read_recording(self.recording_id, self._partners)
        for key in segment_ids:
            segment = self._partners.segments.get(key)
            if segment is not None:
                self.rows[key] = self._verdicts(segment, self._given[key])

    def _verdicts(self, segment: Segment, given: Mapping[str, LabelGiven]) -> Verdicts:
        assert self._partners is not None
        people = {self._people[segment.annotator_id].name: segment.label}
        for other in self._partners.counterparts(segment.id):
            if self._people[other.annotator_id].kind == "person":
                people[self._people[other.annotator_id].name] = other.label
        judges: dict[str, str] = {}
        silent, hidden, why_not = set(), set(), ""
        for key, answer in given.items():
            leave = self._eyes.may_see(segment, answer.task)
            if not (leave or self._eyes.owns(answer.annotator_id)):
                hidden.add(key)
                why_not = leave.hidden_reason
            elif answer.label:
                judges[key] = answer.label
            else:
                silent.add(key)
        return Verdicts(segment, people, judges, frozenset(silent), frozenset(hidden), why_not)

    def _voice(self, answer: LabelGiven) -> Voice:
        who = self._people.get(answer.annotator_id or "")
        person = answer.annotator_id is not None
        key = f"{answer.judge_id}/{answer.annotator_id or ''}/{answer.condition}"
        return Voice(key, who.name if who is not None else answer.judge, answer.condition, person)


def sort_voices(voices: Iterable[Voice]) -> list[Voice]:
    """Return voices as they are listed: judges by name, raw first, then people."""
    return sorted(
        voices,
        key=lambda voice: (voice.person, voice.name.casefold(), voice.condition != RAW_CONDITION, voice.condition),
    )
