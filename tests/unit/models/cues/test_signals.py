"""Planted movements are found, noise is not; what a person sees in a real face is found where weights are installed."""

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from media.frame_index import load_index
from models.cues.cue_baseline import BROWS, GAZE_AWAY, NOD, SHAKE, SMILE, find_spans
from models.cues.facial_cues import FaceSignals, face_cues, face_signals, head_movements
from models.faces.landmarks.landmark_finders import create_landmark_finder
from models.sound_spans import cut_spans
from models.weights import installed_weights as weights
from project.progress import Silent
from tests.builders.face_tracks import track

SECOND = 1_000_000
TIMES = np.arange(0, 60 * SECOND, SECOND // 15, dtype=np.int64)
SECONDS = TIMES / SECOND


def still(seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Yaw and pitch of a head that drifts and trembles."""
    rng = np.random.default_rng(seed)
    drift = 6 * np.sin(SECONDS * 0.25), 3 * np.sin(SECONDS * 0.4)
    return drift[0] + rng.normal(0, 0.6, len(TIMES)), drift[1] + rng.normal(0, 0.6, len(TIMES))


def swinging(start_s: float, length_s: float, hertz: float, degrees: float) -> NDArray[np.float64]:
    inside = (start_s <= SECONDS) & (start_s + length_s > SECONDS)
    return np.where(inside, degrees * np.sin(2 * np.pi * hertz * (SECONDS - start_s)), 0)


def test_a_nod_and_a_shake_are_found_where_they_are_planted() -> None:
    yaw, pitch = still(0)
    found = head_movements(TIMES, yaw + swinging(40, 1.5, 2.2, 7), pitch + swinging(20, 1.5, 2, 4))
    assert [cue_suggestion.kind for cue_suggestion in found] == [NOD, SHAKE]
    for cue_suggestion, start in zip(found, (20, 40), strict=True):
        assert abs(cue_suggestion.start_us / SECOND - start) < 0.5
        assert abs(cue_suggestion.end_us / SECOND - start - 1.5) < 0.5


def test_noise_a_single_turn_of_the_head_a_movement_on_both_axes_and_a_hole_are_neither() -> None:
    yaw, pitch = still(1)
    assert head_movements(TIMES, yaw, pitch) == []
    turn = 30 / (1 + np.exp(-(SECONDS - 30) * 12))
    assert head_movements(TIMES, yaw + turn, pitch) == []
    both = swinging(20, 2, 2, 6)
    assert head_movements(TIMES, yaw + both, pitch + both) == []
    hole = np.where((SECONDS > 19.5) & (SECONDS < 22), np.nan, pitch + swinging(20, 1.5, 2, 4))
    assert head_movements(TIMES, yaw, hole) == []


def signals(seed: int = 0, **planted: NDArray[np.float64]) -> FaceSignals:
    """A face at rest with some noise, and what is added to it."""
    rng = np.random.default_rng(seed)
    yaw, pitch = still(seed)
    rest = {"mouth_width": (0.55, 0.015), "corner_lift": (-0.02, 0.008), "mouth_opening": (0.03, 0.01),
            "brow_height": (0.25, 0.006), "eye_closure": (0.1, 0.05), "iris_side": (0, 0.01),
            "iris_down": (0, 0.01)}  # fmt: skip
    made = {name: rng.normal(middle, spread, len(TIMES)) for name, (middle, spread) in rest.items()}
    made |= {"yaw": yaw, "pitch": pitch}
    return FaceSignals(TIMES, **{name: values + planted.get(name, 0.0) for name, values in made.items()})


def over(start_s: float, end_s: float, height: float) -> NDArray[np.float64]:
    return np.where((start_s <= SECONDS) & (end_s > SECONDS), height, 0.0)


def test_a_smile_widens_the_mouth_and_lifts_its_corners() -> None:
    assert face_cues(signals()) == []
    smiling = signals(mouth_width=over(10, 13, 0.12), corner_lift=over(10, 13, 0.06))
    (found,) = face_cues(smiling)
    assert found.kind == SMILE
    assert abs(found.start_us - 10 * SECOND) < SECOND // 3
    assert abs(found.end_us - 13 * SECOND) < SECOND // 3
    assert face_cues(signals(mouth_width=over(10, 13, 0.12), corner_lift=over(10, 13, -0.06))) == []


def test_who_smiles_half_of_the_time_still_does() -> None:
    found = face_cues(signals(mouth_width=over(0, 30, 0.12), corner_lift=over(0, 30, 0.06)))
    assert [cue_suggestion.kind for cue_suggestion in found] == [SMILE]


def test_raised_brows_and_eyes_that_look_away() -> None:
    found = face_cues(signals(brow_height=over(20, 21, 0.09), iris_side=over(40, 42, 0.25)))
    assert [cue_suggestion.kind for cue_suggestion in found] == [BROWS, GAZE_AWAY]
    assert face_cues(signals(iris_side=over(40, 42, 0.25), eye_closure=over(40, 42, 0.9))) == []


@given(st.lists(st.booleans(), min_size=1, max_size=80))
def test_stretches_are_high_at_their_ends_and_bridge_no_long_hole(high: list[bool]) -> None:
    times = np.arange(len(high), dtype=np.int64) * 100_000
    scores = np.where(high, 3.0, 0.0)
    found = list(find_spans(times, scores, 2.0, 1.0, 0, 250_000))
    assert sum(scores[first : last + 1].astype(bool).sum() for first, last, _, _ in found) == sum(high)
    for (_, last, _, end), (first, _, start, _) in itertools.pairwise(found):
        assert start - end > 250_000
        assert high[last]
        assert high[first]


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=8),
)
def test_pieces_are_what_lies_between_their_ends(sizes: list[int], asked: list[tuple[int, int]]) -> None:
    whole = np.arange(sum(sizes), dtype=np.float32)
    blocks = np.split(whole, np.cumsum(sizes)[:-1])
    spans = [(first, first + length) for first, length in asked]
    got = dict(cut_spans(blocks, spans))
    assert set(got) == {at for at, (first, _) in enumerate(spans) if first < len(whole)}
    for at, samples in got.items():
        assert samples.tolist() == whole[spans[at][0] : spans[at][1]].tolist()


BOX = (112, 90, 245, 305)
"""Around the face wherever it moves: x, y, width, height in pixels."""
SEEN = ((SMILE, 9.8, 12.0), (BROWS, 15.2, 16.0), (BROWS, 16.8, 17.2))
"""Marked by eye: kind, start and end in seconds."""


@pytest.mark.weights
@pytest.mark.soak
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
