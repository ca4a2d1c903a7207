"""Scene changes are found to the frame, and suggested as pre-labels that somebody accepts or rejects."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from annotate.cues import prelabels
from annotate.cues.cue_marks import CuePrelabel
from annotate.meta import scenes as scene_job
from annotate.meta.scenes import SCHEME, read_scene_events
from annotate.study.recording_edits import add_recordings, probe_file
from annotate.study.scheme_versions import use_shipped_scheme
from media.frame_index import load_index
from models.faces.scene_changes import scene_changes
from project.errors import Cancelled
from project.progress import Silent
from project.queries.history_rows import latest_run
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.cancelling import CancelAt
from tests.builders.clips import Image, make_clip
from tests.builders.face_study import only_recording

CUTS = (12, 30, 32)
"""Positions with which a view begins; the one that begins with 30 lasts two frames and is none."""


def views(index: int, width: int, height: int) -> Image:
    rng = np.random.default_rng(sum(index >= cut for cut in CUTS))
    patches = rng.integers(30, 220, (6, 8, 3)).astype(np.uint8)
    return np.ascontiguousarray(np.kron(patches, np.ones((height // 6, width // 8, 1), np.uint8)))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as opened:
        clip = make_clip(tmp_path / "views.mp4", size=(80, 60), frames=50, fps=25, draw=views)
        add_recordings(opened, [probe_file(clip)])
        yield opened


def find(session: Session) -> None:
    run_inline(session, scene_job.prepare(session, only_recording(session)), Silent())


def test_scene_changes_become_prelabels_of_nobody_unless_it_is_stopped(session: Session) -> None:
    with pytest.raises(Cancelled):
        run_inline(session, scene_job.prepare(session, only_recording(session)), CancelAt())
    assert latest_run(session.study, only_recording(session), "scenes") is None
    find(session)
    found = read_scene_events(session, only_recording(session))
    assert [(event.segment.start_us, event.segment.end_us) for event in found] == [
        (480_000, 980_000),
        (1_280_000, 1_780_000),
    ]
    assert {(event.name, event.prelabel, event.segment.scheme) for event in found} == {("Cut", True, SCHEME)}
    run = latest_run(session.study, only_recording(session), "scenes")
    assert run.result["changes"] == [12, 32]


@pytest.mark.soak
def test_the_cuts_of_a_conversation_are_those_that_one_sees(shared_data: Path) -> None:
    path = shared_data / "media" / "conv_multi_friends_720p.mp4"
    assert scene_changes(path, load_index(path), Silent()) == [104, 270, 401, 452, 553]


def test_a_black_picture_between_two_views_makes_one_change(shared_data: Path) -> None:
    path = shared_data / "media" / "face_noface_vfr_hevc.mov"
    assert scene_changes(path, load_index(path), Silent()) == [73]


def test_what_was_decided_stays_and_does_not_come_again_and_cues_are_left_alone(session: Session) -> None:
    here = only_recording(session)
    use_shipped_scheme(session, "cues")
    prelabels.replace_prelabels(session, here, [CuePrelabel("action", "gesture", 0, 500_000, None, "Waves.")])
    find(session)
    assert [each.segment.scheme for each in prelabels.open_prelabels(session, here)] == ["cues", SCHEME, SCHEME]
    first, second = read_scene_events(session, here)
    prelabels.accept_prelabels(session, [first.segment.id])
    prelabels.reject_prelabels(session, [second.segment.id])
    find(session)
    (kept,) = read_scene_events(session, here)
    assert not kept.prelabel
    assert kept.segment.start_us == first.segment.start_us
