"""Tasks about whole recordings: summaries, looks, contradictions, and questions of the five dimensions of ESI-Bench."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from benchmark.prompts.answer_form import AnswerField, FormSpec
from benchmark.prompts.judge_prompt import JudgePrompt, PromptSubject, question_fields, text_field
from project.entities.judgments import JudgmentTargetKind, Modality
from project.entities.questions import LookKind
from project.schemes.scheme import Field, FieldChoice, FieldKind

PASSES, EACH = 2, 10
"""Rounds of questions about a recording, and questions of a round at most (ESI-Bench, appendix A.1.3)."""
ESI_OPTION_COUNT = 4


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of ESI-Bench, in our own words.

    Attributes:
        meaning: what a question of it is about.
        wordings: templates of such questions; each is used once in every four questions.
    """

    key: str
    name: str
    meaning: str
    wordings: tuple[str, ...]


DIMENSIONS = {
    dimension.key: dimension
    for dimension in (
        Dimension(
            "IFA",
            "Intention and function of an action",
            "What a movement is for when people deal with each other: to stress something, hand over the word, show a "
            "feeling or make things clear; and the aim or situation behind it.",
            (
                "What does somebody want to reach with something they do at a stated time?",
                "What purpose does a gesture, a glance or an object serve in what is going on?",
                "What moves somebody to do a thing just then, and not earlier or later?",
                "What would somebody's action have changed for the others, had it been noticed or answered?",
            ),
        ),
        Dimension(
            "BRI",
            "Behaviour, reaction and intention",
            "Why somebody behaves or reacts in a certain way: what set it off, and what they mean by it.",
            (
                "Why does somebody react to what another has just said or done in the way they do?",
                "What has to have happened before for this reaction to make sense?",
                "What does somebody's reaction show about what they expected?",
                "How do two people react differently to the same thing, and why?",
            ),
        ),
        Dimension(
            "EBR",
            "Emotion and behavioural response",
            "What somebody feels or thinks of something, and how that comes out in what they do or how they speak.",
            (
                "How does somebody feel when a certain thing happens, and by what is it seen?",
                "How does somebody's mood change between two stated moments, and what changes it?",
                "Which attitude towards a person or a topic shows in how somebody speaks?",
                "How does somebody act on a feeling that they do not put into words?",
            ),
        ),
        Dimension(
            "EBA",
            "Analysis of emotion and behaviour",
            "What faces, posture, voices and words say together, also where they contradict each other, and what goes "
            "on in and between the people meanwhile.",
            (
                "What do face and posture of somebody say at a stated time that their words do not?",
                "Which feeling is to be read from several small signs together?",
                "How does somebody's voice or way of moving fit, or not fit, what they say?",
                "Which sign shows that somebody only pretends, hides or plays down a feeling?",
            ),
        ),
        Dimension(
            "IDC",
            "Dynamics and context of an interaction",
            "How people deal with each other over time: closeness, roles, who leads, and what setting and history do.",
            (
                "What does the way in which two people deal with each other say about how they stand to each other?",
                "How does the balance between the people change in the course of the recording?",
                "Which unspoken rule of the setting does somebody follow or break?",
                "What would most likely come next between them, judging by all that came before?",
            ),
        ),
    )
}


