"""Computes what becomes of a question at each step of the filter: near-duplicates, scores of judges, and verdicts.

The input is read in the study's thread; outcomes can be computed in any thread.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property

import numpy as np

from benchmark.questions.filter_rules import (
    DISTRACTORS,
    DUPLICATES,
    OPTIONS_ONLY,
    REVIEW,
    STABILITY,
    STEPS,
    FilterRule,
    FilterStep,
    LimitSide,
    ScoreCombination,
    read_rules,
)
from models.judges.judge_backends import load_backend
from models.judges.judge_interface import ModelOptions
from project.entities.judgments import JudgmentStatus, Modality
from project.entities.questions import LETTERS, Maker, Question
from project.entities.study_records import Json
from project.errors import UserError
from project.queries.question_rows import (
    QuestionJudgment,
    judges_of_wordings,
    judgment_rows_about,
    parse_question_judgments,
    parse_questions,
    question_judgment_rows,
    question_rows,
)
from project.session.session import Session

_NUMBER = re.compile(r"\d+(?:[.:,]\d+)*")
_WORD = re.compile(r"\w+")
_BLOCK = 256
"""Questions that are compared with all earlier ones at a time, to keep the similarity matrix small."""


def most_similar_earlier(questions: Sequence[Question]) -> dict[str, tuple[int, str]]:
    """Return question -> (similarity in percent, id) of the most similar earlier question about the same recording.

    The similarity is the smaller one of questions and answers, each by `rapidfuzz.fuzz.token_sort_ratio`, rounded down.
    Questions with different numbers, such as times, are not compared. The order is by creation time, then id. Questions
    without any similar one are left out.
    """
    groups: dict[tuple[str, ...], list[Question]] = {}
    for question in sorted(questions, key=lambda question: (question.at, question.id)):
        numbers = sorted(_NUMBER.findall(f"{question.text}\n{question.answer}"))
        groups.setdefault((question.recording_id, *numbers), []).append(question)
    found: dict[str, tuple[int, str]] = {}
    for group in groups.values():
        _compare_group(group, found)
    return found


def _compare_group(group: Sequence[Question], found: dict[str, tuple[int, str]]) -> None:
    from rapidfuzz import fuzz, process

    sides = [[_normalized_words(getattr(question, side)) for question in group] for side in ("text", "answer")]
    for first in range(1, len(group), _BLOCK):
        last = min(len(group), first + _BLOCK)
        smaller = np.minimum(
            *(process.cdist(texts[first:last], texts[:last], scorer=fuzz.token_sort_ratio) for texts in sides)
        )
        for row, at in enumerate(range(first, last)):
            best = int(smaller[row, :at].argmax())
            if (value := int(smaller[row, best])) > 0:
                found[group[at].id] = (value, group[best].id)


def _normalized_words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


_TASKS = tuple(dict.fromkeys(filter_step.task for filter_step in STEPS.values() if filter_step.key != DUPLICATES))


@dataclass(frozen=True, slots=True)
class JudgeSnapshot:
    """A judge as it was when it answered.

    Attributes:
        model: its model, independent of its name; "" if it is no model.
    """

    id: str
    name: str
    backend: str
    model: str
    settings: Mapping[str, Json]


class FunnelInput:
    """Questions of a study with the judgments about them.

    Attributes:
        questions: by id, in the order in which they were made.
        rules: of the study, by step.
        outcomes: (step, question) -> outcome, a cache of `question_outcome`.
    """

    def __init__(
        self,
        questions: Sequence[Question],
        given: Sequence[QuestionJudgment],
        makers: Mapping[str, tuple[str, str]],
        rules: Mapping[str, FilterRule],
    ) -> None:
        self.questions = {question.id: question for question in questions}
        self.rules = dict(rules)
        self.outcomes: dict[tuple[str, str], FilterOutcome] = {}
        self._newest_first = sorted(given, key=lambda judgment: (judgment.at, judgment.id), reverse=True)
        self._makers = makers
        self._judges: dict[tuple[str, str], JudgeSnapshot] = {}

    @cached_property
    def similarity(self) -> dict[str, tuple[int, str]]:
        """`most_similar_earlier` of all questions."""
        return most_similar_earlier([*self.questions.values()])

    @cached_property
    def states(self) -> dict[str, str]:
        return {key: question.checksum for key, question in self.questions.items()}

    @cached_property
    def judgments(self) -> dict[tuple[str, str], list[QuestionJudgment]]:
        """(question, task) -> judgments about the present form, newest first, without errors."""
        found: dict[tuple[str, str], list[QuestionJudgment]] = {}
        for judgment in self._newest_first:
            if judgment.state == self.states.get(judgment.question_id) and judgment.status is not JudgmentStatus.ERROR:
                found.setdefault((judgment.question_id, judgment.task), []).append(judgment)
        return found

    def all_judgments(self, task: str) -> dict[str, list[QuestionJudgment]]:
        """Return question -> answers to a task about it, also about earlier forms, newest first."""
        found: dict[str, list[QuestionJudgment]] = {}
        for judgment in self._newest_first:
            if judgment.task == task and judgment.status is JudgmentStatus.OK and judgment.question_id in self.states:
                found.setdefault(judgment.question_id, []).append(judgment)
        return found

    def judge_snapshot(self, judge_id: str, entry: str) -> JudgeSnapshot:
        """Return a judge as it was when it answered; `entry` is its JSON."""
        key = (judge_id, entry)
        if key not in self._judges:
            self._judges[key] = read_judge_snapshot(judge_id, entry)
        return self._judges[key]

    def maker_judge(self, question: Question) -> JudgeSnapshot | None:
        """Return the judge that worded a question; None if it was a person or rules, or is unknown."""
        known = self._makers.get(question.judgment_id)
        return None if known is None else self.judge_snapshot(*known)

    def review_exclusion(self, question: Question, judge: JudgeSnapshot) -> str:
        """Return why a judge cannot score a question as its second judge, in one sentence; "" if it can."""
        if question.maker is not Maker.JUDGE and not question.judgment_id:
            return ""
        maker = self.maker_judge(question)
        if maker is None:
            return "Which judge made it is not known, so no other can be its second judge."
        if judge.id == maker.id:
            return f"{judge.name} made it: another judge has to score it."
        if judge.model and judge.model == maker.model:
            return f"{judge.name} is the model that made it: another one has to score it."
        return ""


def read_judge_snapshot(judge_id: str, entry: str) -> JudgeSnapshot:
    """Read the JSON of a judge's entry; unreadable JSON gives a judge without a name."""
    values = parse_object(entry)
    settings = values.get("settings")
    model = str(values.get("model") or "").strip().casefold()
    name, backend = str(values.get("name") or "A judge"), str(values.get("backend") or "")
    return JudgeSnapshot(judge_id, name, backend, model, settings if isinstance(settings, dict) else {})


