"""The form of the answer to a task, for tests of what reads answers."""

from benchmark.prompts.answer_form import answer_form
from benchmark.prompts.judge_prompt import PromptSubject, task_of
from models.judges.judge_interface import AnswerForm


def form_of(key: str, item: PromptSubject) -> AnswerForm:
    """Return how an answer to a task about an item has to look."""
    task = task_of(key)
    assert task.why_not(item) == ""
    return answer_form(task.spec(item))
