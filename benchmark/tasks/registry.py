"""Which tasks there are. A new one is a file here, a prompt in `resources/prompts`, and a line in the table."""

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from benchmark.tasks.base import Task
from project.errors import UserError
from project.judging import Subject

BY_SUBJECT: Mapping[Subject, Mapping[str, str]] = {
    Subject.SEGMENT: {
        "assess": "benchmark.tasks.assess:Assess",
        "verdict": "benchmark.tasks.verdict:Verdict",
        "error": "benchmark.tasks.error:ErrorTask",
        "attributes": "benchmark.tasks.attributes:Attributes",
        "multiple": "benchmark.tasks.multiple:Multiple",
        "ratings": "benchmark.tasks.ratings:Ratings",
    },
    Subject.QUESTION: {
        "answer": "benchmark.tasks.answer:Answer",
    },
    Subject.CHAIN: {},
    Subject.RECORDING: {},
}
"""What is asked about -> the tasks that ask about it."""
TASKS = {key: place for tasks in BY_SUBJECT.values() for key, place in tasks.items()}
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
