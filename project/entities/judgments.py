"""Judges and their judgments as frozen dataclasses.

A follow-up question about an earlier answer has a part of its own, which names that judgment.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from project.entities.study_records import Json

RAW_CONDITION = "raw"
"""The condition in which a judge sees the footage as it was recorded; others are ids of rendering runs."""

PERSON_BACKEND = "person"
"""The backend of people, who answer in a form."""


class JudgmentStatus(StrEnum):
    """What came of asking."""

    OK = "ok"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    ERROR = "error"


class JudgmentTargetKind(StrEnum):
    """What can be asked about."""

    SEGMENT = "segment"
    QUESTION = "question"
    CHAIN = "chain"
    RECORDING = "recording"
    ITEM = "item"
    """Of a frozen set (`project.entities.frozen_items`)."""


@dataclass(frozen=True, slots=True)
class JudgmentTarget:
    """What a judge is asked about: a row of the study, and where it matters which part of it.

    Attributes:
        id: of the row.
        part: what of it, in the words of the task, such as the node of a chain that is asked about; "" for all of it.
    """

    kind: JudgmentTargetKind
    id: str
    part: str = ""

    @property
    def key(self) -> str:
        """Tell it from all others in one text; a segment is known by its id alone."""
        if self.kind is JudgmentTargetKind.SEGMENT:
            return self.id
        return f"{self.kind.value}/{self.id}" + (f"/{self.part}" if self.part else "")


def parse_target(key: str) -> JudgmentTarget:
    """Read what `JudgmentTarget.key` returned; a text without a known subject before a slash is a segment's id."""
    subject, slash, rest = key.partition("/")
    if not slash or subject not in {kind.value for kind in JudgmentTargetKind}:
        return JudgmentTarget(JudgmentTargetKind.SEGMENT, key)
    identifier, _, part = rest.partition("/")
    return JudgmentTarget(JudgmentTargetKind(subject), identifier, part)


class Modality(StrEnum):
    """What of a moment a judge is shown (R3-VQA, section 4.3 and figure 6)."""

    TEXT = "words"
    PICTURES = "pictures"
    BOTH = "both"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class JudgeEntry:
    """A judge as a study knows it. Keys are never part of it.

    Attributes:
        name: unique in the study.
        backend: key of `models/judges/judge_backends.py`, or `PERSON_BACKEND`.
        model: a model's name at its server, or a path of a GGUF file; "" for baselines and people.
        settings: the options of the backend, by name.
    """

    id: str
    name: str
    backend: str
    model: str = ""
    settings: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judgment:
    """What one judge said about one segment, question, chain, recording or item; stored once, then never changed.

    Attributes:
        judge_id: of the entry that was asked; the entry may be gone or changed since.
        judge: the entry as it was: name, backend, model, settings.
        annotator_id: who answered, where the judge is a person.
        segment_id: the segment; "" for another subject. Like every subject it may be gone or changed since.
        start_us: of what was judged, on the recording's axis.
        end_us: of what was judged, on the recording's axis.
        task: key of `benchmark/prompts/judge_prompt.py`.
        variant: of the prompt: `plain`, `few-shot`, `cot`, `tom`.
        condition: `RAW_CONDITION`, or the id of the run that made the rendering it saw.
        seed: of the sampling; with it, repetitions are told apart.
        prompt: `KEY@VERSION`.
        prompt_sha256: of all messages, in full.
        request_key: sha256 of everything that decides the answer; equal requests have equal keys.
        sight: what was sent: frames with time, sha256, size; texts; what was shortened.
        answer: by the task's form; {} where there is none.
        raw: what came back, every character.
        thinking: apart from the answer.
        mended: what was needed to read the answer; see `models.judges.judge_interface.RepairLevel`.
        model_id: the file's sha256, or what the server reported.
        cost: in the currency of the judge's prices; None where it has none.
        error: one line.
        cached_from: the judgment whose answer this is, where the same request had been answered before.
        at: when it was answered, UTC, ISO 8601.
        question_id: the question; "" for another subject.
        chain_id: the chain; "" for another subject.
        part: of the subject that was asked about; "" for all of it.
        state: of a question or chain when it was asked; "" for a segment or a recording.
        modality: what was shown.
        item_id: the item of a frozen set; "" for another subject.
    """

    id: str
    judge_id: str
    judge: Mapping[str, Json]
    annotator_id: str | None
    recording_id: str
    segment_id: str
    start_us: int
    end_us: int
    task: str
    variant: str
    condition: str
    seed: int
    prompt: str
    prompt_sha256: str
    request_key: str
    sight: Mapping[str, Json]
    status: JudgmentStatus
    answer: Mapping[str, Json]
    raw: str
    thinking: str
    mended: str
    model_id: str
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    ms: int
    calls: int
    error: str
    cached_from: str | None
    at: str
    program_version: str
    question_id: str = ""
    chain_id: str = ""
    part: str = ""
    state: str = ""
    modality: Modality = Modality.BOTH
    item_id: str = ""

    @property
    def target(self) -> JudgmentTarget:
        """What was asked about."""
        if self.item_id:
            return JudgmentTarget(JudgmentTargetKind.ITEM, self.item_id, self.part)
        if self.segment_id:
            return JudgmentTarget(JudgmentTargetKind.SEGMENT, self.segment_id)
        if self.question_id:
            return JudgmentTarget(JudgmentTargetKind.QUESTION, self.question_id, self.part)
        if self.chain_id:
            return JudgmentTarget(JudgmentTargetKind.CHAIN, self.chain_id, self.part)
        return JudgmentTarget(JudgmentTargetKind.RECORDING, self.recording_id, self.part)


@dataclass(frozen=True, slots=True)
class Reveal:
    """That somebody was shown what judges say about a segment, and what they had said themselves until then.

    Attributes:
        own: what they had said: `{"task": "", "segment": id, "label": ..., "values": {FIELD: value}}`, without segment
            where they had said nothing; or `{"task": ..., "judgment": id, "answer": {...}}` after the form for people.
        at: UTC, ISO 8601.
    """

    segment_id: str
    annotator_id: str
    own: Mapping[str, Json]
    at: str


@dataclass(frozen=True, slots=True)
class Adoption:
    """That somebody took a judge's words over into a field of their own form."""

    id: str
    segment_id: str
    annotator_id: str
    field: str
    judgment_id: str
    at: str


def followup_part(task: str, judgment_id: str) -> str:
    """Return the part under which something is asked about an answer to a task."""
    return f"{task}/{judgment_id}"


def base_part(part: str) -> str:
    """Return a part without the judgment that it names."""
    return part.partition("/")[0]


def judgment_id_of_part(part: str) -> str:
    """Return the id of the judgment that a part names; "" for none."""
    return part.partition("/")[2]
