"""Tasks of SocialNLI: making statements about a dialogue, reasons for and against them, and their plausibility.

Statements are frozen from segments of the scheme `socialnli`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmark.prompts.answer_form import LABEL_KEY, AnswerField, FormSpec
from benchmark.prompts.judge_prompt import MAX_QUESTION_CHARS, QUESTION_KEY, JudgePrompt, PromptSubject, text_field
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


class StatementPrompt(JudgePrompt):
    """Base of tasks about statements."""

    def inapplicable_reason(self, item: PromptSubject) -> str:
        return (
            ""
            if item_statement(item)
            else "This is asked about the statements of a frozen set. Make one of the task socialnli."
        )

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        return {STATEMENT_TOLD: item_statement(item)}


@dataclass(frozen=True)
class ExplanationPrompt(StatementPrompt):
    """One sentence that takes a side, whether it is true or not (SocialNLI, section 4.1); `about` defines it."""

    key: str
    name: str
    description: str
    about: str

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        return self.form(text_field(EXPLANATION, "Reason", LONGEST_EXPLANATION, self.about))


SUPPORT = ExplanationPrompt(
    "nli_support",
    "Reason for a statement",
    "The strongest reason in a dialogue to hold a statement true.",
    "What in the dialogue speaks most for the statement, or that nothing does.",
)
"""SocialNLI, appendix C.6."""
OPPOSE = ExplanationPrompt(
    "nli_oppose",
    "Reason against a statement",
    "The strongest reason in a dialogue to hold a statement false.",
    "What in the dialogue speaks most against the statement, or that nothing does.",
)
"""SocialNLI, appendix C.7."""


def item_statement(item: PromptSubject) -> str:
    """Return the statement of an item, rewritten for the request; "" for none."""
    return item.frozen.facts.get(STATEMENT, "") if item.frozen is not None and item.scheme.key == SCHEME else ""


NLI_CLASS_TASK = "nli_class"


class StatementClassPrompt(StatementPrompt):
    """One of the scheme's labels: reality, belief or emotion (SocialNLI, appendices A.2 and C.9)."""

    key = NLI_CLASS_TASK
    name = "Class of a statement"
    description = "Whether a statement is about reality, a belief or an emotion."

    def spec(self, item: PromptSubject) -> FormSpec:
        return self.form(label_answer_field(item))

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        return {LABEL_KEY: item.label} if item.label else {}


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


class FactCheckPrompt(StatementPrompt):
    """Yes or no about one explanation, whoever wrote it (SocialNLI, section 4.3)."""

    key = NLI_FACT_TASK
    name = "Fact-check of an explanation"
    description = "Whether an explanation of a statement is accurate."

    def inapplicable_reason(self, item: PromptSubject) -> str:
        return super().inapplicable_reason(item) or (
            "" if _item_explanation(item) else "There is no explanation to check."
        )

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        return self.form(AnswerField(Field(ACCURATE_KEY, FieldKind.CHOICE, "Accuracy", "", _CHOICES), True))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        """Return statement and explanation, without who wrote it."""
        told = {STATEMENT_TOLD: item_statement(item), EXPLANATION_TOLD: _item_explanation(item)}
        stance = item.frozen.facts.get(STANCE_KEY, "") if item.frozen else ""
        return {**told, **({STANCE_TOLD: stance} if stance else {})}


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


class NuanceQuestionPrompt(RecordingPrompt):
    """A question that only somebody can answer who sees what is meant behind the words (SocialNLI, appendix C.3)."""

    key = "nli_question"
    name = "Question about what is meant"
    description = "An open question about irony, hints or feelings behind the words of a dialogue."
    modality = Modality.TEXT

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        about = "One open question, whose answer is not said in so many words."
        return self.form(text_field(QUESTION_KEY, "Question", MAX_QUESTION_CHARS, about))


