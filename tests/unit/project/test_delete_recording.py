"""Deleting a recording takes every row that people made about it, and undo brings each of them back."""

from project.entities.study_records import Assignment, Comment, Review, ReviewDecision, Utterance
from project.queries import annotator_rows as plans
from project.queries import recording_rows as hold_outs
from project.queries import recording_rows as recordings
from project.queries.annotator_rows import set_review
from project.queries.segment_rows import insert_comments
from project.queries.transcript_rows import insert_utterances
from tests.builders.small_study import Small

_TABLES = ("hold_out", "assignment", "completion", "utterance", "review", "comment", "segment", "recording")
_AT = "2026-01-01T00:00:00.000Z"


def counts(small: Small) -> dict[str, int]:
    return {table: small.study.rows(f"SELECT count(*) FROM {table}")[0][0] for table in _TABLES}


def test_nothing_about_it_stays(small: Small) -> None:
    here, who = small.recording.id, small.annotator.id
    segment = small.add()
    with small.study.step("Fill", who):
        hold_outs.set_hold_out(small.study, here, True)
        plans.set_assignments(small.study, [Assignment(here, who)])
        plans.set_completed(small.study, here, who, _AT)
        insert_utterances(small.study, [Utterance("u", here, 0, 1_000_000, "Hello")])
        set_review(small.study, Review(segment.id, who, ReviewDecision.AGREE, "", _AT))
        insert_comments(small.study, [Comment("c", segment.id, who, "Why?", _AT, False)])
    before = counts(small)
    assert all(before.values())
    with small.study.step("Delete recording", who):
        recordings.delete_recording(small.study, here)
    assert not any(counts(small).values())
    small.study.undo()
    assert counts(small) == before
