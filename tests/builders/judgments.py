"""Judgments that no judge gave, for tests of what shows them."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import count

from project.entities.judgments import PERSON_BACKEND, RAW_CONDITION, JudgeEntry, Judgment, JudgmentStatus
from project.entities.study_records import Json
from project.queries.judgment_rows import insert_judgments
from project.queries.segment_rows import find_segment
from project.session.session import Session

_numbers = count(1)


def made_up(
    entry: JudgeEntry, session: Session, segment_id: str, answer: Mapping[str, Json], **other: Json
) -> Judgment:
    """Return what a judge might have said about a segment; `other` are attributes of it."""
    about = find_segment(session.study, segment_id)
    number = next(_numbers)
    said = Judgment(
        id=f"judgment-{number:04d}",
        judge_id=entry.id,
        judge={"name": entry.name, "backend": entry.backend, "model": entry.model, "settings": dict(entry.settings)},
        annotator_id=None,
        recording_id=about.recording_id,
        segment_id=segment_id,
        start_us=about.start_us,
        end_us=about.end_us,
        task="assess",
        variant="plain",
        condition=RAW_CONDITION,
        seed=0,
        prompt="assess@1",
        prompt_sha256="ab" * 32,
        request_key=f"{number:064d}",
        sight={"system": "You watch people.", "text": "What happened?", "frames": []},
        status=JudgmentStatus.OK,
        answer=dict(answer),
        raw='{"label": "error"}',
        thinking="",
        mended="nothing",
        model_id="some-model-1",
        tokens_in=1534,
        tokens_out=212,
        cost=0.0012,
        ms=1234,
        calls=1,
        error="",
        cached_from=None,
        at=f"2026-11-21T12:00:{number % 60:02d}.{number:06d}+00:00",
        program_version="1",
    )
    return replace(said, **other)


def store(session: Session, *judgments: Judgment) -> None:
    """Put judgments into the study, as a run does."""
    with session.study.run_transaction():
        insert_judgments(session.study, judgments)


def judged(
    session: Session,
    segment_id: str,
    judge: str = "Model A",
    *,
    task: str = "assess",
    condition: str = RAW_CONDITION,
    annotator_id: str | None = None,
    status: JudgmentStatus = JudgmentStatus.OK,
    at: str = "2026-01-01T00:00:00.000Z",
    **answer: Json,
) -> Judgment:
    """Store what a judge, or a person in the form, says about a segment."""
    ok = status is JudgmentStatus.OK
    entry = JudgeEntry(judge, judge, PERSON_BACKEND if annotator_id else "constant")
    other = {"annotator_id": annotator_id, "task": task, "condition": condition, "prompt": f"{task}@1", "at": at}
    made = made_up(entry, session, segment_id, answer if ok else {}, **other)
    made = replace(made, status=status, thinking="what it thought", cost=None, error="" if ok else "it failed")
    store(session, made)
    return made
