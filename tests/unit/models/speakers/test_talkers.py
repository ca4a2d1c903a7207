"""Speakers of conversations that are put together from real and synthetic talkers."""

from pathlib import Path

import pytest

from media.exact_frames import FrameReader
from media.frame_index import load_index
from models.faces.face_detectors import create_detector
from models.voices.voice_embeddings import EMBEDDERS, create_voice_embedder
from models.weights import installed_weights as weights
from project.entities.study_records import FaceTrack
from tests.builders.dialogues import VOICES, diarization_error, side_by_side, synthetic
from tests.builders.face_tracks import track
from tools.bench.speakers import given_right, heard

INSTALLED = weights.weights_folder()
Turn = tuple[float, float, int]


def held(path: Path) -> list[FaceTrack]:
    """Return the faces of the first picture as if they stayed where they are."""
    times = load_index(path).times.times_us
    with FrameReader(path) as reader:
        boxes = create_detector("yunet").detect(reader.frame_at(0).image, 0.5).boxes
    return [
        track([tuple(box)] * len(times), name=f"face {number}", times_us=times.tolist())
        for number, box in enumerate(boxes.tolist())
    ]


@pytest.fixture(scope="module")
def both(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Turn]]:
    """Two talkers beside each other, and whose turn it is when."""
    clip, path = shared_data / "media" / "talk_vfr_tags.mp4", tmp_path_factory.mktemp("talk") / "both.mkv"
    return path, side_by_side(clip, clip, path, shift_s=2.05, turn_s=3.05, turns=2)


@pytest.mark.parametrize("landmarks", [False, True])
def test_of_two_talkers_the_one_that_is_heard_is_found(
    landmarks: bool, both: tuple[Path, list[Turn]], shared_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(shared_models))
    path, turns = both
    right, _, spoken = given_right(path, turns, landmarks, held(path))
    assert spoken > 2
    assert right >= (0.85 if landmarks else 0.6)


@pytest.mark.weights
@pytest.mark.parametrize("count", [1, 2])
def test_synthetic_voices_are_told_apart(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(INSTALLED))
    if not EMBEDDERS.is_installed("resemblyzer"):
        pytest.skip("needs weights; get them with: greenroom models fetch voice-embedding")
    talk = synthetic(VOICES[:count], 12, 7)
    voices, error = heard(talk, None, create_voice_embedder("resemblyzer"), None)
    assert voices == count
    assert error <= 0.1


def test_the_error_rate_is_that_of_the_definition() -> None:
    truth = [(0.0, 4.0, 0), (4.0, 8.0, 1)]
    assert diarization_error(truth, [(0.0, 4.0, 1), (4.0, 8.0, 0)]) == 0
    assert diarization_error(truth, [(0.2, 4.1, 1), (4.1, 8.2, 0)]) == 0, "inside the collar"
    assert diarization_error(truth, []) == 1
    assert diarization_error(truth, [(0.0, 8.0, 5)]) == pytest.approx(0.5, abs=0.01)
    assert diarization_error(truth, [*truth, (9.0, 12.5, 0)]) == pytest.approx(0.5, abs=0.02)
    assert diarization_error([], []) == 0
