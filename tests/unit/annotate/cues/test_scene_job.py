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
from project.errors import Cancelled, UserError
from project.progress import Silent
from project.queries.history_rows import latest_run
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.cancelling import CancelAt
from tests.builders.clips import Image, make_clip
from tests.builders.face_study import only_recording
from tests.builders.full_disk import full_disk

CUTS = (12, 30, 32)
"""Positions with which a view begins; the one that begins with 30 lasts two frames and is none."""


def views(index: int, width: int, height: int) -> Image:
    rng = np.random.default_rng(sum(index >= cut for cut in CUTS))
    patches = rng.integers(30, 220, (6, 8, 3)).astype(np.uint8)
    return np.ascontiguousarray(np.kron(patches, np.ones((height // 6, width // 8, 1), np.uint8)))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as opened:
        clip = make_clip(tmp_path / "views.mp4", size=(160, 120), frames=50, fps=25, draw=views)
        add_recordings(opened, [probe_file(clip)])
        yield opened


def find(session: Session) -> None:
    run_inline(session, scene_job.prepare(session, only_recording(session)), Silent())


def test_scene_changes_become_prelabels_of_nobody(session: Session) -> None:
    find(session)
    found = read_scene_events(session, only_recording(session))
    assert [(event.segment.start_us, event.segment.end_us) for event in found] == [
        (480_000, 980_000),
        (1_280_000, 1_780_000),
    ]
    assert {(event.name, event.prelabel, event.segment.scheme) for event in found} == {("Cut", True, SCHEME)}
    run = latest_run(session.study, only_recording(session), "scenes")
    assert run.result["changes"] == [12, 32]


def test_figures_without_their_prelabels_are_not_kept(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(prelabels, "_insert", full_disk)
        with pytest.raises(UserError, match="full"):
            find(session)
    assert latest_run(session.study, only_recording(session), "scenes") is None
    find(session)
    assert read_scene_events(session, only_recording(session))


def test_what_was_decided_stays_and_does_not_come_again(session: Session) -> None:
    find(session)
    first, second = read_scene_events(session, only_recording(session))
    prelabels.accept_prelabels(session, [first.segment.id])
    prelabels.reject_prelabels(session, [second.segment.id])
    find(session)
    (kept,) = read_scene_events(session, only_recording(session))
    assert not kept.prelabel
    assert kept.segment.start_us == first.segment.start_us


def test_suggesting_scenes_leaves_suggested_cues_alone(session: Session) -> None:
    use_shipped_scheme(session, "cues")
    prelabels.replace_prelabels(
        session, only_recording(session), [CuePrelabel("action", "gesture", 0, 500_000, None, "Waves.")]
    )
    find(session)
    assert [
        open_prelabel.segment.scheme for open_prelabel in prelabels.open_prelabels(session, only_recording(session))
    ] == ["cues", SCHEME, SCHEME]


def test_it_stops_when_it_is_cancelled(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "views.mp4", size=(160, 120), frames=30, draw=views)
    with pytest.raises(Cancelled):
        scene_changes(clip, load_index(clip), CancelAt())


@pytest.mark.soak
def test_the_cuts_of_a_conversation_are_those_that_one_sees(shared_data: Path) -> None:
    path = shared_data / "media" / "conv_multi_friends_720p.mp4"
    assert scene_changes(path, load_index(path), Silent()) == [104, 270, 401, 452, 553]


@pytest.mark.soak
@pytest.mark.parametrize("name", ["fresco_music.mp4", "expressive_talker.mp4", "expressions_hand_occl.mp4"])
def test_footage_of_one_view_has_none(shared_data: Path, name: str) -> None:
    path = shared_data / "media" / name
    assert scene_changes(path, load_index(path), Silent()) == []


def test_a_black_picture_between_two_views_makes_one_change(shared_data: Path) -> None:
    path = shared_data / "media" / "face_noface_vfr_hevc.mov"
    assert scene_changes(path, load_index(path), Silent()) == [73]
