"""MediaPipe's landmarks: the right face of several, and a bundle of another network is refused; poses of real heads."""

import io
import zipfile
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.faces.face_detectors import create_detector
from models.faces.landmarks.face_signals import five_points, head_pose
from models.faces.landmarks.landmark_finders import LANDMARKS, create_landmark_finder
from models.faces.landmarks.mediapipe_landmarks import BOX, POINTS, SIDE, MediaPipe, draw_test_face
from models.runtime.mediapipe_tasks import FaceLandmarker
from models.weights import installed_weights as weights
from project.errors import UserError

_LANDMARKS, _DETECTOR = "face_landmarks_detector.tflite", "face_detector.tflite"


@pytest.fixture
def bundle(shared_models: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(shared_models))
    return weights.verified_path("face-landmarks")


def given(content: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a bundle pass for the one of the catalogue."""
    file = folder / "other.task"
    file.write_bytes(content)
    monkeypatch.setattr(weights, "verified_path", lambda name: file)


def test_of_two_faces_of_any_size_each_box_gets_its_own(bundle: Path) -> None:
    picture = np.concatenate([draw_test_face(), draw_test_face()], axis=1)
    boxes = np.array([BOX, (BOX[0] + SIDE, *BOX[1:])], np.float32)
    finder = MediaPipe()
    for number, found in enumerate(finder.find(picture, boxes)):
        assert found is not None
        off = five_points(found) - np.array(POINTS) - (number * SIDE, 0)
        assert np.linalg.norm(off, axis=1).max() < 0.1 * BOX[2]
    assert finder.find(picture, np.array([(230, 200, 40, 40)], np.float32)) == [None]
    for size in (24, 700):
        scale = size / BOX[2]
        scaled = cv2.resize(draw_test_face(), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.uint8)
        (face,) = finder.find(scaled, np.array([BOX], np.float32) * scale)
        assert face is not None
        assert np.linalg.norm(five_points(face) / scale - np.array(POINTS), axis=1).max() < 0.12 * BOX[2]
    finder.close()


def test_what_is_no_bundle_or_one_of_other_networks_is_refused(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(bundle) as whole, zipfile.ZipFile(made, "w") as other:
        for name, content in ((_LANDMARKS, whole.read(_DETECTOR)), (_DETECTOR, whole.read(_DETECTOR))):
            other.writestr(name, content)
    for content in (b"not a bundle", made.getvalue()):
        given(content, tmp_path, monkeypatch)
        with pytest.raises(UserError, match="another network") as raised:
            MediaPipe()
        assert "greenroom model fetch face-landmarks" in raised.value.hint


def test_a_bundle_that_runs_and_returns_nonsense_is_refused(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a mesh network without a refinement does, whose points come out in another order."""
    honest = FaceLandmarker.detect

    def mixed(self: FaceLandmarker, image: object) -> object:
        found = honest(self, image)
        found.face_landmarks = [face[::2] + face[1::2] for face in found.face_landmarks]
        return found

    monkeypatch.setattr(FaceLandmarker, "detect", mixed)
    with pytest.raises(UserError, match="drawn face"):
        MediaPipe()


def test_a_missing_system_library_is_said_with_the_command(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(options: object) -> None:
        raise OSError("libGLESv2.so.2: cannot open shared object file: No such file or directory")

    monkeypatch.setattr(FaceLandmarker, "create_from_options", missing)
    with pytest.raises(UserError, match="libGLESv2") as raised:
        MediaPipe()
    assert "apt install" in raised.value.hint


YAW, PITCH, ROLL = range(3)
POSES = {
    "left_face.jpeg": (YAW, -1),
    "rise_face.jpeg": (PITCH, 1),
    "right_wryneck.png": (ROLL, 1),
}
"""Which angle stands out, and which way; sides are the picture's."""
LEAST = 10


@pytest.mark.parametrize("name", LANDMARKS)
def test_the_pose_of_a_real_head_is_told(
    name: str, shared_models: Path, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(shared_models))
    finder, detector = create_landmark_finder(name), create_detector("centerface")
    for file, (axis, sign) in POSES.items():
        picture = np.ascontiguousarray(cv2.imread(str(shared_data / "stills" / "pose" / file))[:, :, ::-1])
        (found,) = finder.find(picture, detector.detect(picture, 0.3).boxes[:1])
        assert found is not None
        assert sign * head_pose(found, (picture.shape[1], picture.shape[0]))[axis] > LEAST
    finder.close()
