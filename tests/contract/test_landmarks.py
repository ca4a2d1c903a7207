"""What holds for every finder of landmarks of the registry, also for those that are yet to come."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from models.faces.landmarks.face_signals import eye_closure, five_points, head_pose, mouth_opening
from models.faces.landmarks.landmark_finders import (
    IBUG,
    LANDMARKS,
    MEDIAPIPE,
    NEEDS_WEIGHTS,
    LandmarkFinder,
    create_landmark_finder,
    is_installed,
)
from models.faces.landmarks.mediapipe_landmarks import BOX, POINTS, draw_test_face
from models.weights import installed_weights as weights
from project.errors import UserError
from tests.contract.documentation import ROOT, page

SHARED = ROOT.parent / "shared" / "models"
COUNTS = {MEDIAPIPE: 478, IBUG: 68}


@cache
def _made(name: str) -> LandmarkFinder:
    """Make a finder with the developers' weights; skips where there are none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(weights.FOLDER_VARIABLE, str(SHARED))
        if not is_installed(name):
            pytest.skip(f"needs the weights {NEEDS_WEIGHTS[name]} in ../shared/models, which users do not have")
        return create_landmark_finder(name)


@pytest.fixture(scope="module", autouse=True)
def freed() -> Iterator[None]:
    yield
    for name in LANDMARKS:
        if (SHARED / "face478.onnx").exists():
            _made(name).close()


@pytest.fixture(scope="module")
def picture() -> NDArray[np.uint8]:
    """The drawn face twice: whole, and smaller at the right and lower edge of a wide picture."""
    wide = np.full((300, 640, 3), 90, np.uint8)
    wide[20:276, 30:286] = draw_test_face()
    return wide


def box(x: float = 30, y: float = 20) -> NDArray[np.float32]:
    return np.array([[BOX[0] + x, BOX[1] + y, BOX[2], BOX[3]]], np.float32)


@pytest.mark.parametrize("name", LANDMARKS)
def test_it_says_what_it_is_and_how_to_repeat_its_answers(name: str) -> None:
    assert _made(name).key == name
    assert json.loads(json.dumps(dict(_made(name).parameters))) == _made(name).parameters


@pytest.mark.parametrize("name", LANDMARKS)
def test_it_finds_the_points_of_a_drawn_face_where_they_were_drawn(name: str, picture: NDArray[np.uint8]) -> None:
    before = picture.copy()
    (found,) = _made(name).find(picture, box())
    assert found.points.shape == (COUNTS[found.layout], 3)
    assert found.points.dtype == np.float32
    assert 0 <= found.score <= 1
    off = np.linalg.norm(five_points(found) - np.array(POINTS) - (30, 20), axis=1)
    assert off.max() < 0.1 * BOX[2]
    assert mouth_opening(found) < 0.15
    assert max(eye_closure(found)) < 0.5
    assert max(map(abs, head_pose(found, (640, 300)))) < 20
    assert (picture == before).all()


@pytest.mark.parametrize("name", LANDMARKS)
def test_it_gives_one_answer_a_box_in_their_order(name: str, picture: NDArray[np.uint8]) -> None:
    boxes = np.concatenate([box(), np.array([[2000, 2000, 50, 50], [0, 0, 0, 0]], np.float32), box()])
    first, outside, empty, again = _made(name).find(picture, boxes)
    assert outside is None
    assert empty is None
    assert (first.points == again.points).all()
    assert _made(name).find(picture, np.zeros((0, 4), np.float32)) == []


@pytest.mark.parametrize("name", LANDMARKS)
def test_a_face_at_the_edge_is_found_where_it_is(name: str) -> None:
    cut = np.ascontiguousarray(draw_test_face()[:, 80:])
    (found,) = _made(name).find(cut, box(-80, 0))
    if found is not None:
        right_of_it = np.array(POINTS)[[1, 2, 4]] - (80, 0)
        assert np.linalg.norm(five_points(found)[[1, 2, 4]] - right_of_it, axis=1).max() < 0.2 * BOX[2]


@pytest.mark.parametrize("name", LANDMARKS)
def test_it_gives_the_same_answers_to_several_threads(name: str, picture: NDArray[np.uint8]) -> None:
    (alone,) = _made(name).find(picture, box())
    with ThreadPoolExecutor(3) as pool:
        for (found,) in pool.map(lambda _: _made(name).find(picture, box()), range(6)):
            assert (found.points == alone.points).all()


@pytest.mark.parametrize("name", LANDMARKS)
def test_without_weights_it_says_how_to_get_them(
    name: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path_factory.mktemp("none")))
    assert not is_installed(name)
    with pytest.raises(UserError, match="not installed") as raised:
        create_landmark_finder(name)
    assert f"greenroom models fetch {NEEDS_WEIGHTS[name]}" in raised.value.hint


@pytest.mark.parametrize("name", LANDMARKS)
def test_the_documentation_mentions_it(name: str) -> None:
    assert f"| `{name}`" in page("faces")


def test_an_unknown_one_is_refused_with_what_there_is() -> None:
    for ask in (is_installed, create_landmark_finder):
        with pytest.raises(UserError) as error:
            ask("magic")
        for name in LANDMARKS:
            assert name in error.value.hint


def test_listing_them_and_reading_points_loads_nothing_heavy() -> None:
    heavy = "{'cv2', 'av', 'onnxruntime', 'scipy', 'mediapipe', 'matplotlib', 'torch'}"
    landmarks = "models.faces.landmarks"
    modules = f"{landmarks}.landmark_finders, {landmarks}.face_signals, models.faces.identity.face_embeddings"
    code = f"import sys; import {modules}; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
