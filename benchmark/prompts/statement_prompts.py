"""Tasks of SocialNLI: making statements about a dialogue, reasons for and against them, and their plausibility.

Statements are frozen from segments of the scheme `socialnli`.
"""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.prompts.answer_form import LABEL_KEY, AnswerField, FormSpec
from benchmark.prompts.judge_prompt import MAX_QUESTION_CHARS, QUESTION_KEY, PromptSubject, SegmentPrompt, text_field
from benchmark.prompts.recording_prompts import RecordingPrompt
from benchmark.prompts.segment_prompts import label_answer_field
from project.entities.judgments import Modality, base_part
from project.entities.study_records import Json
from project.schemes.scheme import Field, FieldChoice, FieldKind

SCHEME = "socialnli"
STATEMENT, PLAUSIBILITY, EXPLANATION = "statement", "plausibility", "explanation"
"""Keys of the scheme's fields; an explanation is answered under the same key."""
STATEMENT_TOLD, EXPLANATION_TOLD, STANCE_TOLD = "The statement", "The explanation", "What the explanation is for"
LONGEST_STATEMENT, LONGEST_EXPLANATION = 240, 400


class StatementPrompt(SegmentPrompt):
    """Base of tasks about statements."""

    material: ClassVar[tuple[str, ...]] = ()
    modality: ClassVar[Modality] = Modality.BOTH

    def inapplicable_reason(self, item: PromptSubject) -> str:
        """Return why it cannot be asked: there is no statement."""
        return (
            ""
            if item_statement(item)
            else "This is asked about the statements of a frozen set. Make one of the task socialnli."
        )

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        """Return the statement."""
        return {STATEMENT_TOLD: item_statement(item)}


class ExplainTask(StatementPrompt):
    """One sentence that takes a side; `about` defines it."""

    key: ClassVar[str]
    about: ClassVar[str]

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        """Return one sentence."""
        return FormSpec(self.key, (text_field(EXPLANATION, "Reason", LONGEST_EXPLANATION, self.about),))

    def truth(self, item: PromptSubject) -> dict[str, Json]:  # noqa: ARG002
        """Return nothing: many reasons are good."""
        return {}


def item_statement(item: PromptSubject) -> str:
    """Return the statement of an item, rewritten for the request; "" for none."""
    return item.frozen.facts.get(STATEMENT, "") if item.frozen is not None and item.scheme.key == SCHEME else ""


NLI_CLASS_TASK = "nli_class"


class StatementClass(StatementPrompt):
    """One of the scheme's labels: reality, belief or emotion (SocialNLI, appendices A.2 and C.9)."""

    key: ClassVar[str] = NLI_CLASS_TASK
    name: ClassVar[str] = "Class of a statement"
    description: ClassVar[str] = "Whether a statement is about reality, a belief or an emotion."
    prompt: ClassVar[str] = NLI_CLASS_TASK

    def spec(self, item: PromptSubject) -> FormSpec:
        """Return the label."""
        return FormSpec(NLI_CLASS_TASK, (label_answer_field(item),))

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        """Return the label."""
        return {LABEL_KEY: item.label} if item.label else {}


class SupportPrompt(ExplainTask):
    """One sentence for a statement, whether it is true or not (SocialNLI, section 4.1 and appendix C.6)."""

    key: ClassVar[str] = "nli_support"
    name: ClassVar[str] = "Reason for a statement"
    description: ClassVar[str] = "The strongest reason in a dialogue to hold a statement true."
    prompt: ClassVar[str] = "nli_support"
    about: ClassVar[str] = "What in the dialogue speaks most for the statement, or that nothing does."


class Oppose(ExplainTask):
    """One sentence against a statement, whether it is true or not (SocialNLI, section 4.1 and appendix C.7)."""

    key: ClassVar[str] = "nli_oppose"
    name: ClassVar[str] = "Reason against a statement"
    description: ClassVar[str] = "The strongest reason in a dialogue to hold a statement false."
    prompt: ClassVar[str] = "nli_oppose"
    about: ClassVar[str] = "What in the dialogue speaks most against the statement, or that nothing does."


NLI_FACT_TASK = "nli_fact"
ACCURATE_KEY = "accurate"
YES, NO = "yes", "no"
STANCE_KEY = "stance"
"""Key of the claim of an explanation, among the facts of an item."""
_CHOICES = (
    FieldChoice(
        YES, "Accurate", "Everything that it says happened is in the dialogue, and means what it says it means."
    ),
    FieldChoice(NO, "Not accurate", "It says something that is not in the dialogue, or reads it wrongly."),
)


