"""What holds for every detector, identity embedding and finder of landmarks, also for those that are yet to come."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from media.decoding import iterate_frames
from models.faces.face_detectors import DETECTORS, create_detector
from models.faces.face_tracking import track_faces
from models.faces.identity.face_embeddings import EMBEDDERS, create_face_embedder, default_face_embedder
from models.faces.landmarks.face_signals import eye_closure, five_points, head_pose, mouth_opening
from models.faces.landmarks.landmark_finders import IBUG, LANDMARKS, MEDIAPIPE, create_landmark_finder
from models.faces.landmarks.mediapipe_landmarks import BOX, POINTS, draw_test_face
from models.weights import installed_weights as weights
from project.errors import UserError
from tests.builders.face_pictures import overlap
from tests.contract.documentation import ROOT
from tests.contract.footage import FRAMES, SIZE, face_clip, true_box

SHARED = ROOT.parent / "shared" / "models"
ENSEMBLE = "+".join(DETECTORS)
MAKERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys((*DETECTORS, ENSEMBLE), create_detector),
    **dict.fromkeys(EMBEDDERS, create_face_embedder),
    **dict.fromkeys(LANDMARKS, create_landmark_finder),
}
NEEDS = {**DETECTORS.weights, **EMBEDDERS.weights, **LANDMARKS.weights}
POINT_COUNTS = {MEDIAPIPE: 478, IBUG: 68}
DRAWN = np.array([POINTS], np.float32)


@cache
def model(name: str) -> Any:
    """Make one with the developers' weights; skips where there are none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(weights.FOLDER_VARIABLE, str(SHARED))
        for needed in (NEEDS[part] for part in name.split("+") if part in NEEDS):
            if not weights.is_installed(needed):
                pytest.skip(f"needs the weights {needed} in ../shared/models, which users do not have")
        return MAKERS[name](name)


@pytest.fixture(scope="module", autouse=True)
def closed() -> Iterator[None]:
    yield
    for name in LANDMARKS:
        if (SHARED / "face478.onnx").exists():
            model(name).close()


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return face_clip(tmp_path_factory.mktemp("clip") / "two seconds.mp4")


@pytest.fixture(scope="module")
def still(clip: Path) -> NDArray[np.uint8]:
    return next(iterate_frames(clip)).image.copy()


@pytest.fixture(scope="module")
def picture() -> NDArray[np.uint8]:
    """The drawn face, off the middle of a wide picture."""
    wide = np.full((300, 640, 3), 90, np.uint8)
    wide[20:276, 30:286] = draw_test_face()
    return wide


def box(x: float = 30, y: float = 20) -> NDArray[np.float32]:
    return np.array([[BOX[0] + x, BOX[1] + y, BOX[2], BOX[3]]], np.float32)


def in_threads(ask: Callable[[], Any]) -> list[Any]:
    with ThreadPoolExecutor(2) as pool:
        return [*pool.map(lambda _: ask(), range(4))]


@pytest.mark.parametrize("name", MAKERS)
def test_it_says_what_it_is_and_how_to_repeat_its_answers(name: str) -> None:
    assert model(name).key == name
    assert json.loads(json.dumps(dict(model(name).parameters))) == model(name).parameters


