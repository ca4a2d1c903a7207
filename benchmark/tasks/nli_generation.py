"""Questions about what is meant but not said in a dialogue, and inferences that help to answer one."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item
from benchmark.tasks.form import Asked, FormSpec
from benchmark.tasks.nli import LONGEST_STATEMENT
from benchmark.tasks.recordings import OfRecordings
from benchmark.tasks.worded import LONGEST_QUESTION, QUESTION_KEY, asked_text
from project.judging import Modality
from project.schemes.scheme import Choice, Field, FieldKind

EACH = 5
"""Inferences of one answer; two strengths of prompt make ten a question (SocialNLI, section 3.2)."""
ASKED_BEFORE = "nli question"
"""Key of the material: the question that inferences are about."""
CLASSES = (
    Choice("reality", "Reality", "How something is or was in the world of the dialogue."),
    Choice("belief", "Belief", "What somebody thinks, knows or expects."),
    Choice("emotion", "Emotion", "What somebody feels."),
)


def statement_key(number: int) -> str:
    """Return the key of an inference, from 1."""
    return f"inference_{number}"


def class_key(number: int) -> str:
    """Return the key of the class of an inference, from 1."""
    return f"class_{number}"


class NuanceQuestion(OfRecordings):
    """A question that only somebody can answer who sees what is meant behind the words (SocialNLI, appendix C.3)."""

    key: ClassVar[str] = "nli_question"
    name: ClassVar[str] = "Question about what is meant"
    description: ClassVar[str] = "An open question about irony, hints or feelings behind the words of a dialogue."
    prompt: ClassVar[str] = "nli_question"
    shows: ClassVar[Modality] = Modality.WORDS

    def spec(self, item: Item) -> FormSpec:  # noqa: ARG002
        """Return one question."""
        about = "One open question, whose answer is not said in so many words."
        return FormSpec(self.key, (asked_text(QUESTION_KEY, "Question", LONGEST_QUESTION, about),))


class Inferences(OfRecordings):
    """Five statements about a dialogue that help to answer a question (SocialNLI, section 3.2, appendices C.4 and C.5).

    With the variant `cot` the judge thinks first, with `plain` it does not: the two strengths of the paper's prompts.
    """

    key: ClassVar[str] = "nli_inferences"
    name: ClassVar[str] = "Inferences"
    description: ClassVar[str] = "Five statements about a dialogue that help to answer a question, each with its class."
    prompt: ClassVar[str] = "nli_inferences"
    shows: ClassVar[Modality] = Modality.WORDS
    material: ClassVar[tuple[str, ...]] = (ASKED_BEFORE,)

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: there is no question."""
        return "" if item.material.get(ASKED_BEFORE) else "There is no question to make inferences for."

    def spec(self, item: Item) -> FormSpec:  # noqa: ARG002
        """Return five statements, each with its class."""
        asked: list[Asked] = []
        for number in range(1, EACH + 1):
            about = "One short sentence that is true or false of the dialogue."
            asked += [
                asked_text(statement_key(number), f"Inference {number}", LONGEST_STATEMENT, about),
                Asked(Field(class_key(number), FieldKind.CHOICE, f"Class {number}", "", CLASSES), True),
            ]
        return FormSpec(self.key, tuple(asked))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return the question."""
        return {"Question": item.material[ASKED_BEFORE]}
