"""A question that the rules ask for about a chain, worded."""

from collections.abc import Mapping
from graphlib import CycleError
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
_ASKS: Mapping[QuestionKind, tuple[str, str]] = {
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
_ASKS_OF_PATHS: Mapping[str, tuple[str, str]] = {
    START: ("It asks what, some steps before, set off the last thing.", "It tells the first thing."),
    END: ("It asks what the first thing leads to in the end, over some steps.", "It tells the last thing."),
    BETWEEN: ("It asks how the first thing leads to the last one.", "It tells all that lies between, in order."),
}
"""Kind, or part of a path -> what the question asks, and what its answer tells."""


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
        if _wanted(item) is None:
            return "The rules ask for no question about this part of the chain."
        return ""

    def spec(self, item: Item) -> FormSpec:
        """Return question, answer and wrong options."""
        wanted = _wanted(item)
        assert wanted is not None
        told = _ASKS_OF_PATHS[wanted.aspect] if wanted.kind is QuestionKind.STEPS else _ASKS[wanted.kind]
        question, answer = (one.format(aspect=wanted.aspect) for one in told)
        return FormSpec(KEY, asked_question(OPTIONS - 1, question, answer))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return the part that is covered, and the whole chain."""
        wanted = _wanted(item)
        assert item.chain is not None
        assert wanted is not None
        return {**_covered(item.chain, wanted), "The whole chain": item.material.get("chain", "")}

    def truth(self, item: Item) -> dict[str, Json]:  # noqa: ARG002
        """Return nothing: many wordings are right."""
        return {}


def _wanted(item: Item) -> Wanted | None:
    """Return what the rules ask for about the item's part; None for nothing, also where the chain is no chain."""
    try:
        return wanted_called(item.chain, item.part) if item.chain is not None else None
    except CycleError:
        return None


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
