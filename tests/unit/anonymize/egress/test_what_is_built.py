"""What is taken from a rendering is what was reviewed, whatever happens to the file meanwhile."""

import os
from pathlib import Path
from typing import Any

import pytest

from benchmark.judge_input import input_messages as building
from benchmark.judge_input.input_messages import build_messages
from benchmark.judge_input.input_plan import InputPlan, InputSettings, read_plan
from benchmark.judge_input.input_planning import plan_input
from media import excerpts
from media.excerpts import decode_jpegs
from models.connection.guard import ApprovedContent
from project.entities.study_records import Recording
from project.errors import UserError
from project.queries.segment_rows import all_segments
from project.session.session import Session


@pytest.fixture
def plan(session: Session, recording: Recording, rendering: str) -> InputPlan:
    (segment,) = (
        each_segment for each_segment in all_segments(session.study) if each_segment.recording_id == recording.id
    )
    return plan_input(session, segment.id, "verdict", condition=rendering, settings=InputSettings(frames=1))


def clip_in(plan: InputPlan) -> Path:
    return plan.media.path


def test_a_rendering_is_taken_as_it_is_and_through_another_process(plan: InputPlan) -> None:
    cleared = ApprovedContent()
    (picture,) = build_messages(read_plan(plan.as_json()), cleared)[1].pictures
    assert cleared.has_media(picture.sha256, plan.condition)


def test_what_a_sample_of_the_file_would_not_show_is_seen(plan: InputPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    known = plan.media.fingerprint
    monkeypatch.setattr(building, "fingerprint", lambda _path: known)
    found = bytearray(clip_in(plan).read_bytes())
    found[len(found) // 2] ^= 1
    clip_in(plan).write_bytes(found)
    with pytest.raises(UserError, match="was changed since"):
        build_messages(plan, ApprovedContent())


def test_a_file_that_is_another_one_only_while_it_is_read_is_not_sent(
    plan: InputPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = decode_jpegs

    def swapped(path: Path, *given: Any) -> list[bytes]:
        made = honest(path, *given)
        kept, times = path.read_bytes(), path.stat()
        path.write_bytes(b"another one")
        path.write_bytes(kept)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        return made

    monkeypatch.setattr(excerpts, "decode_jpegs", swapped)
    cleared = ApprovedContent()
    with pytest.raises(UserError, match="was changed since"):
        build_messages(plan, cleared)
    assert not cleared.has_text(plan.text, plan.condition)
