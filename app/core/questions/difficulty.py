"""How difficult a question is, by people and by a model together."""

from collections.abc import Collection, Iterable

from app.core.questions.hardening.reading import read
from app.core.questions.hardening.scores import scores_of
from app.core.questions.hardening.steps import step_called
from app.core.questions.verifying import counting
from app.core.session import Session
from project.queries.questions import verifications
from project.questions import DIFFICULTIES, Verification

_STEP = "difficulty"

_LABEL_OF_SCORE = {0: "easy", 1: "easy", 2: "intermediate", 3: "hard"}


def difficulty(said: Iterable[Verification], scores: Collection[float] = ()) -> str:
    """Return the label that people and a model give a question together; "" where nobody gave one.

    ESI-Bench (appendix A.1.6) integrates the label of people with that of the model at the filter, and does not say
    how. Here each side is its middle label, between two the easier one, and the two sides meet half way, nearer to
    that of the people where there is no middle.

    Args:
        said: what counts of what people said about the question.
        scores: of the task `difficulty`, from 0 to 3, one for each model that was asked.
    """
    people = _middle(DIFFICULTIES.index(one.difficulty) for one in said if one.difficulty in DIFFICULTIES)
    model = _middle(DIFFICULTIES.index(label_of(one)) for one in scores)
    if people is None or model is None:
        only = model if people is None else people
        return "" if only is None else DIFFICULTIES[only]
    half = (people + model) / 2
    return DIFFICULTIES[int(half if people < half else -(-half // 1))]


def label_of(score: float) -> str:
    """Return the label that a score from 0 to 3 stands for."""
    return _LABEL_OF_SCORE[min(max(round(score), 0), max(_LABEL_OF_SCORE))]


def difficulties(session: Session) -> dict[str, str]:
    """Return question id -> its label by people and models together, for the questions that have one.

    Raises:
        UserError: the study is damaged.
    """
    reading, said, step = read(session), verifications(session.study), step_called(_STEP)
    found = {}
    for question in reading.questions.values():
        scores = [one.value for one in scores_of(reading, step, question) if one.value is not None]
        found[question.id] = difficulty(counting(question, said.get(question.id, ())), scores)
    return {key: label for key, label in found.items() if label}


def _middle(places: Iterable[int]) -> int | None:
    found = sorted(places)
    return found[(len(found) - 1) // 2] if found else None
