"""Who may be one person: likely pairs first, never two who are seen together; the best views of each are embedded."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from media.frame_index import load_index
from models.faces.face_detectors import Detections
from models.faces.face_tracking import embed_tracks
from models.faces.frame_detections import DESCRIPTION_LENGTH, compare_descriptions, describe_face
from models.faces.track_linking import describe_tracks, suggest_groups
from project.entities.study_records import FaceTrack, Json
from project.progress import Silent
from tests.builders.face_pictures import seen, write_clip
from tests.builders.face_tracks import track


def _track(name: str, first: int, last: int) -> FaceTrack:
    return track([(10, 10, 40, 50)] * (last + 1 - first), name=name, first=first, score=0.9)


def _looks(*places: int, blur: float = 0.0) -> dict[str, np.ndarray]:
    found = {}
    for n, place in enumerate(places):
        look = np.zeros(DESCRIPTION_LENGTH)
        look[place::4] = 2 * 255 / np.sqrt(DESCRIPTION_LENGTH / 4)
        found[str(n)] = look * (1 - blur)
    return found


def test_the_same_looks_in_two_shots_are_suggested_and_others_are_not() -> None:
    tracks = [_track("0", 0, 9), _track("1", 0, 9), _track("2", 10, 19), _track("3", 10, 19)]
    found = suggest_groups(tracks, _looks(0, 1, 1, 2), {})
    assert [suggestion.tracks for suggestion in found] == [("1", "2")]
    assert found[0].confidence == 1


def test_people_seen_together_are_never_one() -> None:
    tracks = [_track("0", 0, 9), _track("1", 5, 14), _track("2", 20, 29)]
    found = suggest_groups(tracks, _looks(0, 0, 0), {})
    assert sorted(len(suggestion.tracks) for suggestion in found) == [2]


def test_an_embedding_overrules_looks() -> None:
    tracks = [_track("0", 0, 9), _track("1", 10, 19), _track("2", 20, 29)]
    who = {"0": np.array([1, 0], np.float32), "1": np.array([0, 1], np.float32), "2": np.array([1, 0], np.float32)}
    assert [suggest_group.tracks for suggest_group in suggest_groups(tracks, _looks(0, 0, 1), who)] == [("0", "2")]


def test_what_was_found_rarely_or_unsurely_is_not_compared() -> None:
    often, rare = _track("often", 0, 9), _track("rare", 0, 2)
    frames = [seen(i, (10, 10, 40, 50, 0.9), (200, 10, 40, 50, 0.9)) for i in range(10)]
    assert list(describe_tracks([often, rare], frames)) == ["often"]
    assert describe_tracks([often], frames)["often"] == pytest.approx(np.full(DESCRIPTION_LENGTH, 90))
    assert suggest_groups([often], describe_tracks([often], frames), {}) == []


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(5, 20)), max_size=8))
def test_groups_hold_each_track_once_and_nobody_twice_in_a_frame(plan: list[tuple[int, int, int]]) -> None:
    tracks = [_track(str(n), first, first + length) for n, (_, first, length) in enumerate(plan)]
    found = suggest_groups(tracks, _looks(*(place for place, _, _ in plan)), {})
    members = [name for suggestion in found for name in suggestion.tracks]
    assert len(members) == len(set(members))
    for suggestion in found:
        assert 0.3 <= suggestion.confidence <= 1
        frames = np.concatenate([tracks[int(name)].frames for name in suggestion.tracks])
        assert len(np.unique(frames)) == len(frames)


def _portrait(seed: int, size: int = 64) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    luma = np.kron(rng.integers(20, 230, (8, 8)), np.ones((size // 8, size // 8))).astype(np.uint8)
    blue, red = (np.kron(rng.integers(100, 156, (4, 4)), np.ones((size // 8, size // 8))) for _ in range(2))
    return luma, blue.astype(np.uint8), red.astype(np.uint8)


def test_a_face_is_most_like_itself_also_brighter_and_at_half_the_size() -> None:
    box = (12, 12, 40, 40)
    faces = [_portrait(seed) for seed in range(4)]
    known = np.array([describe_face(face, box) for face in faces])
    brighter = [(np.minimum(face[0] * 0.8 + 40, 255).astype(np.uint8), *face[1:]) for face in faces]
    smaller = [tuple(plane[::2, ::2] for plane in face) for face in faces]
    for others in (
        [describe_face(face, box) for face in brighter],
        [describe_face(face, (6, 6, 20, 20)) for face in smaller],
    ):
        alike = compare_descriptions(known, np.array(others))
        assert (alike.argmax(axis=1) == np.arange(4)).all()
        assert alike.diagonal().min() > 0.9
    assert compare_descriptions(known, known).diagonal() == pytest.approx(1, abs=0.01)


FACES = ((40, 60, 60, 80), (200, 60, 60, 80))


class Pointing:
    """Finds the bright rectangle in what it is shown, with five points in its middle, or without."""

    key = "pointing"
    parameters: ClassVar[Mapping[str, Json]] = {}

    def __init__(self, points: bool) -> None:
        self._points = points

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        rows, columns = np.nonzero(image[:, :, 1] > 60)
        if not len(rows):
            return Detections.empty()
        left, top, right, bottom = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
        middle = np.array([(left + right) / 2, (top + bottom) / 2], np.float32)
        box = np.array([[left, top, right - left, bottom - top]], np.float32)
        return Detections(box, np.ones(1, np.float32), np.tile(middle, (1, 5, 1)) if self._points else None)


class Brightness:
    """Takes how bright the picture is at the nose for who it is."""

    key, dimensions = "brightness", 2
    parameters: ClassVar[Mapping[str, Json]] = {}

    def embed(self, image: NDArray[np.uint8], five_points: NDArray[np.float32]) -> NDArray[np.float32]:
        x, y = five_points[0, 2].astype(int)
        turn = float(image[y, x].mean()) / 255 * np.pi / 2
        return np.array([[np.cos(turn), np.sin(turn)]], np.float32)


@pytest.mark.parametrize("points", [True, False])
def test_each_track_is_embedded_at_its_own_face(tmp_path: Path, points: bool) -> None:
    image = np.zeros((200, 320, 3), np.uint8)
    for (x, y, w, h), grey in zip(FACES, (90, 250), strict=True):
        image[y : y + h, x : x + w] = grey
    clip = write_clip(tmp_path / "two.mkv", [image] * 12, "ffv1")
    shown = (("dark", FACES[0], 0.9), ("bright", FACES[1], 0.9), ("unsure", FACES[1], 0.3))
    tracks = [track([face] * 12, name=name, score=score) for name, face, score in shown]
    found = embed_tracks(clip, load_index(clip), tracks, Pointing(points), Brightness(), Silent())
    assert sorted(found) == (["bright", "dark"] if points else [])
    for name, grey in (("dark", 90), ("bright", 250)) if points else ():
        turn = grey / 255 * np.pi / 2
        assert found[name] == pytest.approx([np.cos(turn), np.sin(turn)], abs=0.02)