def read_funnel_input(session: Session) -> FunnelInput:
    """Read the input of the funnel of a study."""
    study = session.study
    return FunnelInput(
        parse_questions(question_rows(study)),
        parse_question_judgments(question_judgment_rows(study, _TASKS)),
        judges_of_wordings(study),
        read_rules(study),
    )


def read_question_input(session: Session, question: Question) -> FunnelInput:
    """Read the input for one question."""
    study = session.study
    makers = judges_of_wordings(study, question.id)
    return FunnelInput(
        [question], parse_question_judgments(judgment_rows_about(study, _TASKS, question.id)), makers, read_rules(study)
    )


_PLAIN = "plain"
_MODALITY_ORDER = [modality.value for modality in (Modality.BOTH, Modality.PICTURES, Modality.TEXT, Modality.NOTHING)]


@dataclass(frozen=True, slots=True)
class FilterScore:
    """The score of one judge at a step.

    Attributes:
        value: None if its answer cannot be counted; `text` then says why.
        text: for people, such as `2`, `right in 1 of 1`, `refused`.
    """

    judge_id: str
    judge: str
    value: float | None
    text: str


def judge_scores(reading: FunnelInput, step: FilterStep, question: Question) -> list[FilterScore]:
    """Return the score of each judge for the present form of a question, by name; none for a step without judges.

    The newest answer of a judge counts. A judge that made the question is left out of
    reciprocal scoring.
    """
    if step.key in (DUPLICATES, DISTRACTORS):
        return []
    by_judge: dict[str, list[QuestionJudgment]] = {}
    for judgment in reading.judgments.get((question.id, step.task), ()):
        by_judge.setdefault(judgment.judge_id, []).append(judgment)
    found = []
    for said in by_judge.values():
        judge = reading.judge_snapshot(said[0].judge_id, said[0].judge)
        if step.key == REVIEW and reading.review_exclusion(question, judge):
            continue
        score = _score_answer(step, judge, said[0]) if step.is_scored else _score_runs(reading, step, question, said)
        if score is not None:
            found.append(score)
    return sorted(found, key=lambda filter_score: (filter_score.judge, filter_score.judge_id))


