"""Real heads turned and tilted as their files say: every finder gives the side, up or down, and the tilt."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.faces.face_detectors import create_detector
from models.faces.landmarks.face_signals import head_pose
from models.faces.landmarks.landmark_finders import LANDMARKS, LandmarkFinder, create_landmark_finder
from models.weights import installed_weights as weights

YAW, PITCH, ROLL = range(3)
POSES = {
    "left_face.jpeg": (YAW, -1),
    "right_face.png": (YAW, 1),
    "rise_face.jpeg": (PITCH, 1),
    "lower_face.jpeg": (PITCH, -1),
    "left_wryneck.png": (ROLL, -1),
    "right_wryneck.png": (ROLL, 1),
}
"""Which angle stands out, and which way; sides are the picture's."""
LEAST = 10
DAILY = ("left_face.jpeg", "rise_face.jpeg", "right_wryneck.png")


@pytest.fixture(scope="module", params=LANDMARKS)
def finder(request: pytest.FixtureRequest, shared_models: Path) -> Iterator[LandmarkFinder]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(weights.FOLDER_VARIABLE, str(shared_models))
        made = create_landmark_finder(request.param)
    yield made
    made.close()


@pytest.mark.parametrize(
    "file", [*DAILY, *(pytest.param(file, marks=pytest.mark.soak) for file in POSES if file not in DAILY)]
)
def test_the_pose_of_a_real_head_is_told(file: str, finder: LandmarkFinder, shared_data: Path) -> None:
    picture = np.ascontiguousarray(cv2.imread(str(shared_data / "stills" / "pose" / file))[:, :, ::-1])
    (found,) = finder.find(picture, create_detector("centerface").detect(picture, 0.3).boxes[:1])
    assert found is not None
    axis, sign = POSES[file]
    assert sign * head_pose(found, (picture.shape[1], picture.shape[0]))[axis] > LEAST
