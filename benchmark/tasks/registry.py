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
        "pre": "benchmark.tasks.pre:Pre",
        "post": "benchmark.tasks.post:Post",
        "rationale": "benchmark.tasks.rationale:Rationale",
        "correction": "benchmark.tasks.correction:Correction",
        "nli_plausibility": "benchmark.tasks.nli_plausibility:Plausibility",
        "nli_support": "benchmark.tasks.nli_explanations:Support",
        "nli_oppose": "benchmark.tasks.nli_explanations:Oppose",
        "nli_likelihood": "benchmark.tasks.nli_likelihood:Likelihood",
        "nli_class": "benchmark.tasks.nli_class:StatementClass",
        "nli_fact": "benchmark.tasks.nli_fact:FactCheck",
    },
    Subject.QUESTION: {
        "answer": "benchmark.tasks.answer:Answer",
        "options_only": "benchmark.tasks.options_only:OptionsOnly",
        "review_score": "benchmark.tasks.scores:ReviewScore",
        "difficulty": "benchmark.tasks.scores:Difficulty",
        "truth": "benchmark.tasks.scores:Truth",
        "separability": "benchmark.tasks.scores:Separability",
        "relevance": "benchmark.tasks.scores:Relevance",
        "distractors": "benchmark.tasks.distractors:Distractors",
        "explanation_chain": "benchmark.tasks.explanation_chain:ExplanationChain",
    },
    Subject.CHAIN: {
        "word_question": "benchmark.tasks.word_question:WordQuestion",
    },
    Subject.RECORDING: {
        "words_summary": "benchmark.tasks.recordings:WordsSummary",
        "frames_summary": "benchmark.tasks.recordings:FramesSummary",
        "audit": "benchmark.tasks.recordings:Audit",
        "looks": "benchmark.tasks.recordings:LooksTask",
        "esi_question": "benchmark.tasks.esi_question:EsiQuestion",
        "nli_question": "benchmark.tasks.nli_generation:NuanceQuestion",
        "nli_inferences": "benchmark.tasks.nli_generation:Inferences",
        "act": "benchmark.tasks.act:ActTask",
        "episode_ratings": "benchmark.tasks.episode_ratings:EpisodeRatings",
    },
}
"""What is asked about -> the tasks that ask about it."""
OF_SETS = frozenset({"pre", "post", "rationale", "correction"})
"""Tasks about segments that only the items of a frozen set can be asked, since these bring the options."""
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
