"""Which tasks there are. A new one is a file here, a prompt in `resources/prompts`, and a line in the table."""

from importlib import import_module
from typing import cast

from benchmark.tasks.base import Item, Task
from models.judges.base import AnswerForm
from project.errors import UserError

TASKS = {
    "assess": "benchmark.tasks.assess:Assess",
    "verdict": "benchmark.tasks.verdict:Verdict",
    "error": "benchmark.tasks.error:ErrorTask",
    "attributes": "benchmark.tasks.attributes:Attributes",
    "multiple": "benchmark.tasks.multiple:Multiple",
    "ratings": "benchmark.tasks.ratings:Ratings",
}
DEFAULT = "assess"
"""The whole form, as the window asks it."""


def task_of(key: str) -> Task:
    """Return a task.

    Raises:
        UserError: there is none of that key.
    """
    if key not in TASKS:
        raise UserError(f"There is no task “{key}”.", f"Choose one of {', '.join(TASKS)}.")
    module, _, attribute = TASKS[key].partition(":")
    return cast(Task, getattr(import_module(module), attribute)())


def form_of(key: str, item: Item, *, thinks: bool = False) -> AnswerForm:
    """Return how an answer to a task about an item has to look; `thinks` puts thoughts before it.

    Raises:
        UserError: there is no such task, or it cannot be asked about the item.
    """
    from benchmark.tasks.answer_form import answer_form

    task = task_of(key)
    reason = task.why_not(item)
    if reason:
        raise UserError(reason, "Ask another task.")
    return answer_form(task.spec(item), thinks=thinks)
