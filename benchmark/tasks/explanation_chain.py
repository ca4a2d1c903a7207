"""An explanation in prose as a causal chain, line by line."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item
from benchmark.tasks.form import FormSpec
from benchmark.tasks.options import ANSWER, QUESTION, OfQuestions
from benchmark.tasks.worded import asked_text
from project.chains import NodeKind

KEY = "explanation_chain"
CHAIN = "chain"
"""Key of the lines in an answer."""
LONGEST = 3_000
_LINES = (
    "One line for each event or mental state, of six parts between upright bars: its number, counted from 1; one of "
    f"{', '.join(one.value for one in NodeKind)}; whose it is, as they are called here, with commas between several, "
    "empty where it is nobody's; from when to when, in seconds from the start, such as 3.5-8; what happens, or what is "
    "believed, intended, wanted or felt; and the numbers of its reasons with commas between, empty where it has none."
)


class ExplanationChain(OfQuestions):
    """The chain that the explanation of a question stands for (R3-VQA, section 3.2, annotation of causal chains).

    Experts may turn what a participant explained into a chain; here a judge makes the draft, and a person corrects it.
    """

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Chain of an explanation"
    description: ClassVar[str] = "The draft of a causal chain from the explanation of a question."
    prompt: ClassVar[str] = KEY

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: there is no question, or it has no explanation."""
        if item.question is None:
            return "This is asked about questions."
        return "" if item.question.explanation.strip() else "This question has no explanation. Write one first."

    def spec(self, item: Item) -> FormSpec:  # noqa: ARG002
        """Return lines."""
        return FormSpec(KEY, (asked_text(CHAIN, "Lines of the chain", LONGEST, _LINES),))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return question, answer and explanation."""
        assert item.question is not None
        return {
            QUESTION: item.question.text,
            ANSWER: item.question.answer,
            "Explanation": item.question.explanation,
        }
