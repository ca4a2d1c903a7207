"""Which face speaks, where it is known which mouth follows the sound; also of real and synthetic talkers."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.exact_frames import FrameReader
from media.frame_index import load_index
from models.faces.face_detectors import create_detector
from models.speakers.active_speaker import (
    PATCH_SIDE,
    FaceMovement,
    Mouth,
    patch_motion,
    resample_mouth,
    score_faces,
)
from models.speakers.voice_clustering import BIN_US
from models.voices.voice_embeddings import EMBEDDERS, create_voice_embedder
from models.weights import installed_weights as weights
from project.entities.study_records import FaceTrack
from tests.builders.dialogues import VOICES, side_by_side, synthetic
from tests.builders.face_tracks import track
from tests.builders.planted_speakers import moving, still, syllables
from tools.bench.speakers import given_right, heard

BINS = 400
SPAN = (2_000_000, 6_000_000)
SHOT = (0, BINS * BIN_US)


def test_the_mouth_that_follows_the_sound_speaks() -> None:
    seed = 0
    sound = syllables(BINS, seed)
    faces = score_faces(
        {"other": moving(sound, 0.0, seed), "speaker": moving(sound, 0.8, seed), "still": still(BINS, seed)},
        sound,
        *SPAN,
        SHOT,
    )
    assert faces.best_face() is not None
    assert faces.best_face()[0] == "speaker"
    assert sum(faces.scores.values()) + faces.nobody == pytest.approx(1)


def test_shuffled_sound_follows_no_mouth() -> None:
    """Over many shuffles, a mouth that moves as in speech is seldom taken for the speaker's."""
    sound = syllables(BINS, 1)
    mouths = {"a": moving(sound, 0.9, 1), "b": moving(sound, 0.5, 2)}
    wrong = 0
    for seed in range(40):
        other = syllables(BINS, 50 + seed)
        best = score_faces(mouths, other, 2_000_000, 8_000_000, SHOT).best_face()
        wrong += best is not None and best[1] > 0.6
    assert wrong <= 4


def test_nobody_visible_speaks_where_no_mouth_moves() -> None:
    sound = syllables(BINS, 3)
    faces = score_faces({"a": still(BINS, 1), "b": still(BINS, 2)}, sound, *SPAN, SHOT)
    assert faces.best_face() is None
    assert faces.nobody > 0.8
    assert score_faces({}, sound, *SPAN, SHOT).nobody == 1


def test_a_face_that_is_seen_too_little_is_left_out() -> None:
    sound = syllables(BINS, 4)
    whole = moving(sound, 0.9, 4)
    short = Mouth(40, whole.activity[40:60], whole.opening[40:60])
    assert dict(score_faces({"short": short}, sound, *SPAN, SHOT).scores) == {}
    late = Mouth(300, whole.activity[300:], whole.opening[300:])
    assert dict(score_faces({"late": late}, sound, *SPAN, SHOT).scores) == {}


def test_a_longer_stretch_makes_more_certain() -> None:
    sound = syllables(BINS, 5)
    mouths = {"a": moving(sound, 0.8, 5), "b": moving(sound, 0.0, 6)}
    short, long = (score_faces(mouths, sound, 1_000_000, end, SHOT).scores["a"] for end in (1_400_000, 9_000_000))
    assert short < long
    assert long > 0.95


@given(st.integers(-50_000, 30_000_000), st.integers(1, 5_000_000), st.integers(0, 20))
def test_any_stretch_is_judged(start: int, length: int, seed: int) -> None:
    sound = syllables(BINS, seed)
    faces = score_faces({"a": moving(sound, 0.5, seed)}, sound, start, start + length, SHOT)
    assert sum(faces.scores.values()) + faces.nobody == pytest.approx(1)


def test_a_mouth_that_moves_in_a_head_that_does_not_is_motion() -> None:
    face = np.random.default_rng(0).integers(0, 255, (PATCH_SIDE, PATCH_SIDE)).astype(np.uint8)
    talking, nodding = face.copy(), np.roll(face, 2, axis=0)
    talking[44:56, 20:44] = 0
    assert patch_motion(face, face, 0.05) == 0
    assert patch_motion(face, talking, 0.05) > 5 * abs(patch_motion(face, nodding, 0.05))


def test_looks_become_bins_and_gaps_stay_gaps() -> None:
    times = np.array([*range(0, 1_000_000, 40_000), *range(3_000_000, 4_000_000, 40_000)], np.int64)
    motions = np.sin(times / 90_000)
    motions[0] = np.nan
    mouth = resample_mouth(FaceMovement(times, np.full(len(times), np.nan), motions))
    assert mouth.first == 0
    assert len(mouth.activity) == 3_960_000 // BIN_US + 1
    assert np.isnan(mouth.activity[24:58]).all()
    assert np.isfinite(mouth.activity[2:19]).all()
    assert np.isnan(mouth.opening).all()


INSTALLED = weights.weights_folder()


def held(path: Path) -> list[FaceTrack]:
    """Return the faces of the first picture as if they stayed where they are."""
    times = load_index(path).times.times_us
    with FrameReader(path) as reader:
        boxes = create_detector("yunet").detect(reader.frame_at(0).image, 0.5).boxes
    return [
        track([tuple(box)] * len(times), name=f"face {number}", times_us=times.tolist())
        for number, box in enumerate(boxes.tolist())
    ]


@pytest.mark.parametrize("landmarks", [True, pytest.param(False, marks=pytest.mark.soak)])
def test_of_two_talkers_the_one_that_is_heard_is_found(
    landmarks: bool, shared_data: Path, shared_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(shared_models))
    clip, path = shared_data / "media" / "talk_vfr_tags.mp4", tmp_path / "both.mkv"
    turns = side_by_side(clip, clip, path, shift_s=2.05, turn_s=3.05, turns=2)
    right, _, spoken = given_right(path, turns, landmarks, held(path))
    assert spoken > 2
    assert right >= (0.85 if landmarks else 0.6)


@pytest.mark.weights
@pytest.mark.parametrize("count", [1, 2])
def test_synthetic_voices_are_told_apart(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(INSTALLED))
    if not EMBEDDERS.is_installed("resemblyzer"):
        pytest.skip("needs weights; get them with: greenroom model fetch voice-embedding")
    talk = synthetic(VOICES[:count], 12, 7)
    voices, error = heard(talk, None, create_voice_embedder("resemblyzer"), None)
    assert voices == count
    assert error <= 0.1
