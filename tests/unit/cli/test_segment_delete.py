"""Deleting segments by ids says how many of how many recordings they were."""

from pathlib import Path

import pytest

from project.queries.segment_rows import all_segments
from project.session.session import Session
from tests.builders.terminal import Terminal


def test_it_counts_segments_and_recordings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    greenroom, path = Terminal(capsys), tmp_path / "lab.greenroom"
    greenroom("synthetic", path, "--recordings", "3", "--segments", "30")
    with Session.open(path, "Annotator 1") as session:
        who = session.annotator()
        own = [segment for segment in all_segments(session.study) if segment.annotator_id == who.id]
    first = own[0].recording_id
    other = next(segment for segment in own if segment.recording_id != first)
    same = [segment.id for segment in own if segment.recording_id == first][:2]
    deleted = greenroom("segment", "delete", path, *same, other.id, "--annotator", "Annotator 1")
    assert deleted.startswith("Deleted 3 segments in 2 recordings. Undo: greenroom undo ")
    assert greenroom("undo", path) == "Undone: Delete 3 segments in 2 recordings\n"
    assert greenroom("segment", "delete", path, other.id, "--annotator", "Annotator 1").startswith("Deleted 1 segment.")
