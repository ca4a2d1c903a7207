"""People answer the items of a set as models do: in their own order, once, blind, and counted apart where they pass."""

from pathlib import Path
from typing import Any

import pytest

from annotate.blinding.reveals import may_see, reveal
from annotate.review.peer_review import review_segment
from annotate.team.assignments import mark_done
from benchmark.judge_input.input_planning import plan_input
from benchmark.judging.person_judge import (
    person_judgment,
    plan_person_task,
    refusal_judgment,
    save_answer,
)
from benchmark.questions.verification import verify
from benchmark.runs import people_runs
from benchmark.runs.people_runs import (
    DONT_KNOW,
    HumanItemQueue,
    HumanRunOptions,
    ItemQuestion,
    find_equal_answer,
    input_settings,
    plan_question_task,
    read_queue,
    repeat_answer,
    save_judgment,
    start_run,
    unanswered_item_ids,
)
from benchmark.sets.frozen_sets import find_own_items
from benchmark.tasks.benchmark_task import Round
from benchmark.tasks.label_tasks import VerdictTask
from project.entities.frozen_items import FrozenItem, ItemModality, ItemSet
from project.entities.judgments import PERSON_BACKEND, JudgmentStatus, JudgmentTarget, JudgmentTargetKind
from project.entities.questions import VerificationDecision
from project.entities.study_records import ReviewDecision
from project.errors import UserError
from project.plugins.plugin_registry import Plugins
from project.queries.item_set_rows import answers_of, benchmark_runs, items_of
from project.queries.judgment_rows import find_judgments, judgments_of
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments
from project.session.session import Session
from tests.builders import question_study
from tests.builders.chains import draw
from tests.builders.item_sets import freeze, stretch
from tests.builders.judgments import judged
from tests.builders.marked_study import mark, person
from tests.builders.training_round import open_round

WORDS = HumanRunOptions(ItemModality.TEXT)
SETTINGS = input_settings(WORDS)


class AskVerdict(VerdictTask):
    rounds = (Round("verdict"), Round("error", is_followup=True))


@pytest.fixture(autouse=True)
def ask_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people_runs, "SUITE", Plugins("task", {"verdict": f"{__name__}:AskVerdict"}))


def stretches(number: int) -> list[FrozenItem]:
    return [stretch(f"i{at}", 10 * at, 10 * at + 5) for at in range(number)]


def queue_of(session: Session, frozen: ItemSet, **options: Any) -> HumanItemQueue:
    return read_queue(session, frozen, HumanRunOptions(ItemModality.TEXT, **options))


def begin(session: Session, frozen: ItemSet, **options: Any) -> HumanItemQueue:
    return start_run(session, queue_of(session, frozen, **options))[0]


def answered(session: Session, queue: HumanItemQueue, label: str = "error") -> HumanItemQueue:
    question = queue.remaining[0]
    planned = plan_question_task(session, queue, question)
    return save_judgment(session, queue, question, person_judgment(session, planned, {"label": label}, 1500))[0]


def items_in(queue: HumanItemQueue) -> list[str]:
    return [question.item_id for question in queue.questions]


def test_each_person_has_an_order_of_their_own_which_stays(session: Session) -> None:
    frozen = freeze(session, stretches(12))
    ada = queue_of(session, frozen)
    assert queue_of(session, frozen).questions == ada.questions
    session.annotator_name = "Bo"
    bo = queue_of(session, frozen)
    assert {*bo.questions} == {*ada.questions} == {ItemQuestion(f"i{at}", "verdict") for at in range(12)}
    assert bo.questions != ada.questions
    assert items_in(ada) != [f"i{at}" for at in range(12)], "nobody gets the order of the draws"


def test_an_answer_belongs_to_the_run_and_is_not_asked_again(session: Session) -> None:
    frozen = freeze(session, stretches(3))
    queue, changes = start_run(session, queue_of(session, frozen))
    assert changes.ids("benchmark_run") == {queue.run.id}
    first = queue.remaining[0]
    queue = answered(session, queue)
    again = queue_of(session, frozen)
    assert (again.run, again.statuses, again.remaining) == (queue.run, {first: JudgmentStatus.OK}, queue.remaining)
    assert first not in again.remaining
    (kept,) = answers_of(session.study, queue.run.id)
    (judgment,) = find_judgments(session.study, [kept.judgment_id])
    assert judgment.target == JudgmentTarget(JudgmentTargetKind.ITEM, first.item_id)
    assert (judgment.ms, judgment.annotator_id) == (1500, person(session, "Ada").id)
    assert benchmark_runs(session.study) == [queue.run], "going on makes no second run"
    assert queue.run.judge["name"] == "Ada"
    later = queue_of(session, frozen, seed=1)
    assert (len(later.remaining), later.is_started) == (3, False)