@dataclass(frozen=True, slots=True)
class EsiPart:
    """One question of the series about a recording.

    Attributes:
        number: in its round, from 1.
        dimension: key of `DIMENSIONS`.
    """

    round: int
    number: int
    dimension: str

    @property
    def part(self) -> str:
        """The part of the recording as text, `ROUND:NUMBER:DIMENSION`."""
        return f"{self.round}:{self.number}:{self.dimension}"

    @property
    def wording(self) -> str:
        """The template of this question; it differs for all questions of a dimension in two rounds of ten."""
        ways = DIMENSIONS[self.dimension].wordings
        asked = (self.round - 1) * (EACH // len(DIMENSIONS)) + (self.number - 1) // len(DIMENSIONS)
        return ways[asked % len(ways)]


def esi_parts(rounds: int = PASSES, each: int = EACH) -> list[EsiPart]:
    """Return the questions of some rounds, the dimensions in turn."""
    keys = [*DIMENSIONS]
    return [
        EsiPart(index, number, keys[(number - 1) % len(keys)])
        for index in range(1, rounds + 1)
        for number in range(1, each + 1)
    ]


_PART_PATTERN = re.compile(r"([1-9]\d*):([1-9]\d*):(\w+)", re.ASCII)


def parse_esi_part(text: str) -> EsiPart | None:
    """Read the result of `EsiPart.part`; None for anything else."""
    match = _PART_PATTERN.fullmatch(text)
    if match is None or match[3] not in DIMENSIONS:
        return None
    return EsiPart(int(match[1]), int(match[2]), match[3])


SUMMARY, CONTRADICTIONS, LOOKS = "summary", "contradictions", "looks"
"""Keys of an answer."""
MAX_ANSWER_CHARS = 3_000
MATERIAL_NAMES: Mapping[str, str] = {
    "looks": "What people look like",
    "words summary": "Summary from the words",
    "frames summary": "Summary from the pictures",
    "contradictions": "What these two say differently",
    "scenes": "Scene changes, unexpected events, and sound that nobody there hears",
}
"""Key of material -> its heading in the prompt."""


class RecordingPrompt(JudgePrompt):
    """Base of tasks about whole recordings."""

    subject = JudgmentTargetKind.RECORDING

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        return {MATERIAL_NAMES[key]: item.material[key] for key in self.material if item.material.get(key)}


@dataclass(frozen=True)
class SummaryPrompt(RecordingPrompt):
    """What happens in a recording, in prose with times (ESI-Bench, appendix A.1.2); `about` defines it."""

    key: str
    name: str
    description: str
    about: str
    modality: Modality
    material: tuple[str, ...] = ("looks", "scenes")

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        return self.form(text_field(SUMMARY, "Summary", MAX_ANSWER_CHARS, self.about))


WORDS_SUMMARY = SummaryPrompt(
    "words_summary",
    "Summary from words",
    "What happens in a recording, from what is said in it.",
    "What is talked about, what each of them wants, and what changes between them, with times.",
    Modality.TEXT,
)
"""What is said, with the cues that people marked (processing by an LLM)."""
FRAMES_SUMMARY = SummaryPrompt(
    "frames_summary",
    "Summary from pictures",
    "What happens in a recording, from what is to be seen in it.",
    "Who does what, with which face and posture, towards whom, and where, with times.",
    Modality.PICTURES,
)
"""What is to be seen, person by person (processing by a VLM)."""


class AuditPrompt(RecordingPrompt):
    """What the two summaries of a recording say differently (ESI-Bench, appendix A.1.2, consistency between models)."""

    key = "audit"
    name = "Contradictions"
    description = "What the two summaries of a recording say differently."
    material = ("words summary", "frames summary")

    def inapplicable_reason(self, item: PromptSubject) -> str:
        missing = any(not item.material.get(key) for key in self.material)
        return "Both summaries of the recording are needed. Make or write them first." if missing else ""

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        about = "One line for each thing on which they cannot both be right, with its time; empty where there is none."
        return self.form(text_field(CONTRADICTIONS, "Contradictions", MAX_ANSWER_CHARS, about, required=False))


class LooksPrompt(RecordingPrompt):
    """By what the people of a recording can be told apart (ESI-Bench, appendix A.1.2, attribute tagging)."""

    key = "looks"
    name = "Looks"
    description = "What the people of a recording look like: clothing, hair, accessories."

    def inapplicable_reason(self, item: PromptSubject) -> str:
        return "" if item.people else "Nobody is known to take part in this recording. Add participants first."

    def spec(self, item: PromptSubject) -> FormSpec:
        names = ", ".join(label for label, _ in item.people)
        kinds = ", ".join(look_kind.value for look_kind in LookKind)
        about = (
            "One line for each thing, of three parts between upright bars: "
            f"whose it is, one of {names}; one of {kinds}; what it is, in a few words. "
            "Nothing for whoever is not to be seen."
        )
        return self.form(text_field(LOOKS, "Looks", MAX_ANSWER_CHARS, about))


ESI_QUESTION_TASK = "esi_question"
DIMENSION = "dimension"


class EsiQuestionPrompt(RecordingPrompt):
    """A question of a stated dimension, with answer and wrong options (ESI-Bench, sections 3 and A.1.3).

    It is made from the meta information of the recording and its frames. The wording varies from question to question,
    as with the templates of ESI-Bench (appendix A.8), in our own words.
    """

    key = ESI_QUESTION_TASK
    name = "Word an ESI question"
    description = "A question of one of five dimensions, its answer and its wrong options."
    material = ("looks", "scenes", "words summary", "frames summary", "contradictions")

    def inapplicable_reason(self, item: PromptSubject) -> str:
        return "" if parse_esi_part(item.part) else "Name round, number and dimension, such as 1:3:EBR."

    def spec(self, item: PromptSubject) -> FormSpec:
        part = parse_esi_part(item.part)
        assert part is not None
        esi_dimension = DIMENSIONS[part.dimension]
        choices = (FieldChoice(esi_dimension.key, esi_dimension.name, esi_dimension.meaning),)
        dimension = AnswerField(Field(DIMENSION, FieldKind.CHOICE, "Dimension", "", choices), True)
        return self.form(dimension, *question_fields(ESI_OPTION_COUNT - 1, f"In this manner: {part.wording}"))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        part = parse_esi_part(item.part)
        assert part is not None
        return {"Place in a series": f"number {part.number} of round {part.round}", **super().item_texts(item)}
