"""Judgments as if judges had been asked."""

from app.core.session import Session
from project.ids import new_id
from project.judging import PERSON, RAW, Judgment, JudgmentStatus
from project.queries.judgments import insert_judgments
from project.queries.segments import segment
from project.types import Json


def judged(
    session: Session,
    segment_id: str,
    judge: str = "Model A",
    *,
    task: str = "assess",
    condition: str = RAW,
    annotator_id: str | None = None,
    status: JudgmentStatus = JudgmentStatus.OK,
    at: str = "2026-01-01T00:00:00.000Z",
    **answer: Json,
) -> Judgment:
    """Store what a judge, or a person in the form, says about a segment."""
    about = segment(session.study, segment_id)
    assert about is not None
    made = Judgment(
        id=new_id(),
        judge_id=judge,
        judge={"name": judge, "backend": PERSON if annotator_id else "constant", "model": "", "settings": {}},
        annotator_id=annotator_id,
        recording_id=about.recording_id,
        segment_id=segment_id,
        start_us=about.start_us,
        end_us=about.end_us,
        task=task,
        variant="plain",
        condition=condition,
        seed=0,
        prompt=f"{task}@1",
        prompt_sha256="0",
        request_key=new_id(),
        sight={},
        status=status,
        answer=answer if status is JudgmentStatus.OK else {},
        raw="what it wrote",
        thinking="what it thought",
        mended="nothing",
        model_id="",
        tokens_in=10,
        tokens_out=5,
        cost=None,
        ms=3,
        calls=1,
        error="" if status is JudgmentStatus.OK else "it failed",
        cached_from=None,
        at=at,
        program_version="1",
    )
    with session.study.recording_run():
        insert_judgments(session.study, [made])
    return made
