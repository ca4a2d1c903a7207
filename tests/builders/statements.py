"""A statement in a frozen set, and answers that later questions are about, put into a study."""

from collections.abc import Mapping

from project.entities.frozen_items import FrozenItem, ItemSet
from project.entities.judgments import Judgment, JudgmentStatus, JudgmentTarget, JudgmentTargetKind, followup_part
from project.entities.study_records import Json
from project.ids import new_id
from project.queries.item_set_rows import insert_set
from project.queries.judgment_rows import insert_judgments
from project.session.session import Session


def a_statement(session: Session, recording_id: str, word: str = "") -> str:
    """Freeze an item with a statement and an explanation, a word in each; returns its id."""
    facts: dict[str, Json] = {"statement": f"{word} is glad.", "explanation": f"{word} laughs.", "stance": "It is so."}
    content: dict[str, Json] = {"scheme": "socialnli", "track": "inferences", "label": "emotion", "facts": facts}
    end = session.recording(recording_id).duration_us
    made = FrozenItem(new_id(), new_id(), 0, 0, "", recording_id, 0, end, content)
    frozen = ItemSet(made.set_id, f"Statements {made.id}", "socialnli", 0, 1, {}, {}, "x", "2026-01-01T00:00:00Z", "1")
    with session.study.run_transaction():
        insert_set(session.study, frozen, [made])
    return made.id


def an_answer(session: Session, recording_id: str, task: str, answer: Mapping[str, Json], item_id: str = "") -> str:
    """Store what a judge answered; returns the judgment's id."""
    made = Judgment(
        id=new_id(),
        judge_id="j",
        judge={"name": "J", "backend": "random"},
        annotator_id=None,
        recording_id=recording_id,
        segment_id="",
        start_us=0,
        end_us=1,
        task=task,
        variant="plain",
        condition="raw",
        seed=0,
        prompt="p@1",
        prompt_sha256="x",
        request_key=new_id(),
        sight={},
        status=JudgmentStatus.OK,
        answer=answer,
        raw="",
        thinking="",
        mended="",
        model_id="",
        tokens_in=None,
        tokens_out=None,
        cost=None,
        ms=0,
        calls=1,
        error="",
        cached_from=None,
        at="2026-01-01T00:00:00Z",
        program_version="1",
        item_id=item_id,
    )
    with session.study.run_transaction():
        insert_judgments(session.study, [made])
    return made.id


def statement_asked(session: Session, task: str, recording_id: str, word: str = "") -> str:
    """Return what a task about a statement can be asked about."""
    item = a_statement(session, recording_id, word)
    part = ""
    if task in ("nli_likelihood", "nli_hypothesis"):
        said: dict[str, Json] = {"explanation": f"{word} laughs."}
        part = followup_part("nli_support", an_answer(session, recording_id, "nli_support", said, item))
    return JudgmentTarget(JudgmentTargetKind.ITEM, item, part).key


def inferences_asked(session: Session, recording_id: str, word: str = "") -> str:
    """Return a recording with a question that inferences can be asked for."""
    question = an_answer(session, recording_id, "nli_question", {"question": f"Why does {word} laugh?"})
    return JudgmentTarget(JudgmentTargetKind.RECORDING, recording_id, followup_part("nli_question", question)).key
