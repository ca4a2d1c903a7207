"""The base of tasks that judges are asked, and their registry.

A new task is a class in this package, a prompt in `resources/prompts`, and a line in the registry.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmark.prompts.answer_form import AnswerField, FormSpec
from project.entities.causal_chains import ChainGraph
from project.entities.judgments import JudgmentTargetKind, Modality
from project.entities.questions import Question
from project.entities.study_records import Json
from project.plugins.plugin_registry import Plugins
from project.schemes.scheme import Field, FieldKind, Scheme

VARIANTS = ("plain", "few-shot", "cot", "tom")
"""Variants of a prompt: plain, with examples, with thoughts first, with thoughts about each person's mind first."""
THINKING_VARIANTS = ("cot", "tom")


@dataclass(frozen=True, slots=True)
class FrozenContent:
    """The frozen content of an item, with its texts rewritten for the request.

    Attributes:
        place: position of the right one, from 0.
        facts: given texts, by key.
    """

    options: tuple[str, ...] = ()
    place: int = 0
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PromptSubject:
    """The subject of a request, as its task sees it.

    Attributes:
        label: of the segment; "" for an unmarked span.
        values: of the segment, by field.
        people: (name in this request, participant id), in order.
        agent: name of the agent; "" if none takes part.
        question: the question, or None.
        chain: the chain, or that of the question, or None.
        part: of the subject; "" for all of it.
        material: further texts, by key (`JudgePrompt.material`).
        frozen: content of the item of a set; None for anything else.
    """

    scheme: Scheme
    track: str
    label: str = ""
    values: Mapping[str, Json] | None = None
    people: Sequence[tuple[str, str]] = ()
    agent: str = ""
    question: Question | None = None
    chain: ChainGraph | None = None
    part: str = ""
    material: Mapping[str, str] = field(default_factory=dict)
    frozen: FrozenContent | None = None

    @property
    def filled_values(self) -> Mapping[str, Json]:
        return self.values or {}


class JudgePrompt:
    """Base of tasks, about segments unless they say otherwise; answers have the keys of segments.

    Attributes:
        description: one line on what is asked.
        subject: what it is asked about.
        modality: what is shown at most.
        material: further texts, keys of `benchmark.judge_input.subject_material.MATERIAL`.
    """

    key: str
    name: str
    description: str
    subject: JudgmentTargetKind = JudgmentTargetKind.SEGMENT
    modality: Modality = Modality.BOTH
    material: tuple[str, ...] = ()

    @property
    def prompt(self) -> str:
        """Key of its prompt, `resources/prompts/KEY.toml`."""
        return self.key

    def inapplicable_reason(self, item: PromptSubject) -> str:  # noqa: ARG002
        """Return why it cannot be asked about an item, in one sentence; "" if it can."""
        return ""

    def spec(self, item: PromptSubject) -> FormSpec:
        """Return the form; call it only if `inapplicable_reason` is ""."""
        raise NotImplementedError

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:  # noqa: ARG002
        """Return given texts about the item beside footage and conversation: name -> text."""
        return {}

    def truth(self, item: PromptSubject) -> dict[str, Json]:  # noqa: ARG002
        """Return the answer of the item's own label and values; {} if nobody says what is right."""
        return {}

    def form(self, *fields: AnswerField) -> FormSpec:
        """Return a form of some fields that has the name of the task."""
        return FormSpec(self.key, fields)


