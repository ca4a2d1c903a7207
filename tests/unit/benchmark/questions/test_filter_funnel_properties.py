"""What holds of every funnel: no question is lost, and a stricter limit lets no other question through."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from benchmark.questions.filter_funnel import build_funnel, deciding_steps, final_survivors
from benchmark.questions.filter_outcomes import FunnelInput, most_similar_earlier
from benchmark.questions.filter_rules import STEPS, FilterRule, FilterStep, LimitSide, ScoreCombination, default_rule
from project.entities.judgments import RAW_CONDITION, JudgmentStatus, Modality
from project.entities.questions import Question
from project.queries.question_rows import QuestionJudgment
from project.store.column_values import to_json
from tests.builders.questions_said import question

_WORDS = ("cold", "late", "cold cup", "cups", "she left", "Left, she!", "12:10", "12:20")
_TASKS = ("review_score", "difficulty", "truth", "separability", "relevance", "options_only", "answer")
_values = st.one_of(st.integers(-1, 6), st.sampled_from(["A", "B", "C", "F", "3", None, True, 2.0]))
_questions = st.lists(st.tuples(st.sampled_from(_WORDS), st.sampled_from(_WORDS), st.booleans()), max_size=7).map(
    lambda found: [
        question(at, text=text, answer=answer, recording_id="r1" if first else "r2")
        for at, (text, answer, first) in enumerate(found)
    ]
)


Drawn = tuple[Sequence[Question], Sequence[QuestionJudgment], Mapping[str, FilterRule]]
_decidable = [step for step in STEPS.values() if step.needs is not LimitSide.NO_LIMIT]


@st.composite
def _drawn(draw: st.DrawFn) -> Drawn:
    """Draw questions and what judges said; most are good, so that some reach the last steps."""
    made = draw(_questions)
    said: list[QuestionJudgment] = []
    for about, task in product(made, _TASKS):
        good: Any = {"answer": about.correct_letter, "options_only": "E", "truth": 2}.get(task, 3)
        for judge in ("a", "b") if draw(st.integers(0, 3)) == 0 else ("a",):
            for seed in (0, 1):
                value = draw(_values) if draw(st.integers(0, 5)) == 0 else good
                said.append(_given(about, task, judge, seed, value, draw, len(said)))
    return made, said, {key: _rule(step, draw) for key, step in STEPS.items()}


def _read(drawn: Drawn, step: str = "truth", **changes: Any) -> FunnelInput:
    """Return what a funnel is built of, after one step's rule was changed."""
    made, said, rules = drawn
    return FunnelInput(made, said, {}, {**rules, step: replace(rules[step], **changes)})


def _given(
    question: Question, task: str, judge: str, seed: int, value: Any, draw: st.DrawFn, number: int
) -> QuestionJudgment:
    field = "answer" if task in ("answer", "options_only") else "score"
    status = draw(st.sampled_from(JudgmentStatus)) if draw(st.integers(0, 9)) == 0 else JudgmentStatus.OK
    state = question.checksum if draw(st.integers(0, 9)) else "old"
    entry = to_json({"name": judge, "backend": "constant", "model": "", "settings": {}})
    return QuestionJudgment(
        *(f"{number:05d}", question.id, task, judge, entry, "plain", RAW_CONDITION, Modality.BOTH.value),
        *(seed, state, status, to_json({field: value}), f"2026-01-01T00:00:00.{number:06d}Z"),
    )


def _rule(step: FilterStep, draw: st.DrawFn) -> FilterRule:
    several = draw(st.sampled_from(ScoreCombination))
    judges = draw(st.sampled_from([(), (), ("a",), ("a", "b")]))
    runs = draw(st.integers(step.runs, min(step.max_runs, 2)))
    limit = draw(st.integers(step.low, step.high))
    return FilterRule(
        limit, runs, several, judges, decides=step.needs is not LimitSide.NO_LIMIT and draw(st.booleans())
    )


@given(_drawn())
def test_whoever_reaches_a_step_is_kept_falls_or_is_open(drawn: Drawn) -> None:
    reading = _read(drawn)
    going = tuple(reading.questions)
    for stage in build_funnel(reading).steps:
        assert stage.entered == going
        assert [*stage.outcomes] == sorted([*stage.kept, *stage.dropped, *stage.undecided])
        assert len(stage.entered) == len(stage.kept) + len(stage.dropped) + len(stage.undecided)
        assert all((*stage.dropped.values(), *stage.undecided.values()))
        going = stage.kept
    assert final_survivors(reading) >= {*build_funnel(reading).survivors}


@given(_drawn(), st.sampled_from(_decidable), st.data())
def test_a_stricter_limit_never_lets_another_question_through(
    drawn: Drawn, step: FilterStep, data: st.DataObject
) -> None:
    reading = _read(drawn)
    now = reading.rules[step.key].limit
    limits = (now, step.high) if step.needs is LimitSide.AT_LEAST else (step.low, now)
    stricter = _read(drawn, step.key, limit=data.draw(st.integers(*limits)))
    assert {*build_funnel(stricter).survivors} <= {*build_funnel(reading).survivors}
    assert final_survivors(stricter) <= final_survivors(reading)
    alone = [{*build_funnel(each, (), [step.key]).survivors} for each in (stricter, reading)]
    assert alone[0] <= alone[1]


@given(_drawn(), st.sampled_from(_decidable))
def test_one_more_step_that_decides_never_lets_another_question_through(drawn: Drawn, step: FilterStep) -> None:
    reading, more = _read(drawn), _read(drawn, step.key, decides=True)
    assert {*deciding_steps(reading)} <= {*deciding_steps(more)}
    assert final_survivors(more) <= final_survivors(reading)


@given(_questions)
def test_who_stays_of_near_duplicates_does_not_depend_on_the_order_they_come_in(made: list[Question]) -> None:
    assert most_similar_earlier(made) == most_similar_earlier(made[::-1])
    about = {question.id: question for question in made}
    for key, (value, other) in most_similar_earlier(made).items():
        assert other < key
        assert about[key].recording_id == about[other].recording_id
        assert 0 < value <= 100


def test_copies_are_found_and_questions_about_other_times_or_answers_are_not() -> None:
    first = question(0, text="Why does Ana leave the room at 0:10?", answer="She is angry with Ben.")
    copy = question(1, text="Why does Ana leave the room, at 0:10?", answer="She is angry with Ben")
    later = question(2, text="Why does Ana leave the room at 0:50?", answer="She is angry with Ben.")
    other = question(3, text="Why does Ana leave the room at 0:10?", answer="Her bus is about to come.")
    elsewhere = replace(copy, id="question-00004", recording_id="elsewhere")
    similar = most_similar_earlier([first, copy, later, other, elsewhere])
    assert similar[copy.id] == (100, first.id)
    assert later.id not in similar
    assert similar[other.id][0] < default_rule(STEPS["duplicates"]).limit
    assert elsewhere.id not in similar


def test_many_questions_of_one_recording_are_compared_with_all_earlier_ones() -> None:
    made = [question(at, text=f"Question {'abcdefghij'[at % 10] * (at // 10 + 1)}", answer="x") for at in range(600)]
    made.append(question(600, text=made[0].text, answer="x"))
    assert most_similar_earlier(made)[made[600].id] == (100, made[0].id)
