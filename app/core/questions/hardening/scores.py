"""What each judge says about a question at one step, as a value that can be held against a limit."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from app.core.questions.hardening.reading import Asked, Reading
from app.core.questions.hardening.steps import DISTRACTORS, DUPLICATES, OPTIONS_ONLY, REVIEW, Step
from models.judges.options import ModelOptions
from models.judges.registry import backend_of
from project.errors import UserError
from project.judging import JudgmentStatus, Modality
from project.queries.question_scores import Given
from project.questions import LETTERS, Question
from project.types import Json

_PLAIN = "plain"
_MOST_FIRST = [one.value for one in (Modality.BOTH, Modality.PICTURES, Modality.WORDS, Modality.NOTHING)]


@dataclass(frozen=True, slots=True)
class Score:
    """What one judge says.

    Attributes:
        judge: its name when it answered.
        value: None where what it said cannot be counted; `text` says why then.
        text: for people, such as `2`, `right in 1 of 1`, `refused`.
    """

    judge_id: str
    judge: str
    value: float | None
    text: str


def scores_of(reading: Reading, step: Step, question: Question) -> list[Score]:
    """Return what each judge says about a question as it is now, by name; nothing for a step without judges.

    The newest answer of a judge counts. A judge that made the question is not its own second judge, so it is left out
    of reciprocal scoring.
    """
    if step.key in (DUPLICATES, DISTRACTORS):
        return []
    by_judge: dict[str, list[Given]] = {}
    for one in reading.said.get((question.id, step.task), ()):
        by_judge.setdefault(one.judge_id, []).append(one)
    found = []
    for said in by_judge.values():
        judge = reading.judge(said[0].judge_id, said[0].judge)
        if step.key == REVIEW and reading.why_not_by(question, judge):
            continue
        score = _scored(step, judge, said[0]) if step.scored else _repeated(reading, step, question, said)
        if score is not None:
            found.append(score)
    return sorted(found, key=lambda one: (one.judge, one.judge_id))


def runs_answered(reading: Reading, step: Step, question: Question, judge_id: str) -> dict[int, JudgmentStatus]:
    """Return seed -> what came of it, of the runs of a step that a judge was asked in about a question as it is now.

    A run that was answered, but with nothing that the step can use, counts as unparsed.
    """
    said = [one for one in reading.said.get((question.id, step.task), ()) if one.judge_id == judge_id]
    if step.scored or step.key == DISTRACTORS:
        return {0: _status(step, question, said[0])} if said else {}
    newest = _newest(_series(reading, step, said))
    return {seed: _status(step, question, one) for seed, one in newest.items()}


def _scored(step: Step, judge: Asked, one: Given) -> Score:
    value = _number(step, answer_of(one)) if one.status is JudgmentStatus.OK else None
    text = _failure(one.status) if value is None else str(value)
    return Score(judge.id, judge.name, value, text)


def _repeated(reading: Reading, step: Step, question: Question, said: Sequence[Given]) -> Score | None:
    series = _series(reading, step, said)
    if not series:
        return None
    judge = reading.judge(series[0].judge_id, series[0].judge)
    newest, wanted = _newest(series), range(reading.rules[step.key].runs)
    runs = [newest[seed] for seed in wanted if seed in newest]
    letters = [_letter(question, one) for one in runs]
    for one, letter in zip(runs, letters, strict=True):
        if not letter:
            return Score(judge.id, judge.name, None, _failure(one.status))
    if len(runs) < len(wanted):
        return Score(judge.id, judge.name, None, f"{len(runs)} of {len(wanted)} runs answered")
    if step.key == OPTIONS_ONLY:
        right = letters.count(question.letter)
        return Score(judge.id, judge.name, 100 * right / len(runs), f"right in {right} of {len(runs)}")
    same = len({*letters}) == 1
    return Score(judge.id, judge.name, float(same), " ".join(letters))


def _series(reading: Reading, step: Step, said: Sequence[Given]) -> list[Given]:
    """Return the answers that belong together: of one judge as it was set, shown the same; newest first.

    Of several series, one in which more was shown counts, and then the newest.
    """
    groups: dict[tuple[str, str, str], list[Given]] = {}
    for one in said:
        judge = reading.judge(one.judge_id, one.judge)
        if one.variant == _PLAIN and _at_temperature(step, judge):
            groups.setdefault((one.judge, one.condition, one.modality), []).append(one)
    if not groups:
        return []
    shown = {modality for _, _, modality in groups}
    most = next(one for one in _MOST_FIRST if one in shown)
    return next(each for key, each in groups.items() if key[2] == most)


def _newest(series: Sequence[Given]) -> dict[int, Given]:
    found: dict[int, Given] = {}
    for one in series:
        found.setdefault(one.seed, one)
    return found


def _at_temperature(step: Step, judge: Asked) -> bool:
    """Tell whether a judge answered as warm as the step asks; one that knows no temperature always did."""
    if step.temperature is None or not has_temperature(judge.backend):
        return True
    return judge.settings.get("temperature") == step.temperature


@cache
def has_temperature(backend: str) -> bool:
    """Tell whether judges of a backend are set to a temperature; one that nobody knows is taken for such."""
    try:
        return issubclass(backend_of(backend).options_type, ModelOptions)
    except UserError:
        return backend != "person"


def answer_of(one: Given) -> Mapping[str, Json]:
    """Return an answer; {} where it is none."""
    try:
        found = json.loads(one.answer)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _status(step: Step, question: Question, one: Given) -> JudgmentStatus:
    if one.status is not JudgmentStatus.OK or step.key == DISTRACTORS:
        return one.status
    usable = _number(step, answer_of(one)) is not None if step.scored else bool(_letter(question, one))
    return one.status if usable else JudgmentStatus.UNPARSED


def _number(step: Step, answer: Mapping[str, Json]) -> int | None:
    value = answer.get(step.field)
    if not isinstance(value, int) or isinstance(value, bool) or not step.low <= value <= step.high:
        return None
    return value


def _letter(question: Question, one: Given) -> str:
    """Return the letter that was answered; "" where it is none of the question's."""
    found = answer_of(one).get("answer") if one.status is JudgmentStatus.OK else None
    return found if isinstance(found, str) and found in LETTERS[: len(question.wrong) + 1] and len(found) == 1 else ""


def _failure(status: JudgmentStatus) -> str:
    return "refused" if status is JudgmentStatus.REFUSED else "could not be read"
