"""People answer the items of a set as models do: in their own order, once, blind, and counted apart where they pass."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.review import peer_review as reviews
from benchmark.judge_input.input_planning import plan_input
from benchmark.questions.verification import verify
from benchmark.runs import people_runs as people
from benchmark.runs.people_runs import HumanItemQueue, HumanRunOptions, ItemQuestion
from benchmark.sets.frozen_sets import find_own_items
from project.entities.frozen_items import FrozenItem, ItemModality
from project.entities.judgments import JudgmentStatus, JudgmentTarget, JudgmentTargetKind
from project.entities.questions import VerificationDecision
from project.entities.study_records import ReviewDecision
from project.errors import UserError
from project.queries.item_set_rows import answers_of, benchmark_runs, items_of
from project.queries.judgment_rows import find_judgments, judgments_of
from project.session.session import Session
from tests.builders import question_study as asked
from tests.builders.chains import draw
from tests.builders.frozen_sets import AskVerdict, freeze, stretch
from tests.builders.marked_study import mark, open_study, person

WORDS = HumanRunOptions(ItemModality.TEXT)


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setattr(people, "get_benchmark_task", lambda _key: AskVerdict())
    with open_study(tmp_path) as opened:
        yield opened


def stretches(number: int) -> list[FrozenItem]:
    return [stretch(f"i{at}", 10 * at, 10 * at + 5) for at in range(number)]


def answered(session: Session, found: HumanItemQueue, label: str = "error") -> HumanItemQueue:
    asked = found.remaining[0]
    planned = people.plan_question_task(session, found, asked)
    return people.save_item_answer(session, found, asked, planned, {"label": label}, 1500)[0]


def test_each_person_has_an_order_of_their_own_which_stays(session: Session) -> None:
    made = freeze(session, stretches(12))
    ada = people.read_queue(session, made, WORDS)
    assert people.read_queue(session, made, WORDS).questions == ada.questions
    session.annotator_name = "Bo"
    bo = people.read_queue(session, made, WORDS)
    assert {*bo.questions} == {*ada.questions} == {ItemQuestion(f"i{at}", "verdict") for at in range(12)}
    assert bo.questions != ada.questions
    assert [item_question.item_id for item_question in ada.questions] != [f"i{at}" for at in range(12)], (
        "nobody gets the order of the draws"
    )


def test_models_alone_are_asked_about_their_own_answers(session: Session) -> None:
    made = freeze(session, stretches(1))
    assert [item_question.task for item_question in people.read_queue(session, made, WORDS).questions] == ["verdict"]


def test_an_answer_belongs_to_the_run_and_is_not_asked_again(session: Session) -> None:
    made = freeze(session, stretches(3))
    found, changes = people.start_run(session, people.read_queue(session, made, WORDS))
    assert changes.ids("benchmark_run") == {found.run.id}
    first = found.remaining[0]
    found = answered(session, found)
    again = people.read_queue(session, made, WORDS)
    assert (again.run, again.statuses, again.remaining) == (found.run, {first: JudgmentStatus.OK}, found.remaining)
    assert first not in again.remaining
    (kept,) = answers_of(session.study, found.run.id)
    (said,) = find_judgments(session.study, [kept.judgment_id])
    assert (said.target, said.ms, said.annotator_id) == (
        JudgmentTarget(JudgmentTargetKind.ITEM, first.item_id),
        1500,
        person(session, "Ada").id,
    )
    assert benchmark_runs(session.study) == [found.run], "going on makes no second run"
    assert found.run.judge["name"] == "Ada"


def test_words_turns_and_form_are_those_of_a_model(session: Session) -> None:
    made = freeze(session, stretches(1))
    found = people.read_queue(session, made, WORDS)
    planned = people.plan_question_task(session, found, found.remaining[0])
    plan = plan_input(session, found.remaining[0].about, "verdict", settings=people.input_settings(WORDS))
    assert (planned.plan.system, planned.plan.text, planned.plan.form) == (plan.system, plan.text, plan.form)


def test_who_does_not_know_is_counted_apart_and_not_asked_again(session: Session) -> None:
    made = freeze(session, stretches(2))
    found, _ = people.start_run(session, people.read_queue(session, made, WORDS))
    asked = found.remaining[0]
    found, _ = people.save_refusal(session, found, asked, people.plan_question_task(session, found, asked), 900)
    assert (found.refused_count, found.statuses[asked], asked in found.remaining) == (1, JudgmentStatus.REFUSED, False)
    assert people.read_queue(session, made, WORDS).refused_count == 1
    (kept,) = answers_of(session.study, found.run.id)
    (said,) = find_judgments(session.study, [kept.judgment_id])
    assert (said.answer, said.error) == ({}, people.DONT_KNOW)


def test_what_does_not_fit_is_not_stored(session: Session) -> None:
    made = freeze(session, stretches(1))
    found, _ = people.start_run(session, people.read_queue(session, made, WORDS))
    planned = people.plan_question_task(session, found, found.remaining[0])
    with pytest.raises(UserError):
        people.save_item_answer(session, found, found.remaining[0], planned, {"label": "nonsense"}, 10)
    assert answers_of(session.study, found.run.id) == []


def test_items_of_ones_own_annotations_are_left_out_and_counted(session: Session) -> None:
    own = mark(session, "Ada", 1, 5)
    beside = mark(session, "Bo", 3, 8)
    far = mark(session, "Bo", 50, 55)
    made = freeze(
        session,
        [
            stretch("own", 1, 5, own),
            stretch("the same moment, by somebody else", 3, 8, beside),
            stretch("another moment", 50, 55, far),
            stretch("nothing, in a recording that Ada annotated", 80, 85),
        ],
    )
    found = people.read_queue(session, made, WORDS)
    assert ([item_question.item_id for item_question in found.questions], found.own_count) == (["another moment"], 3)
    session.annotator_name = "Cy"
    assert (
        len(people.read_queue(session, made, WORDS).questions),
        people.read_queue(session, made, WORDS).own_count,
    ) == (4, 0)


def test_what_one_has_reviewed_is_ones_own(session: Session) -> None:
    theirs = mark(session, "Bo", 50, 55)
    made = freeze(session, [stretch("i", 50, 55, theirs)])
    session.annotator_name = "Cy"
    assert people.read_queue(session, made, WORDS).own_count == 0
    reviews.review_segment(session, theirs, ReviewDecision.AGREE)
    assert people.read_queue(session, made, WORDS).own_count == 1


def test_a_question_is_ones_own_where_one_wrote_or_verified_it_or_drew_its_chain(session: Session) -> None:
    session.annotator_name = "Bo"
    written = asked.ask(session, "Why does he go?", start=20)
    chain, nodes = draw(session, {"b": "a"})
    of_chain = asked.ask(session, "What comes of it?", chain_id=chain, covers=(nodes["b"],), start=40)
    made = freeze(session, [stretch(text, 20, 30, f"question/{text}") for text in (written, of_chain)])
    expected = {"Bo": {written, of_chain}, "Cy": set()}
    for who, own in expected.items():
        session.annotator_name = who
        mark(session, who, 300, 301)
        assert find_own_items(session, items_of(session.study, made.id), person(session, who).id) == own
    verify(session, written, VerificationDecision.DROP, ())
    assert find_own_items(session, items_of(session.study, made.id), person(session, "Cy").id) == {written}


def test_with_ones_own_items_it_is_another_run_that_says_so_and_takes_answers_along(session: Session) -> None:
    own, far = mark(session, "Ada", 1, 5), mark(session, "Bo", 50, 55)
    made = freeze(session, [stretch("own", 1, 5, own), stretch("far", 50, 55, far)])
    narrow, _ = people.start_run(session, people.read_queue(session, made, WORDS))
    narrow = answered(session, narrow)
    wide, _ = people.start_run(
        session, people.read_queue(session, made, HumanRunOptions(ItemModality.TEXT, include_own=True))
    )
    assert wide.run.id != narrow.run.id
    assert (wide.run.judge["settings"], narrow.run.judge["settings"]) == ({"own": True}, {"own": False})
    assert [item_question.item_id for item_question in wide.remaining] == ["own"]
    assert (
        answers_of(session.study, wide.run.id)[0].judgment_id == answers_of(session.study, narrow.run.id)[0].judgment_id
    )


def test_what_is_in_two_draws_is_answered_once(session: Session) -> None:
    theirs = mark(session, "Bo", 50, 55)
    made = freeze(session, [stretch("first", 50, 55, theirs), stretch("second", 50, 55, theirs, draw=1)], draws=2)
    found, _ = people.start_run(session, people.read_queue(session, made, WORDS))
    first, second = found.questions
    planned = people.plan_question_task(session, found, first)
    assert people.find_equal_answer(session, found, planned) is None
    found, _ = people.save_item_answer(session, found, first, planned, {"label": "error"}, 1200)
    there = people.find_equal_answer(session, found, people.plan_question_task(session, found, second))
    assert there is not None
    found, _ = people.repeat_answer(session, found, second, there)
    assert found.remaining == ()
    kept = {answer.item_id: answer.judgment_id for answer in answers_of(session.study, found.run.id)}
    (copy,) = find_judgments(session.study, [kept[second.item_id]])
    assert (copy.item_id, copy.answer, copy.ms, copy.cached_from) == (
        second.item_id,
        {"label": "error"},
        0,
        kept[first.item_id],
    )


def test_another_seed_asks_everything_again(session: Session) -> None:
    made = freeze(session, stretches(2))
    found, _ = people.start_run(session, people.read_queue(session, made, WORDS))
    answered(session, found)
    later = people.read_queue(session, made, HumanRunOptions(ItemModality.TEXT, seed=1))
    assert (len(later.remaining), later.is_started) == (2, False)


def test_what_is_right_stays_hidden_until_a_queue_is_done(session: Session) -> None:
    made = freeze(session, stretches(2))
    assert people.unanswered_item_ids(session, made) == frozenset(), "nobody has begun"
    found, _ = people.start_run(session, people.read_queue(session, made, WORDS))
    assert people.unanswered_item_ids(session, made) == {"i0", "i1"}
    found = answered(session, found)
    assert people.unanswered_item_ids(session, made) == {found.remaining[0].item_id}
    answered(session, found)
    assert people.unanswered_item_ids(session, made) == frozenset()


def test_answers_do_not_show_among_the_judgments_of_a_segment(session: Session) -> None:
    theirs = mark(session, "Bo", 50, 55)
    made = freeze(session, [stretch("i", 50, 55, theirs)])
    found, _ = people.start_run(session, people.read_queue(session, made, WORDS))
    answered(session, found)
    assert judgments_of(session.study, theirs) == []