TASKS_BY_SUBJECT: Mapping[JudgmentTargetKind, Mapping[str, str]] = {
    JudgmentTargetKind.SEGMENT: {
        "assess": "benchmark.prompts.segment_prompts:AssessPrompt",
        "verdict": "benchmark.prompts.segment_prompts:VerdictPrompt",
        "error": "benchmark.prompts.segment_prompts:ErrorPrompt",
        "attributes": "benchmark.prompts.segment_prompts:AttributesPrompt",
        "multiple": "benchmark.prompts.segment_prompts:MultiplePrompt",
        "ratings": "benchmark.prompts.segment_prompts:RatingsPrompt",
        "pre": "benchmark.prompts.segment_prompts:PRE",
        "post": "benchmark.prompts.segment_prompts:POST",
        "rationale": "benchmark.prompts.segment_prompts:RATIONALE",
        "correction": "benchmark.prompts.segment_prompts:CORRECTION",
        "nli_plausibility": "benchmark.prompts.statement_prompts:PlausibilityPrompt",
        "nli_support": "benchmark.prompts.statement_prompts:SUPPORT",
        "nli_oppose": "benchmark.prompts.statement_prompts:OPPOSE",
        "nli_likelihood": "benchmark.prompts.statement_prompts:LikelihoodPrompt",
        "nli_hypothesis": "benchmark.prompts.statement_prompts:OpposedHypothesisPrompt",
        "nli_class": "benchmark.prompts.statement_prompts:StatementClassPrompt",
        "nli_fact": "benchmark.prompts.statement_prompts:FactCheckPrompt",
    },
    JudgmentTargetKind.QUESTION: {
        "answer": "benchmark.prompts.question_prompts:AnswerPrompt",
        "options_only": "benchmark.prompts.question_prompts:OptionsOnlyPrompt",
        "review_score": "benchmark.prompts.question_prompts:REVIEW_SCORE",
        "difficulty": "benchmark.prompts.question_prompts:DIFFICULTY",
        "truth": "benchmark.prompts.question_prompts:TRUTH",
        "separability": "benchmark.prompts.question_prompts:SEPARABILITY",
        "relevance": "benchmark.prompts.question_prompts:RELEVANCE",
        "distractors": "benchmark.prompts.question_prompts:DistractorsPrompt",
        "explanation_chain": "benchmark.prompts.question_prompts:ExplanationChainPrompt",
    },
    JudgmentTargetKind.CHAIN: {
        "word_question": "benchmark.prompts.question_prompts:WordQuestionPrompt",
    },
    JudgmentTargetKind.RECORDING: {
        "words_summary": "benchmark.prompts.recording_prompts:WORDS_SUMMARY",
        "frames_summary": "benchmark.prompts.recording_prompts:FRAMES_SUMMARY",
        "audit": "benchmark.prompts.recording_prompts:AuditPrompt",
        "looks": "benchmark.prompts.recording_prompts:LooksPrompt",
        "esi_question": "benchmark.prompts.recording_prompts:EsiQuestionPrompt",
        "nli_question": "benchmark.prompts.statement_prompts:NuanceQuestionPrompt",
        "nli_inferences": "benchmark.prompts.statement_prompts:InferencesPrompt",
        "act": "benchmark.prompts.episode_prompts:ActPrompt",
        "episode_ratings": "benchmark.prompts.episode_prompts:EpisodeRatingsPrompt",
    },
}
"""Kind of subject -> its tasks: key -> module, and class or instance."""
ITEM_ONLY_TASKS = frozenset({"pre", "post", "rationale", "correction"})
"""Tasks about segments that need an item of a frozen set, which has the options."""
TASKS = Plugins[JudgePrompt](
    "task", {key: place for tasks in TASKS_BY_SUBJECT.values() for key, place in tasks.items()}
)
DEFAULT_TASK = "assess"
"""The whole form of a segment."""

QUESTION_KEY, ANSWER_KEY = "question", "answer"
MAX_QUESTION_CHARS = 300
MAX_OPTION_CHARS = 240


def wrong_key(number: int) -> str:
    """Return the key of a wrong option, from 1."""
    return f"wrong_{number}"


def text_field(key: str, name: str, longest: int, definition: str = "", *, required: bool = True) -> AnswerField:
    """Return a text field."""
    return AnswerField(Field(key, FieldKind.TEXT, name, definition), required, longest)


def question_fields(wrong: int, question: str, answer: str = "The one right answer.") -> tuple[AnswerField, ...]:
    """Return fields for a question, its answer and its wrong options."""
    return (
        text_field(QUESTION_KEY, "Question", MAX_QUESTION_CHARS, question),
        text_field(ANSWER_KEY, "Answer", MAX_OPTION_CHARS, answer),
        *(
            text_field(wrong_key(number), f"Wrong option {number}", MAX_OPTION_CHARS, "Like the answer, and wrong.")
            for number in range(1, wrong + 1)
        ),
    )