class FactCheck(StatementPrompt):
    """Yes or no about one explanation, whoever wrote it (SocialNLI, section 4.3)."""

    key: ClassVar[str] = NLI_FACT_TASK
    name: ClassVar[str] = "Fact-check of an explanation"
    description: ClassVar[str] = "Whether an explanation of a statement is accurate."
    prompt: ClassVar[str] = NLI_FACT_TASK

    def inapplicable_reason(self, item: PromptSubject) -> str:
        """Return why it cannot be asked: there is no statement, or no explanation."""
        return super().inapplicable_reason(item) or (
            "" if _item_explanation(item) else "There is no explanation to check."
        )

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        """Return yes or no."""
        return FormSpec(
            NLI_FACT_TASK, (AnswerField(Field(ACCURATE_KEY, FieldKind.CHOICE, "Accuracy", "", _CHOICES), True),)
        )

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        """Return statement and explanation, without who wrote it."""
        told = {STATEMENT_TOLD: item_statement(item), EXPLANATION_TOLD: _item_explanation(item)}
        stance = item.frozen.facts.get(STANCE_KEY, "") if item.frozen else ""
        return {**told, **({STANCE_TOLD: stance} if stance else {})}

    def truth(self, item: PromptSubject) -> dict[str, Json]:  # noqa: ARG002
        """Return nothing: the answers of people are the result."""
        return {}


def _item_explanation(item: PromptSubject) -> str:
    return item.frozen.facts.get(EXPLANATION, "") if item.frozen is not None else ""


INFERENCES_PER_ANSWER = 5
"""Inferences of one answer; with two variants there are ten for a question (SocialNLI, section 3.2)."""
QUESTION_MATERIAL = "nli question"
"""Key of the material: the question that inferences are about."""
STATEMENT_CLASSES = (
    FieldChoice("reality", "Reality", "How something is or was in the world of the dialogue."),
    FieldChoice("belief", "Belief", "What somebody thinks, knows or expects."),
    FieldChoice("emotion", "Emotion", "What somebody feels."),
)


def statement_key(number: int) -> str:
    """Return the key of an inference, from 1."""
    return f"inference_{number}"


def class_key(number: int) -> str:
    """Return the key of the class of an inference, from 1."""
    return f"class_{number}"


class NuanceQuestion(RecordingPrompt):
    """A question that only somebody can answer who sees what is meant behind the words (SocialNLI, appendix C.3)."""

    key: ClassVar[str] = "nli_question"
    name: ClassVar[str] = "Question about what is meant"
    description: ClassVar[str] = "An open question about irony, hints or feelings behind the words of a dialogue."
    prompt: ClassVar[str] = "nli_question"
    modality: ClassVar[Modality] = Modality.TEXT

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        """Return one question."""
        about = "One open question, whose answer is not said in so many words."
        return FormSpec(self.key, (text_field(QUESTION_KEY, "Question", MAX_QUESTION_CHARS, about),))


class Inferences(RecordingPrompt):
    """Five statements about a dialogue that help to answer a question (SocialNLI, section 3.2, appendices C.4 and C.5).

    With the variant `cot` the judge thinks first, with `plain` it does not: the two strengths of the paper's prompts.
    """

    key: ClassVar[str] = "nli_inferences"
    name: ClassVar[str] = "Inferences"
    description: ClassVar[str] = "Five statements about a dialogue that help to answer a question, each with its class."
    prompt: ClassVar[str] = "nli_inferences"
    modality: ClassVar[Modality] = Modality.TEXT
    material: ClassVar[tuple[str, ...]] = (QUESTION_MATERIAL,)

    def inapplicable_reason(self, item: PromptSubject) -> str:
        """Return why it cannot be asked: there is no question."""
        return "" if item.material.get(QUESTION_MATERIAL) else "There is no question to make inferences for."

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        """Return five statements, each with its class."""
        asked: list[AnswerField] = []
        for number in range(1, INFERENCES_PER_ANSWER + 1):
            about = "One short sentence that is true or false of the dialogue."
            asked += [
                text_field(statement_key(number), f"Inference {number}", LONGEST_STATEMENT, about),
                AnswerField(Field(class_key(number), FieldKind.CHOICE, f"Class {number}", "", STATEMENT_CLASSES), True),
            ]
        return FormSpec(self.key, tuple(asked))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        """Return the question."""
        return {"Question": item.material[QUESTION_MATERIAL]}