def test_words_turns_and_form_are_those_of_a_model_and_what_does_not_fit_is_not_stored(session: Session) -> None:
    queue = begin(session, freeze(session, stretches(1)))
    planned = plan_question_task(session, queue, queue.remaining[0])
    plan = plan_input(session, queue.remaining[0].about, "verdict", settings=SETTINGS)
    assert (planned.plan.system, planned.plan.text, planned.plan.form) == (plan.system, plan.text, plan.form)
    with pytest.raises(UserError):
        answered(session, queue, "nonsense")
    assert answers_of(session.study, queue.run.id) == []


def test_who_does_not_know_is_counted_apart_and_not_asked_again(session: Session) -> None:
    frozen = freeze(session, stretches(2))
    assert unanswered_item_ids(session, frozen) == frozenset(), "nobody has begun"
    queue = begin(session, frozen)
    assert unanswered_item_ids(session, frozen) == {"i0", "i1"}
    question = queue.remaining[0]
    refusal = refusal_judgment(session, plan_question_task(session, queue, question), 900, why=DONT_KNOW)
    queue, _ = save_judgment(session, queue, question, refusal)
    assert (queue.refused_count, queue.statuses[question]) == (1, JudgmentStatus.REFUSED)
    assert question not in queue.remaining
    assert queue_of(session, frozen).refused_count == 1
    (kept,) = answers_of(session.study, queue.run.id)
    (judgment,) = find_judgments(session.study, [kept.judgment_id])
    assert (judgment.answer, judgment.error) == ({}, DONT_KNOW)
    assert unanswered_item_ids(session, frozen) == {queue.remaining[0].item_id}, "what is right stays hidden"
    answered(session, queue)
    assert unanswered_item_ids(session, frozen) == frozenset()


def test_items_of_ones_own_annotations_are_left_out_and_counted(session: Session) -> None:
    own, beside, far = mark(session, "Ada", 1, 5), mark(session, "Bo", 3, 8), mark(session, "Bo", 50, 55)
    frozen = freeze(
        session,
        [
            stretch("own", 1, 5, own),
            stretch("the same moment, by somebody else", 3, 8, beside),
            stretch("another moment", 50, 55, far),
            stretch("nothing, in a recording that Ada annotated", 80, 85),
        ],
    )
    queue = queue_of(session, frozen)
    assert (items_in(queue), queue.own_count) == (["another moment"], 3)
    session.annotator_name = "Cy"
    queue = queue_of(session, frozen)
    assert (len(queue.questions), queue.own_count) == (4, 0)
    review_segment(session, far, ReviewDecision.AGREE)
    assert queue_of(session, frozen).own_count == 1, "what one has reviewed is one's own"


def test_a_question_is_ones_own_where_one_wrote_or_verified_it_or_drew_its_chain(session: Session) -> None:
    session.annotator_name = "Bo"
    written = question_study.ask(session, "Why does he go?", start=20)
    chain, nodes = draw(session, {"b": "a"})
    of_chain = question_study.ask(session, "What comes of it?", chain_id=chain, covers=(nodes["b"],), start=40)
    frozen = freeze(session, [stretch(text, 20, 30, f"question/{text}") for text in (written, of_chain)])
    items = items_of(session.study, frozen.id)
    for who, own in {"Bo": {written, of_chain}, "Cy": set()}.items():
        session.annotator_name = who
        mark(session, who, 300, 301)
        assert find_own_items(session, items, person(session, who).id) == own
    verify(session, written, VerificationDecision.DROP, ())
    assert find_own_items(session, items, person(session, "Cy").id) == {written}