def run_statuses(
    reading: FunnelInput, step: FilterStep, question: Question, judge_id: str
) -> dict[int, JudgmentStatus]:
    """Return seed -> status of the runs of a judge at a step, for the present form of a question.

    A run whose answer the step cannot use counts as unparsed.
    """
    said = [
        judgment for judgment in reading.judgments.get((question.id, step.task), ()) if judgment.judge_id == judge_id
    ]
    if step.is_scored or step.key == DISTRACTORS:
        return {0: _usable_status(step, question, said[0])} if said else {}
    newest = _newest_by_seed(_comparable_answers(reading, step, said))
    return {seed: _usable_status(step, question, judgment) for seed, judgment in newest.items()}


def _score_answer(step: FilterStep, judge: JudgeSnapshot, judgment: QuestionJudgment) -> FilterScore:
    value = _score_value(step, parse_object(judgment.answer)) if judgment.status is JudgmentStatus.OK else None
    text = _failure_text(judgment.status) if value is None else str(value)
    return FilterScore(judge.id, judge.name, value, text)


def _score_runs(
    reading: FunnelInput, step: FilterStep, question: Question, said: Sequence[QuestionJudgment]
) -> FilterScore | None:
    series = _comparable_answers(reading, step, said)
    if not series:
        return None
    judge = reading.judge_snapshot(series[0].judge_id, series[0].judge)
    newest, wanted = _newest_by_seed(series), range(reading.rules[step.key].runs)
    runs = [newest[seed] for seed in wanted if seed in newest]
    letters = [_answered_letter(question, run) for run in runs]
    for judgment, letter in zip(runs, letters, strict=True):
        if not letter:
            return FilterScore(judge.id, judge.name, None, _failure_text(judgment.status))
    if len(runs) < len(wanted):
        return FilterScore(judge.id, judge.name, None, f"{len(runs)} of {len(wanted)} runs answered")
    if step.key == OPTIONS_ONLY:
        right = letters.count(question.correct_letter)
        return FilterScore(judge.id, judge.name, 100 * right / len(runs), f"right in {right} of {len(runs)}")
    same = len({*letters}) == 1
    return FilterScore(judge.id, judge.name, float(same), " ".join(letters))


def _comparable_answers(
    reading: FunnelInput, step: FilterStep, said: Sequence[QuestionJudgment]
) -> list[QuestionJudgment]:
    """Return the answers of one series, with the same settings, condition and modality; newest first.

    Of several series, the one with the most modalities counts, then the newest.
    """
    groups: dict[tuple[str, str, str], list[QuestionJudgment]] = {}
    for judgment in said:
        judge = reading.judge_snapshot(judgment.judge_id, judgment.judge)
        if judgment.variant == _PLAIN and _has_step_temperature(step, judge):
            groups.setdefault((judgment.judge, judgment.condition, judgment.modality), []).append(judgment)
    if not groups:
        return []
    shown = {modality for _, _, modality in groups}
    most = next(modality for modality in _MODALITY_ORDER if modality in shown)
    return next(answers for key, answers in groups.items() if key[2] == most)


def _newest_by_seed(series: Sequence[QuestionJudgment]) -> dict[int, QuestionJudgment]:
    found: dict[int, QuestionJudgment] = {}
    for judgment in series:
        found.setdefault(judgment.seed, judgment)
    return found


def _has_step_temperature(step: FilterStep, judge: JudgeSnapshot) -> bool:
    """Tell whether a judge answered at the temperature of the step; True for judges without temperature."""
    if step.temperature is None or not has_temperature(judge.backend):
        return True
    return judge.settings.get("temperature") == step.temperature


@cache
def has_temperature(backend: str) -> bool:
    """Tell whether judges of a backend have a temperature; an unknown backend is assumed to."""
    try:
        return issubclass(load_backend(backend).options_type, ModelOptions)
    except UserError:
        return backend != "person"


