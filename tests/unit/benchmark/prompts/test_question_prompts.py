"""Questions that judges are to word: what each kind is told to ask."""

from dataclasses import replace

import pytest

from benchmark.prompts.answer_form import field_definitions
from benchmark.prompts.judge_prompt import TASKS
from benchmark.questions.question_validity import SINGLE_STEP, required_questions
from project.entities.causal_chains import ChainGraph, Edge
from project.entities.questions import QuestionKind
from tests.builders.task_items import chain_items, graph, question, question_items

TASK = TASKS.make("word_question")


def told(part: str) -> tuple[str, dict[str, str]]:
    item = next(chain_item for chain_item in chain_items() if chain_item.part == part)
    return field_definitions(TASK.spec(item)), dict(TASK.item_texts(item))


@pytest.mark.parametrize(
    ("part", "asks", "answers"),
    [
        ("EU:n1", "asks what happens in the covered event", "It tells the covered event."),
        ("MSE:n2", "asks for the covered emotion of whoever has it", "It tells the covered emotion."),
        ("CW:n3", "asks why the result comes about", "It tells every reason"),
        ("CH/W:n3", "asks what comes of all the reasons", "It tells the result."),
        ("multi-step:start:n1>n2>n3>n4", "set off the last thing", "It tells the first thing."),
        ("multi-step:end:n1>n2>n3>n4", "leads to in the end", "It tells the last thing."),
        ("multi-step:between:n1>n2>n3>n4", "leads to the last one", "It tells all that lies between"),
    ],
)
def test_each_kind_is_told_what_to_ask_and_what_to_answer(part: str, asks: str, answers: str) -> None:
    definitions, _ = told(part)
    assert asks in definitions
    assert answers in definitions


def test_what_is_covered_is_told_by_the_part_that_it_plays() -> None:
    assert told("EU:n1")[1]["Covered"] == "1. event: The agent asks."
    why = told("CW:n3")[1]
    assert (why["Result"], why["Reason"]) == ("3. intent: The user wants to go on.", "2. emotion: The user is glad.")
    path = told("multi-step:between:n1>n2>n3>n4")[1]
    assert path["Between"].splitlines() == ["2. emotion: The user is glad.", "3. intent: The user wants to go on."]


def test_a_chain_that_goes_round_in_a_circle_is_not_asked_about() -> None:
    line = graph()
    item = next(chain_items())
    around = ChainGraph(line.chain, line.nodes, (*line.edges, Edge("n4", "n1")))
    for required_question in required_questions(line, (*SINGLE_STEP, QuestionKind.STEPS)):
        reason = TASK.inapplicable_reason(replace(item, chain=around, part=required_question.part))
        assert bool(reason) == (required_question.kind is QuestionKind.STEPS)


def test_a_question_has_as_many_wrong_options_as_are_asked_for_and_none_twice() -> None:
    task = TASKS.make("distractors")
    items = [*question_items()]
    for item in items:
        keys = [each.field.key for each in task.spec(item).fields]
        numbers = range(1, len(item.question.wrong) + 1)
        assert keys == [key for at in numbers for key in (f"wrong_{at}", f"plausibility_{at}")]
    item = items[0]
    for wrong, says in ((0, "0 wrong options"), (8, "8 wrong options")):
        assert says in TASKS.make("answer").inapplicable_reason(replace(item, question=question(wrong)))
    twice = question(answer="because of THING  1.")
    assert "are the same" in TASKS.make("answer").inapplicable_reason(replace(item, question=twice))
