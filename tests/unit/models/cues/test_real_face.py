"""What a person sees in a real face is found, where the weights are installed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from media.frame_index import load_index
from models.cues.cue_baseline import BROWS, SMILE
from models.cues.facial_cues import face_cues, face_signals
from models.faces.landmarks.landmark_finders import create_landmark_finder
from models.weights import installed_weights as weights
from project.progress import Silent
from tests.builders.face_tracks import track

pytestmark = pytest.mark.weights
BOX = (112, 90, 245, 305)
"""Around the face wherever it moves: x, y, width, height in pixels."""
SEEN = ((SMILE, 9.8, 12.0), (BROWS, 15.2, 16.0), (BROWS, 16.8, 17.2))
"""Marked by eye: kind, start and end in seconds."""


def test_a_talkers_smile_and_raised_brows(
    shared_data: Path, real_weights: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(real_weights("face-landmarks").parent))
    path = shared_data / "media" / "expressive_talker.mp4"
    index = load_index(path)
    whole = track([BOX] * len(index), times_us=index.times.times_us[: len(index)].tolist())
    finder = create_landmark_finder()
    signals = face_signals(path, index, {"him": [whole]}, finder, Silent())["him"]
    finder.close()
    found = face_cues(signals)
    for kind, start, end in SEEN:
        kinds = [cue.kind for cue in found if cue.start_us / 1e6 <= start and end <= cue.end_us / 1e6]
        assert kind in kinds, (kind, start, found)
    assert len(found) <= 8
