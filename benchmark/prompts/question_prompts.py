"""Tasks about questions and chains: answering, wording, distractors, chains from explanations, and quality scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError

from benchmark.prompts.answer_form import AnswerField, FormSpec
from benchmark.prompts.judge_prompt import (
    MAX_OPTION_CHARS,
    JudgePrompt,
    PromptSubject,
    question_fields,
    text_field,
    wrong_key,
)
from benchmark.questions.question_validity import (
    BETWEEN,
    END,
    OPTION_COUNT,
    START,
    QuestionSpec,
    find_required_question,
)
from project.entities.causal_chains import ChainGraph, NodeKind
from project.entities.judgments import JudgmentTargetKind, Modality
from project.entities.questions import LETTERS, QuestionKind
from project.entities.study_records import Json
from project.schemes.scheme import Field, FieldChoice, FieldKind

QUESTION, ANSWER, OPTIONS, RIGHT = "Question", "Its answer", "Its options", "Right option"
"""Headings of the parts of a question in a prompt."""


class QuestionPrompt(JudgePrompt):
    """Base of tasks about questions."""

    subject = JudgmentTargetKind.QUESTION

    def inapplicable_reason(self, item: PromptSubject) -> str:
        return question_problem(item)

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        assert item.question is not None
        return {QUESTION: item.question.text}


def question_problem(item: PromptSubject) -> str:
    """Return why nothing can be asked about a question; "" if it can."""
    if item.question is None:
        return "This is asked about questions."
    if not 1 <= len(item.question.wrong) < len(LETTERS):
        return f"This question has {len(item.question.wrong)} wrong options."
    options = [" ".join(option.casefold().split()) for option in item.question.options]
    if len({*options}) < len(options):
        # This includes options that differed only in personal information that was scrubbed.
        return "Two options of this question are the same as they would be told."
    return ""


def option_choices(item: PromptSubject) -> tuple[FieldChoice, ...]:
    """Return the options as they are shown, a letter each."""
    assert item.question is not None
    return tuple(FieldChoice(letter, text) for letter, text in zip(LETTERS, item.question.options, strict=False))


def letter_field(item: PromptSubject, key: str) -> AnswerField:
    """Return a field for the letter of the right option."""
    return AnswerField(Field(key, FieldKind.CHOICE, RIGHT, "", option_choices(item)), True)


def format_options(item: PromptSubject) -> str:
    """Return the options with their letters, a line each."""
    return "\n".join(
        f"{option_choice.key}: {' '.join(option_choice.name.split())}" for option_choice in option_choices(item)
    )


def format_right_option(item: PromptSubject) -> str:
    """Return the right option with its letter."""
    assert item.question is not None
    return f"{item.question.correct_letter}: {item.question.answer}"


ANSWER_TASK = "answer"


class AnswerPrompt(QuestionPrompt):
    """Which option is right (R3-VQA, section 4.1; ESI-Bench, appendix A.2)."""

    key = ANSWER_TASK
    name = "Answer"
    description = "Which option of a question is right."

    def spec(self, item: PromptSubject) -> FormSpec:
        return self.form(letter_field(item, ANSWER_TASK))

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        assert item.question is not None
        return {ANSWER_TASK: item.question.correct_letter}


DISTRACTORS_TASK = "distractors"
MAX_PLAUSIBILITY = 100


class DistractorsPrompt(QuestionPrompt):
    """Wrong options that tempt, each with how plausible it is (ESI-Bench, appendix A.1.4).

    The judge knows the answer, so that none of its options can be as good.
    """

    key = DISTRACTORS_TASK
    name = "Wrong options"
    description = "Harder wrong options for a question, each with how plausible it is."

    def spec(self, item: PromptSubject) -> FormSpec:
        assert item.question is not None
        asked: list[AnswerField] = []
        for number in range(1, len(item.question.wrong) + 1):
            name = f"Plausibility of wrong option {number}"
            told = "How easily somebody who did not follow closely would take it for the answer."
            scale = Field(plausibility_key(number), FieldKind.SCALE, name, told, maximum=MAX_PLAUSIBILITY)
            asked += [
                text_field(wrong_key(number), f"Wrong option {number}", MAX_OPTION_CHARS),
                AnswerField(scale, True),
            ]
        return self.form(*asked)

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        assert item.question is not None
        return {QUESTION: item.question.text, ANSWER: item.question.answer}


def plausibility_key(number: int) -> str:
    """Return the key of the plausibility of a wrong option, from 1."""
    return f"plausibility_{number}"


EXPLANATION_CHAIN_TASK = "explanation_chain"
CHAIN_KEY = "chain"
"""Key of the lines in an answer."""
MAX_LINES_CHARS = 3_000
_LINE_FORMAT = (
    "One line for each event or mental state, of six parts between upright bars: its number, counted from 1; one of "
    f"{', '.join(node_kind.value for node_kind in NodeKind)}; whose it is, as they are called here, with commas "
    "between several, empty where it is nobody's; from when to when, in seconds from the start, such as 3.5-8; what "
    "happens, or what is believed, intended, wanted or felt; and the numbers of its reasons with commas between, empty "
    "where it has none."
)


class ExplanationChainPrompt(QuestionPrompt):
    """The chain that the explanation of a question stands for (R3-VQA, section 3.2, annotation of causal chains).

    Experts may turn what a participant explained into a chain; here a judge makes the draft, and a person corrects it.
    """

    key = EXPLANATION_CHAIN_TASK
    name = "Chain of an explanation"
    description = "The draft of a causal chain from the explanation of a question."

    def inapplicable_reason(self, item: PromptSubject) -> str:
        if item.question is None:
            return "This is asked about questions."
        return "" if item.question.explanation.strip() else "This question has no explanation. Write one first."

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        return self.form(text_field(CHAIN_KEY, "Lines of the chain", MAX_LINES_CHARS, _LINE_FORMAT))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        assert item.question is not None
        return {
            QUESTION: item.question.text,
            ANSWER: item.question.answer,
            "Explanation": item.question.explanation,
        }


OPTIONS_ONLY_TASK = "options_only"


class OptionsOnlyPrompt(AnswerPrompt):
    """Which option is right, told from the options alone (ESI-Bench, appendix A.1.5, inherent bias).

    It shows no pictures, no conversation and not even the question; options that are right then give themselves away.
    """

    key = OPTIONS_ONLY_TASK
    name = "Options alone"
    description = "Which option is right, from the options alone."
    modality = Modality.NOTHING

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:  # noqa: ARG002
        return {}


SCORE_KEY = "score"
"""Key of the number in an answer."""


@dataclass(frozen=True)
class ScorePrompt(QuestionPrompt):
    """A whole number about a question (ESI-Bench, appendices A.1.3 and A.1.5).

    Attributes:
        shown_parts: headings of the parts of the question that are shown.
        levels: number -> what it means, all numbers without a gap.
    """

    key: str
    name: str
    description: str
    shown_parts: tuple[str, ...]
    levels: Mapping[int, str]
    modality: Modality = Modality.BOTH

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        low, high = min(self.levels), max(self.levels)
        meanings = " ".join(f"{number}: {self.levels[number]}" for number in sorted(self.levels, reverse=True))
        field = Field(SCORE_KEY, FieldKind.SCALE, self.name, meanings, minimum=low, maximum=high)
        return self.form(AnswerField(field, True))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        assert item.question is not None
        parts = {
            QUESTION: item.question.text,
            ANSWER: item.question.answer,
            OPTIONS: format_options(item),
            RIGHT: format_right_option(item),
        }
        return {part: parts[part] for part in self.shown_parts}


REVIEW_SCORE = ScorePrompt(
    "review_score",
    "Quality",
    "How good a question is as a whole, from 1 to 5.",
    (QUESTION, OPTIONS, RIGHT),
    {
        5: "Clear, about something that matters here, surely answered by what is shown or said, and only by that; the "
        "other options tempt and are wrong.",
        4: "Good, with one small flaw that misleads nobody.",
        3: "It can be used only after a change: partly vague, partly trivial, or with a weak option.",
        2: "It has a serious flaw: the answer is doubtful, several options hold, or most are absurd.",
        1: "It cannot be used: it is not about this recording, or its answer is wrong.",
    },
)
"""How good a question of another judge is (ESI-Bench, appendix A.1.3: scored from 1 to 5, and kept above 3)."""
DIFFICULTY = ScorePrompt(
    "difficulty",
    "Difficulty",
    "How many cues have to be put together to answer a question, from 0 to 3.",
    (QUESTION,),
    {
        3: "It takes everything together: cues of several moments or people, seen and heard, and conclusions.",
        2: "It takes two or three separate cues that have to be combined.",
        1: "One place shows or says the answer outright.",
        0: "It has nothing to do with this recording, or general knowledge answers it without.",
    },
)
"""Question difficulty (ESI-Bench, appendix A.1.5)."""
TRUTH = ScorePrompt(
    "truth",
    "Correctness",
    "Whether the answer that counts as right is right, from 0 to 2.",
    (QUESTION, ANSWER),
    {
        2: "Question and answer are about this recording, and the answer is right, whole and exact.",
        1: "Both are about this recording, but the answer misses the question or is not quite right.",
        0: "Anything else: the answer is wrong, or nothing here bears it out.",
    },
)
"""Ground truth correctness (ESI-Bench, appendix A.1.5)."""
SEPARABILITY = ScorePrompt(
    "separability",
    "Separability",
    "How well the options can be told apart by what they mean, from 1 to 3.",
    (OPTIONS,),
    {
        3: "Every option means something else.",
        2: "At least two options come close to each other in what they mean.",
        1: "At least two options mean the same.",
    },
    Modality.NOTHING,
)
"""Semantic separability of options (ESI-Bench, appendix A.1.5)."""
RELEVANCE = ScorePrompt(
    "relevance",
    "Relevance",
    "How far all options are answers to what is asked, from 1 to 3.",
    (QUESTION, OPTIONS),
    {
        3: "Every option is an answer to just this question, right or wrong.",
        2: "Most are, but one option answers something else.",
        1: "Two or more options do not answer this question.",
    },
    Modality.NOTHING,
)
"""Relevance of options to the question (ESI-Bench, appendix A.1.5)."""


WORD_QUESTION_TASK = "word_question"
_WORDINGS: Mapping[QuestionKind, tuple[str, str]] = {
    QuestionKind.EVENT: (
        "It asks what happens in the covered event, at a time or beside something else that is to be seen.",
        "It tells the covered event.",
    ),
    QuestionKind.STATE: (
        "It asks for the covered {aspect} of whoever has it, at its time.",
        "It tells the covered {aspect}.",
    ),
    QuestionKind.WHY: (
        "It asks why the result comes about.",
        "It tells every reason that is covered, and no other.",
    ),
    QuestionKind.HOW: (
        "It asks what comes of all the reasons that are covered together, or how they matter.",
        "It tells the result.",
    ),
}
_PATH_WORDINGS: Mapping[str, tuple[str, str]] = {
    START: ("It asks what, some steps before, set off the last thing.", "It tells the first thing."),
    END: ("It asks what the first thing leads to in the end, over some steps.", "It tells the last thing."),
    BETWEEN: ("It asks how the first thing leads to the last one.", "It tells all that lies between, in order."),
}
"""Kind, or part of a path -> what the question asks, and what its answer tells."""


class WordQuestionPrompt(JudgePrompt):
    """A question of a stated kind about a stated part of a chain, with answer and wrong options (R3-VQA, section 3.2).

    What it must be about follows from the rules alone (section 3.1); the judge only finds the words.
    """

    key = WORD_QUESTION_TASK
    name = "Word a question"
    description = "A question about a part of a chain, its answer and its wrong options."
    subject = JudgmentTargetKind.CHAIN
    material = ("chain",)

    def inapplicable_reason(self, item: PromptSubject) -> str:
        if item.chain is None:
            return "This is asked about chains."
        if _requested_spec(item) is None:
            return "The rules ask for no question about this part of the chain."
        return ""

    def spec(self, item: PromptSubject) -> FormSpec:
        question_spec = _requested_spec(item)
        assert question_spec is not None
        wording = (
            _PATH_WORDINGS[question_spec.aspect]
            if question_spec.kind is QuestionKind.STEPS
            else _WORDINGS[question_spec.kind]
        )
        question, answer = (text.format(aspect=question_spec.aspect) for text in wording)
        return self.form(*question_fields(OPTION_COUNT - 1, question, answer))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        wanted = _requested_spec(item)
        assert item.chain is not None
        assert wanted is not None
        return {**_covered_texts(item.chain, wanted), "The whole chain": item.material.get("chain", "")}


def _requested_spec(item: PromptSubject) -> QuestionSpec | None:
    """Return the question that the rules ask for about the item's part; None for none, or if the chain has a cycle."""
    try:
        return find_required_question(item.chain, item.part) if item.chain is not None else None
    except CycleError:
        return None


def _covered_texts(graph: ChainGraph, spec: QuestionSpec) -> dict[str, str]:
    """Return role -> the nodes that a question covers, with their numbers in the whole chain."""
    numbers = {chain_node.id: position for position, chain_node in enumerate(graph.nodes, 1)}
    nodes = [graph.nodes_by_id[cover] for cover in spec.covers]
    lines = [f"{numbers[node.id]}. {node.kind.value}: {' '.join(node.text.split())}" for node in nodes]
    if spec.kind in (QuestionKind.WHY, QuestionKind.HOW):
        return {"Result": lines[0], "Reasons" if len(lines) > 2 else "Reason": "\n".join(lines[1:])}
    if spec.kind is QuestionKind.STEPS:
        return {"First": lines[0], "Between": "\n".join(lines[1:-1]), "Last": lines[-1]}
    return {"Covered": lines[0]}