def test_with_ones_own_items_it_is_another_run_that_says_so_and_takes_answers_along(session: Session) -> None:
    own, far = mark(session, "Ada", 1, 5), mark(session, "Bo", 50, 55)
    frozen = freeze(session, [stretch("own", 1, 5, own), stretch("far", 50, 55, far)])
    narrow = answered(session, begin(session, frozen))
    wide = begin(session, frozen, include_own=True)
    assert wide.run.id != narrow.run.id
    assert (wide.run.judge["settings"], narrow.run.judge["settings"]) == ({"own": True}, {"own": False})
    assert [question.item_id for question in wide.remaining] == ["own"]
    (taken,), (kept,) = (answers_of(session.study, queue.run.id) for queue in (wide, narrow))
    assert taken.judgment_id == kept.judgment_id


def test_what_is_in_two_draws_is_answered_once(session: Session) -> None:
    theirs = mark(session, "Bo", 50, 55)
    frozen = freeze(session, [stretch("first", 50, 55, theirs), stretch("second", 50, 55, theirs, draw=1)], draws=2)
    queue = begin(session, frozen)
    first, second = queue.questions
    planned = plan_question_task(session, queue, first)
    assert find_equal_answer(session, queue, planned) is None
    queue, _ = save_judgment(session, queue, first, person_judgment(session, planned, {"label": "error"}, 1200))
    equal = find_equal_answer(session, queue, plan_question_task(session, queue, second))
    queue, _ = repeat_answer(session, queue, second, equal)
    assert queue.remaining == ()
    kept = {answer.item_id: answer.judgment_id for answer in answers_of(session.study, queue.run.id)}
    (copy,) = find_judgments(session.study, [kept[second.item_id]])
    assert (copy.item_id, copy.answer, copy.ms) == (second.item_id, {"label": "error"}, 0)
    assert copy.cached_from == kept[first.item_id]
    assert judgments_of(session.study, theirs) == []


def test_who_trains_is_told_nothing_about_items_of_it_and_not_asked_about_them_until_done(tmp_path: Path) -> None:
    with open_round(tmp_path) as session:
        first, second = all_recordings(session.study)[:2]
        marked = all_segments(session.study)[0]
        content = {"scheme": marked.scheme, "track": marked.track}
        items = [
            FrozenItem("marked", "set", 0, 0, marked.id, first.id, marked.start_us, marked.end_us, content),
            FrozenItem("unmarked", "set", 0, 0, "", first.id, 8_000_000, 9_000_000, content),
            FrozenItem("elsewhere", "set", 0, 0, "", second.id, 1_000_000, 2_000_000, content),
        ]
        frozen = freeze(session, items)
        assert unanswered_item_ids(session, frozen) == frozenset(), "who does not train sees all"
        session.annotator_name = "Ada"
        assert unanswered_item_ids(session, frozen) == {"marked", "unmarked"}
        assert items_in(queue_of(session, frozen)) == ["elsewhere"]
        mark_done(session, first.id)
        assert unanswered_item_ids(session, frozen) == frozenset()
        assert {*items_in(queue_of(session, frozen))} == {"marked", "unmarked", "elsewhere"}


def test_an_answer_is_a_judgment_of_its_own_and_opens_the_task_and_a_later_one_says_so(session: Session) -> None:
    made = mark(session, "Bo", 1, 5, "error")
    mark(session, "Ada", 100, 105)
    judged(session, made, "Left", task="verdict", label="error")
    asked = plan_person_task(session, made, "verdict", settings=SETTINGS)
    with pytest.raises(UserError, match=asked.scheme.field("label").name):
        save_answer(session, asked, {"label": "nonsense"}, 10)
    assert not may_see(session, made, "verdict")
    saved, changes = save_answer(session, asked, {"label": "competence"}, 4200)
    assert changes.ids("judgment") == {saved.id}
    (stored,) = [judgment for judgment in judgments_of(session.study, made, "verdict") if judgment.annotator_id]
    assert stored == saved
    assert (stored.judge["backend"], stored.annotator_id) == (PERSON_BACKEND, person(session, "Ada").id)
    assert (stored.answer, stored.ms, stored.prompt_sha256 != "") == ({"label": "competence"}, 4200, True)
    assert stored.sight["after_judges"] is False
    assert may_see(session, made, "verdict")
    assert not may_see(session, made, "assess")
    assert reveal(session, made, "verdict")
    second, _ = save_answer(session, asked, {"label": "error"}, 10)
    assert second.sight["after_judges"] is True
