"""What is frozen in an item is what judges are asked, whatever became of the study since."""

from dataclasses import replace

from benchmark.judge_input.input_planning import plan_input
from benchmark.judging.ask_job import prepare
from benchmark.judging.ask_run import AskRequest
from project.entities.frozen_items import FrozenItem, ItemSet
from project.entities.judgments import JudgeEntry, JudgmentStatus, JudgmentTarget, JudgmentTargetKind
from project.entities.questions import Maker, Question, QuestionKind, WrongOption, question_from_json, question_to_json
from project.entities.study_records import Json
from project.progress import Silent
from project.queries.item_set_rows import insert_set
from project.queries.judgment_rows import find_judgments, judge_labels, judgments_of
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK, mark

QUESTION = Question(
    "q", WALK, None, QuestionKind.WRITTEN, "", (), "", 0, 10 * SECOND, "Why does she leave?", "She is late.",
    tuple(WrongOption(text) for text in ("She is tired.", "She is angry.", "She is bored.", "She is ill.")),
    "", 3, 2, Maker.PERSON, "a", "", "2026-01-01T00:00:00",
)  # fmt: skip
ORACLE = JudgeEntry("j", "oracle", "oracle")


def freeze(session: Session, *items: FrozenItem) -> list[str]:
    new = ItemSet("set", "set", "verdict", 0, 1, {}, {}, "sha", "2026-01-01T00:00:00", "1")
    placed = [replace(frozen_item, set_id="set", position=place) for place, frozen_item in enumerate(items)]
    with session.study.run_transaction():
        insert_set(session.study, new, placed)
    return [JudgmentTarget(JudgmentTargetKind.ITEM, frozen_item.id).key for frozen_item in placed]


def item(about: str = "", **content: Json) -> FrozenItem:
    return FrozenItem("i", "set", 0, 0, about, WALK, 2 * SECOND, 9 * SECOND, content, "made")


def answers(session: Session, keys: list[str], task: str) -> list[dict[str, Json]]:
    _, changes = run_inline(session, prepare(session, AskRequest([ORACLE], keys, task)).job, Silent())
    judgments = find_judgments(session.study, sorted(changes.ids("judgment")))
    assert {(judgment.status, judgment.state) for judgment in judgments} == {(JudgmentStatus.OK, "made")}
    assert {judgment.target.key for judgment in judgments} == {*keys}
    return [dict(judgment.answer) for judgment in judgments]


def test_a_stretch_that_nobody_marked_has_the_label_none(session: Session) -> None:
    keys = freeze(session, item(scheme="shrec", track="segments", label="none"))
    assert answers(session, keys, "verdict") == [{"label": "none"}]
    assert answers(session, keys, "error") == [{"error": "no"}]


def test_an_item_keeps_its_label_when_its_segment_gets_another(session: Session) -> None:
    segment = mark(session, "Ada", 2, 9, "error")
    keys = freeze(session, item(segment, scheme="shrec", track="segments", label="competence"))
    assert answers(session, keys, "verdict") == [{"label": "competence"}]
    assert judgments_of(session.study, segment) == []
    assert judge_labels(session.study) == []


def test_a_question_is_asked_in_its_frozen_words_when_it_is_gone(session: Session) -> None:
    assert question_from_json(question_to_json(QUESTION)) == QUESTION
    keys = freeze(session, item("question/q", question=question_to_json(QUESTION)))
    plan = plan_input(session, keys[0], "answer")
    assert "Why does she leave?" in plan.text
    assert (plan.start_us, plan.end_us) == (2 * SECOND, 9 * SECOND)
    assert answers(session, keys, "answer") == [{"answer": "C"}]


def test_a_frozen_answer_goes_before_the_items_own(session: Session) -> None:
    content: dict[str, Json] = {"scheme": "shrec", "track": "segments", "label": "error"}
    keys = freeze(session, item("", **content, truth={"verdict": {"label": "none"}}))
    assert answers(session, keys, "verdict") == [{"label": "none"}]