NLI_LIKELIHOOD_TASK = "nli_likelihood"
SCORE_KEY = "score"
MAX_SCORE = 10
EXPLANATION_MATERIAL = "answer before"
"""Key of the material: the explanation."""
_OPPOSE_TASK = "nli_oppose"
_NEGATION_PREFIX = "The statement is false: "
_LEVELS = (
    "cannot be",
    "hardly, yet it happens",
    "less than one in four",
    "about one in three",
    "slightly less than even",
    "even: for and against weigh the same",
    "slightly more than even",
    "rather yes",
    "five in six",
    "one would bet much on it",
    "no way is seen in which it is not so",
)


class Likelihood(StatementPrompt):
    """A score from 0 to 10 for what an explanation argues for, by that explanation alone (SocialNLI, appendix C.8).

    For an explanation against a statement it is the likelihood that the statement is false (section 4.1). The judge is
    shown nothing of the dialogue.
    """

    key: ClassVar[str] = NLI_LIKELIHOOD_TASK
    name: ClassVar[str] = "Likelihood by an explanation"
    description: ClassVar[str] = "How likely a claim is by an explanation alone, from 0 to 10."
    prompt: ClassVar[str] = NLI_LIKELIHOOD_TASK
    modality: ClassVar[Modality] = Modality.NOTHING
    material: ClassVar[tuple[str, ...]] = (EXPLANATION_MATERIAL,)

    def inapplicable_reason(self, item: PromptSubject) -> str:
        """Return why it cannot be asked: there is no statement, or no explanation."""
        return super().inapplicable_reason(item) or (
            "" if item.material.get(EXPLANATION_MATERIAL) else "There is no explanation to go by."
        )

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        """Return a field for the score, with the meaning of each level."""
        meanings = " ".join(f"{number}: {_LEVELS[number]}." for number in range(MAX_SCORE, -1, -1))
        return FormSpec(
            NLI_LIKELIHOOD_TASK,
            (
                AnswerField(
                    Field(SCORE_KEY, FieldKind.SCALE, "Likelihood", meanings, minimum=0, maximum=MAX_SCORE), True
                ),
            ),
        )

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        """Return explanation and claim: the statement, or that it is false."""
        if base_part(item.part) != _OPPOSE_TASK:
            return _explained_statement(item)
        claim = _NEGATION_PREFIX + item_statement(item)
        return {EXPLANATION_TOLD: item.material[EXPLANATION_MATERIAL], "The claim": claim}

    def truth(self, item: PromptSubject) -> dict[str, Json]:  # noqa: ARG002
        """Return nothing: the answers of people are frozen with the item, part by part."""
        return {}


NLI_HYPOTHESIS_TASK = "nli_hypothesis"


class OpposedHypothesis(Likelihood):
    """A score from 0 to 10 for the statement itself, by an explanation against it (SocialNLI, appendix C.8).

    The prompt of appendix C.8 names the inference as the hypothesis, whatever the explanation argues for.
    """

    key: ClassVar[str] = NLI_HYPOTHESIS_TASK
    name: ClassVar[str] = "Likelihood against an explanation"
    description: ClassVar[str] = "How likely a statement is by an explanation against it alone, from 0 to 10."

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        """Return explanation and statement."""
        return _explained_statement(item)


def _explained_statement(item: PromptSubject) -> dict[str, str]:
    return {EXPLANATION_TOLD: item.material[EXPLANATION_MATERIAL], STATEMENT_TOLD: item_statement(item)}


NLI_PLAUSIBILITY_TASK = "nli_plausibility"


class Plausibility(StatementPrompt):
    """From 0 to 100, asked outright, as people are (SocialNLI, section 3.4 and appendix B.1)."""

    key: ClassVar[str] = NLI_PLAUSIBILITY_TASK
    name: ClassVar[str] = "Plausibility of a statement"
    description: ClassVar[str] = "How likely a statement about a dialogue is true, from 0 to 100."
    prompt: ClassVar[str] = NLI_PLAUSIBILITY_TASK

    def spec(self, item: PromptSubject) -> FormSpec:
        """Return the slider of the scheme."""
        return FormSpec(NLI_PLAUSIBILITY_TASK, (AnswerField(item.scheme.field(PLAUSIBILITY), True),))

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        """Return the plausibility of the segment."""
        said = item.filled_values.get(PLAUSIBILITY)
        return {PLAUSIBILITY: said} if isinstance(said, int | float) else {}
