"""YuNet: OpenCV's own answers on the common scale, pictures of any size, clear words when its file is missing."""

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.faces import face_detectors as registry
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


def test_a_large_picture_is_made_smaller_first(installed: Path) -> None:
    portrait = cv2.resize(skimage_data.astronaut(), (900, 700))
    whole, shrunk = YuNet().detect(portrait, 0.5), YuNet(longest_side=320).detect(portrait, 0.5)
    assert len(whole) == len(shrunk) == 1
    assert overlap(whole.boxes[0], shrunk.boxes[0]) > 0.6


def test_without_weights_it_says_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path))
    assert registry.default_detectors() == "centerface"
    for names in ("yunet", "centerface+yunet"):
        with pytest.raises(UserError, match="not installed") as raised:
            registry.create_detector(names)
        assert "greenroom models fetch yunet" in raised.value.hint


def test_damaged_weights_are_refused_and_not_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path))
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
