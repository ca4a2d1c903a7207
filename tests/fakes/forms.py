"""The form of the answer to a task, for tests of what reads answers."""

from benchmark.tasks.answer_form import answer_form
from benchmark.tasks.base import Item
from benchmark.tasks.registry import task_of
from models.judges.base import AnswerForm


def form_of(key: str, item: Item) -> AnswerForm:
    """Return how an answer to a task about an item has to look."""
    task = task_of(key)
    assert task.why_not(item) == ""
    return answer_form(task.spec(item))