class InferencesPrompt(RecordingPrompt):
    """Five statements about a dialogue that help to answer a question (SocialNLI, section 3.2, appendices C.4 and C.5).

    With the variant `cot` the judge thinks first, with `plain` it does not: the two strengths of the paper's prompts.
    """

    key = "nli_inferences"
    name = "Inferences"
    description = "Five statements about a dialogue that help to answer a question, each with its class."
    modality = Modality.TEXT
    material = (QUESTION_MATERIAL,)

    def inapplicable_reason(self, item: PromptSubject) -> str:
        return "" if item.material.get(QUESTION_MATERIAL) else "There is no question to make inferences for."

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        asked: list[AnswerField] = []
        for number in range(1, INFERENCES_PER_ANSWER + 1):
            about = "One short sentence that is true or false of the dialogue."
            asked += [
                text_field(statement_key(number), f"Inference {number}", LONGEST_STATEMENT, about),
                AnswerField(Field(class_key(number), FieldKind.CHOICE, f"Class {number}", "", STATEMENT_CLASSES), True),
            ]
        return self.form(*asked)

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
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


class LikelihoodPrompt(StatementPrompt):
    """A score from 0 to 10 for what an explanation argues for, by that explanation alone (SocialNLI, appendix C.8).

    For an explanation against a statement it is the likelihood that the statement is false (section 4.1). The judge is
    shown nothing of the dialogue.
    """

    key = NLI_LIKELIHOOD_TASK
    name = "Likelihood by an explanation"
    description = "How likely a claim is by an explanation alone, from 0 to 10."
    modality = Modality.NOTHING
    material = (EXPLANATION_MATERIAL,)

    def inapplicable_reason(self, item: PromptSubject) -> str:
        return super().inapplicable_reason(item) or (
            "" if item.material.get(EXPLANATION_MATERIAL) else "There is no explanation to go by."
        )

    def spec(self, item: PromptSubject) -> FormSpec:  # noqa: ARG002
        meanings = " ".join(f"{number}: {_LEVELS[number]}." for number in range(MAX_SCORE, -1, -1))
        scale = Field(SCORE_KEY, FieldKind.SCALE, "Likelihood", meanings, minimum=0, maximum=MAX_SCORE)
        return FormSpec(NLI_LIKELIHOOD_TASK, (AnswerField(scale, True),))

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        if base_part(item.part) != _OPPOSE_TASK:
            return _explained_statement(item)
        claim = _NEGATION_PREFIX + item_statement(item)
        return {EXPLANATION_TOLD: item.material[EXPLANATION_MATERIAL], "The claim": claim}


NLI_HYPOTHESIS_TASK = "nli_hypothesis"


class OpposedHypothesisPrompt(LikelihoodPrompt):
    """A score from 0 to 10 for the statement itself, by an explanation against it (SocialNLI, appendix C.8).

    The prompt of appendix C.8 names the inference as the hypothesis, whatever the explanation argues for.
    """

    key = NLI_HYPOTHESIS_TASK
    prompt = NLI_LIKELIHOOD_TASK
    name = "Likelihood against an explanation"
    description = "How likely a statement is by an explanation against it alone, from 0 to 10."

    def item_texts(self, item: PromptSubject) -> Mapping[str, str]:
        return _explained_statement(item)


def _explained_statement(item: PromptSubject) -> dict[str, str]:
    return {EXPLANATION_TOLD: item.material[EXPLANATION_MATERIAL], STATEMENT_TOLD: item_statement(item)}


NLI_PLAUSIBILITY_TASK = "nli_plausibility"


class PlausibilityPrompt(StatementPrompt):
    """From 0 to 100, asked outright, as people are (SocialNLI, section 3.4 and appendix B.1)."""

    key = NLI_PLAUSIBILITY_TASK
    name = "Plausibility of a statement"
    description = "How likely a statement about a dialogue is true, from 0 to 100."

    def spec(self, item: PromptSubject) -> FormSpec:
        return self.form(AnswerField(item.scheme.field(PLAUSIBILITY), True))

    def truth(self, item: PromptSubject) -> dict[str, Json]:
        said = item.filled_values.get(PLAUSIBILITY)
        return {PLAUSIBILITY: said} if isinstance(said, int | float) else {}
