"""The form of the answer to a task, for tests of what reads answers."""

from benchmark.prompts.answer_form import answer_form
from benchmark.prompts.judge_prompt import TASKS, PromptSubject
from models.judges.judge_interface import AnswerForm


def form_of(key: str, item: PromptSubject) -> AnswerForm:
    """Return how an answer to a task about an item has to look."""
    task = TASKS.make(key)
    assert task.inapplicable_reason(item) == ""
    return answer_form(task.spec(item))
