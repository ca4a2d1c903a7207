"""A question that the rules ask for about a chain, worded."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.questions.base import BETWEEN, END, OPTIONS, START, Wanted, wanted_called
from benchmark.tasks.base import Item
from benchmark.tasks.form import FormSpec
from benchmark.tasks.worded import asked_question
from project.chains import ChainGraph
from project.judging import Modality, Subject
from project.questions import QuestionKind
from project.types import Json

KEY = "word_question"
_ASKS: Mapping[QuestionKind, str] = {
    QuestionKind.EVENT: "Ask what happens in the event below, at a time or beside something else that is to be seen. "
    "The answer tells that event.",
    QuestionKind.STATE: "Ask for the {aspect} below: whose it is and when. The answer tells that {aspect}.",
    QuestionKind.WHY: "Ask why the result below comes about. The answer tells every reason below, and no other.",
    QuestionKind.HOW: "Ask what comes of all the reasons below together, or how they matter. The answer tells the "
    "result below.",
}
_ASKS_OF_PATHS: Mapping[str, str] = {
    START: "Ask what, some steps before, set off the last thing below. The answer tells the first thing below.",
    END: "Ask what the first thing below leads to in the end, over some steps. The answer tells the last thing below.",
    BETWEEN: "Ask how the first thing below leads to the last one. The answer tells all that lies between, in order.",
}


class WordQuestion:
    """A question of a stated kind about a stated part of a chain, with answer and wrong options (R3-VQA, section 3.2).

    What it must be about follows from the rules alone (section 3.1); the judge only finds the words.
    """

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Word a question"
    description: ClassVar[str] = "A question about a part of a chain, its answer and its wrong options."
    prompt: ClassVar[str] = KEY
    subject: ClassVar[Subject] = Subject.CHAIN
    shows: ClassVar[Modality] = Modality.BOTH
    material: ClassVar[tuple[str, ...]] = ("chain",)

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: the rules ask for no such question."""
        if item.chain is None:
            return "This is asked about chains."
        if wanted_called(item.chain, item.part) is None:
            return "The rules ask for no question about this part of the chain."
        return ""

    def spec(self, item: Item) -> FormSpec:  # noqa: ARG002
        """Return question, answer and wrong options."""
        return FormSpec(KEY, asked_question(OPTIONS - 1))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return what is to be asked, the part that it covers, and the whole chain."""
        assert item.chain is not None
        wanted = wanted_called(item.chain, item.part)
        assert wanted is not None
        asks = _ASKS_OF_PATHS[wanted.aspect] if wanted.kind is QuestionKind.STEPS else _ASKS[wanted.kind]
        return {
            "What to ask": asks.format(aspect=wanted.aspect),
            **_covered(item.chain, wanted),
            "The whole chain": item.material.get("chain", ""),
        }

    def truth(self, item: Item) -> dict[str, Json]:  # noqa: ARG002
        """Return nothing: many wordings are right."""
        return {}


def _covered(graph: ChainGraph, wanted: Wanted) -> dict[str, str]:
    """Return the nodes that a question covers, by the part that they play, with their numbers in the whole chain."""
    number = {one.id: at for at, one in enumerate(graph.nodes, 1)}
    nodes = [graph.by_id[one] for one in wanted.covers]
    told = [f"{number[one.id]}. {one.kind.value}: {' '.join(one.text.split())}" for one in nodes]
    if wanted.kind in (QuestionKind.WHY, QuestionKind.HOW):
        return {"Result": told[0], "Reasons" if len(told) > 2 else "Reason": "\n".join(told[1:])}
    if wanted.kind is QuestionKind.STEPS:
        return {"First": told[0], "Between": "\n".join(told[1:-1]), "Last": told[-1]}
    return {"Covered": told[0]}