@pytest.mark.parametrize("name", NEEDS)
def test_without_weights_it_says_how_to_get_them(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(UserError, match="not installed") as raised:
        MAKERS[name](name)
    assert f"greenroom model fetch {NEEDS[name]}" in raised.value.hint
    assert default_face_embedder() is None


@pytest.mark.parametrize("make", [create_detector, create_face_embedder, create_landmark_finder])
def test_an_unknown_one_is_refused_with_what_there_is(make: Callable[[str], Any]) -> None:
    with pytest.raises(UserError) as raised:
        make("magic")
    known = [name for name, maker in MAKERS.items() if maker is make and name != ENSEMBLE]
    assert [name for name in known if name not in raised.value.hint] == []


def test_a_face_is_found_and_followed_through_a_clip(clip: Path) -> None:
    tracks = track_faces(clip, model("centerface")).tracks
    (best,) = [track for track in tracks if overlap(track.boxes[0].tolist(), true_box(0)) >= 0.5]
    assert list(best.frames) == list(range(FRAMES))
    for frame, place in zip(best.frames, best.boxes, strict=True):
        assert overlap(place.tolist(), true_box(int(frame))) >= 0.5


@pytest.mark.parametrize("name", [*DETECTORS, ENSEMBLE])
def test_what_a_detector_finds_is_the_face_inside_the_picture_best_first_and_scores_enough(
    name: str, still: NDArray[np.uint8]
) -> None:
    before = still.copy()
    for floor in (0.05, 0.5):
        found = model(name).detect(still, floor)
        assert len(found) == len(found.boxes) > 0
        assert overlap(found.boxes[0].tolist(), true_box(0)) >= 0.5
        assert (np.diff(found.scores) <= 0).all()
        assert found.scores.min() >= floor
        assert found.scores.max() <= 1
        assert (found.boxes >= 0).all()
        assert (found.boxes[:, :2] + found.boxes[:, 2:] <= np.array(SIZE) + 0.01).all()
    assert (still == before).all()
    for again in in_threads(lambda: model(name).detect(still, floor)):
        assert (again.boxes == found.boxes).all()
        assert (again.scores == found.scores).all()


@pytest.mark.parametrize("name", [*DETECTORS, ENSEMBLE])
def test_a_detector_takes_any_size_and_sees_no_face_where_there_is_none(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for size in ((0, 0), (1, 1), (1, 700), (33, 31), (135, 77)):
        found = model(name).detect(np.full((*size, 3), 90, np.uint8), 0.5)
        assert (found.boxes.shape, found.scores.shape) == ((0, 4), (0,)), size
        found = model(name).detect(np.random.default_rng(0).integers(0, 256, (*size, 3), np.uint8), 0.01)
        assert (found.boxes[:, :2] >= 0).all()
        assert (found.boxes[:, :2] + found.boxes[:, 2:] <= np.array(size[::-1]) + 1e-3).all()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", EMBEDDERS)
def test_a_face_is_a_vector_of_length_one_wherever_it_is_in_the_picture(name: str) -> None:
    drawn, embedder = draw_test_face(), model(name)
    turn = cv2.getRotationMatrix2D((128, 128), 30, 1.5) + np.array(((0, 0, 60), (0, 0, 40)))
    moved = np.asarray(cv2.warpAffine(drawn, turn, (500, 400)), np.uint8)
    here, mirrored, again = embedder.embed(drawn, np.concatenate([DRAWN, DRAWN[:, :, ::-1], DRAWN]))
    there = embedder.embed(moved, cv2.transform(DRAWN, turn).astype(np.float32))
    assert (here.shape, here.dtype) == ((embedder.dimensions,), np.float32)
    assert np.linalg.norm(here) == pytest.approx(1, abs=1e-5)
    assert float(there[0] @ here) > 0.9
    assert (here == again).all()
    assert not np.allclose(here, mirrored)
    assert embedder.embed(drawn, np.zeros((0, 5, 2), np.float32)).shape == (0, embedder.dimensions)
    alone = embedder.embed(drawn, DRAWN)
    assert all((found == alone).all() for found in in_threads(lambda: embedder.embed(drawn, DRAWN)))


@pytest.mark.parametrize("name", EMBEDDERS)
def test_an_embedding_tells_people_apart(name: str, shared_data: Path) -> None:
    """Equal-error rate over all pairs of 8 people with 5 stills each, with the points of a detector."""
    finder, people, vectors = create_detector("centerface"), [], []
    for file in sorted((shared_data / "stills" / "bbt").glob("*.png")):
        shown = np.ascontiguousarray(cv2.imread(str(file))[:, :, ::-1])
        vectors.append(model(name).embed(shown, finder.detect(shown, 0.2).landmarks[:1])[0])
        people.append(file.stem.partition("_")[0])
    first, second = np.triu_indices(len(people), 1)
    cosines = np.einsum("nd,nd->n", np.array(vectors)[first], np.array(vectors)[second])
    same = np.array(people)[first] == np.array(people)[second]
    assert (same.sum(), len(same)) == (80, 780)
    errors = [((cosines[~same] >= cut).mean(), (cosines[same] < cut).mean()) for cut in cosines]
    assert np.mean(min(errors, key=lambda pair: abs(pair[0] - pair[1]))) <= 0.04


def test_the_first_embedding_that_is_installed_is_used(shared_models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(shared_models))
    assert default_face_embedder() in EMBEDDERS


@pytest.mark.parametrize("name", LANDMARKS)
def test_points_of_a_drawn_face_are_found_where_they_were_drawn_one_answer_a_box(
    name: str, picture: NDArray[np.uint8]
) -> None:
    before = picture.copy()
    boxes = np.concatenate([box(), np.array([[2000, 2000, 50, 50], [0, 0, 0, 0]], np.float32), box()])
    found, outside, empty, again = model(name).find(picture, boxes)
    assert found.points.shape == (POINT_COUNTS[found.layout], 3)
    assert found.points.dtype == np.float32
    assert 0 <= found.score <= 1
    off = np.linalg.norm(five_points(found) - np.array(POINTS) - (30, 20), axis=1)
    assert off.max() < 0.1 * BOX[2]
    assert mouth_opening(found) < 0.15
    assert max(eye_closure(found)) < 0.5
    assert max(map(abs, head_pose(found, (640, 300)))) < 20
    assert (outside, empty) == (None, None)
    assert (found.points == again.points).all()
    assert model(name).find(picture, np.zeros((0, 4), np.float32)) == []
    assert (picture == before).all()
    for (told,) in in_threads(lambda: model(name).find(picture, box())):
        assert (told.points == found.points).all()


@pytest.mark.parametrize("name", LANDMARKS)
def test_points_of_a_face_at_the_edge_are_found_where_they_are(name: str) -> None:
    cut = np.ascontiguousarray(draw_test_face()[:, 80:])
    (found,) = model(name).find(cut, box(-80, 0))
    right_of_it = np.array(POINTS)[[1, 2, 4]] - (80, 0)
    assert np.linalg.norm(five_points(found)[[1, 2, 4]] - right_of_it, axis=1).max() < 0.2 * BOX[2]