def parse_object(text: str) -> dict[str, Json]:
    """Return the JSON object in a text; {} if it is none."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _usable_status(step: FilterStep, question: Question, judgment: QuestionJudgment) -> JudgmentStatus:
    if judgment.status is not JudgmentStatus.OK or step.key == DISTRACTORS:
        return judgment.status
    usable = (
        _score_value(step, parse_object(judgment.answer)) is not None
        if step.is_scored
        else bool(_answered_letter(question, judgment))
    )
    return judgment.status if usable else JudgmentStatus.UNPARSED


def _score_value(step: FilterStep, answer: Mapping[str, Json]) -> int | None:
    value = answer.get(step.field)
    if not isinstance(value, int) or isinstance(value, bool) or not step.low <= value <= step.high:
        return None
    return value


def _answered_letter(question: Question, judgment: QuestionJudgment) -> str:
    """Return the letter that was answered; "" if the question has no such option."""
    found = parse_object(judgment.answer).get("answer") if judgment.status is JudgmentStatus.OK else None
    return found if isinstance(found, str) and found in LETTERS[: len(question.wrong) + 1] and len(found) == 1 else ""


def _failure_text(status: JudgmentStatus) -> str:
    return "refused" if status is JudgmentStatus.REFUSED else "could not be read"


class FilterVerdict(StrEnum):
    """The verdict on a question at a step."""

    KEPT = "kept"
    DROPPED = "fell"
    OPEN = "open"
    """There is no answer that counts. The question does not go on."""


@dataclass(frozen=True, slots=True)
class FilterOutcome:
    """The outcome of one question at one step.

    Attributes:
        value: the value that was compared with the limit; None if there is none.
        reason: one line for people, without a full stop at its end.
        scores: of each judge, by name.
    """

    verdict: FilterVerdict
    value: float | None
    reason: str
    scores: tuple[FilterScore, ...] = ()


def question_outcome(reading: FunnelInput, step: FilterStep, question: Question) -> FilterOutcome:
    """Return the outcome of a question at a step, by the rule of the study."""
    key = (step.key, question.id)
    if key not in reading.outcomes:
        reading.outcomes[key] = _compute_outcome(reading, step, question)
    return reading.outcomes[key]


def _compute_outcome(reading: FunnelInput, step: FilterStep, question: Question) -> FilterOutcome:
    rule = reading.rules[step.key]
    if step.needs is LimitSide.NO_LIMIT:
        return FilterOutcome(FilterVerdict.KEPT, None, "")
    if step.key == DUPLICATES:
        return _duplicate_outcome(reading, step, rule, question)
    scores = judge_scores(reading, step, question)
    if rule.judges:
        scores = [score for score in scores if score.judge_id in rule.judges]
    silent = len({*rule.judges} - {score.judge_id for score in scores})
    values = [score.value for score in scores if score.value is not None]
    said = ", ".join(f"{score.judge} {score.text}" for score in scores)
    if not scores:
        return FilterOutcome(FilterVerdict.OPEN, None, _no_score_reason(reading, step, question))
    open_ = len(values) < len(scores) or silent > 0
    if rule.several is ScoreCombination.MEAN:
        if open_:
            return FilterOutcome(FilterVerdict.OPEN, None, _open_reason(said, silent), tuple(scores))
        value = sum(values) / len(values)
    else:
        worst = [score for score in values if not step.keeps(score, rule.limit)]
        if open_ and not worst:
            return FilterOutcome(FilterVerdict.OPEN, None, _open_reason(said, silent), tuple(scores))
        value = min(values) if step.needs is LimitSide.AT_LEAST else max(values)
    verdict = FilterVerdict.KEPT if step.keeps(value, rule.limit) else FilterVerdict.DROPPED
    return FilterOutcome(verdict, value, _reason_text(step, rule, value, said, scores), tuple(scores))


def drop_chance(step: FilterStep, rule: FilterRule, options: int) -> float | None:
    """Return the probability that a question is dropped if the judge only guesses; None for other steps.

    It is the probability that more than `limit` percent of `runs` independent guesses are right (binomial).
    """
    from math import comb

    if step.key != OPTIONS_ONLY or options < 1:
        return None
    p, n = 1 / options, rule.runs
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1) if not step.keeps(100 * k / n, rule.limit))


def _duplicate_outcome(reading: FunnelInput, step: FilterStep, rule: FilterRule, question: Question) -> FilterOutcome:
    value, other = reading.similarity.get(question.id, (0, ""))
    verdict = FilterVerdict.KEPT if step.keeps(value, rule.limit) else FilterVerdict.DROPPED
    reason = f"{value} % alike: “{reading.questions[other].text}”" if other else "Like no other"
    return FilterOutcome(verdict, float(value), reason)


def _reason_text(step: FilterStep, rule: FilterRule, value: float, said: str, scores: Sequence[FilterScore]) -> str:
    if step.key == STABILITY:
        return f"Answered {said}"
    mean = f"mean {value:.4g}: " if len(scores) > 1 and rule.several is ScoreCombination.MEAN else ""
    return f"{mean}{said}"


def _open_reason(said: str, silent: int) -> str:
    missing = ""
    if silent:
        missing = "a judge that counts has not answered" if silent == 1 else f"{silent} judges have not answered"
    return "; ".join(part for part in (said, missing) if part)


def _no_score_reason(reading: FunnelInput, step: FilterStep, question: Question) -> str:
    if step.key == REVIEW:
        for judgment in reading.judgments.get((question.id, step.task), ()):
            if why := reading.review_exclusion(question, reading.judge_snapshot(judgment.judge_id, judgment.judge)):
                return why.rstrip(".")
    return "Not asked yet, or the question was changed since"
