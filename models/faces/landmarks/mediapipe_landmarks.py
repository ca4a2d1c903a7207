"""MediaPipe's face landmarks, through its Tasks API, on pieces of the picture around faces that a detector found.

A newly loaded network must first find the known points of a drawn face.
"""

import atexit
import io
import threading
import weakref
import zipfile
from collections.abc import Mapping
from contextlib import suppress

import cv2
import numpy as np
from numpy.typing import NDArray

from models.boxes import iou
from models.faces.face_cropping import square_crop
from models.faces.landmarks.face_signals import five_points
from models.faces.landmarks.landmark_finders import MEDIAPIPE, Landmarks
from models.runtime.mediapipe_tasks import (
    BaseOptions,
    FaceLandmarker,
    FaceLandmarkerOptions,
    Image,
    ImageFormat,
    VisionTaskRunningMode,
)
from models.runtime.native_libraries import without_native_noise
from models.weights import installed_weights
from project.entities.study_records import Json
from project.errors import UserError

SIDE = 256
BOX = (72.0, 62.0, 112.0, 148.0)
"""x, y, width, height of the drawn face, hairline to chin."""
POINTS = ((105.0, 122.0), (151.0, 122.0), (128.0, 157.0), (106.0, 180.0), (150.0, 180.0))
"""Both eyes, the tip of the nose, the corners of the mouth."""

_CLOTH, _WALL, _HAIR = (60, 60, 120), (70, 90, 110), (60, 40, 30)
_SKIN, _SHADE, _FOLD = (214, 170, 140), (190, 148, 120), (170, 125, 100)
_WHITE, _IRIS, _PUPIL = (250, 250, 250), (70, 50, 30), (10, 10, 10)
_LIP, _GAP = (180, 80, 80), (110, 40, 45)


def draw_test_face() -> NDArray[np.uint8]:
    """Return the drawing, SIDE x SIDE x 3 RGB."""
    image = np.full((SIDE, SIDE, 3), _WALL, np.uint8)
    _ellipse(image, (128, 238), (80, 50), _CLOTH)
    _ellipse(image, (128, 205), (26, 40), _SHADE)
    _ellipse(image, (128, 118), (66, 84), _HAIR)
    _ellipse(image, (128, 136), (56, 74), _SKIN)
    for x in (105, 151):
        _ellipse(image, (x, 122), (13, 7), _WHITE)
        _ellipse(image, (x, 122), (6, 6), _IRIS)
        _ellipse(image, (x, 122), (3, 3), _PUPIL)
        cv2.ellipse(image, (x, 108), (16, 5), 0, 190, 350, _HAIR, 5)
    cv2.line(image, (124, 126), (121, 152), _FOLD, 3)
    cv2.ellipse(image, (128, 156), (11, 6), 0, 0, 180, _FOLD, 3)
    _ellipse(image, (128, 180), (22, 7), _LIP)
    cv2.line(image, (108, 180), (148, 180), _GAP, 2)
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 1.5), np.uint8)


def _ellipse(
    image: NDArray[np.uint8], centre: tuple[int, int], axes: tuple[int, int], colour: tuple[int, int, int]
) -> None:
    cv2.ellipse(image, centre, axes, 0, 0, 360, colour, -1)


NAME = "mediapipe"
WEIGHTS = "face-landmarks"
_COUNT = 478
_REACH = 2.0
_LARGEST = 512
_FACES = 2
_SURE = 0.5
_SAME_FACE = 0.2
_NEAR = 0.1


class MediaPipe:
    """Finds 478 points of a face with iris."""

    key = NAME

    def __init__(self) -> None:
        file = installed_weights.verified_path(WEIGHTS)
        weights = installed_weights.digest(WEIGHTS)
        self.parameters: Mapping[str, Json] = {
            "weights": weights,
            "reach": _REACH,
            "largest": _LARGEST,
            "sure": _SURE,
        }
        self._turn = threading.Lock()
        self._landmarker: FaceLandmarker | None = None
        content = file.read_bytes()
        options = FaceLandmarkerOptions(
            base_options=BaseOptions(model_asset_buffer=content),
            running_mode=VisionTaskRunningMode.IMAGE,
            num_faces=_FACES,
            min_face_detection_confidence=_SURE,
            min_face_presence_confidence=_SURE,
            output_face_blendshapes=_has_blendshapes(content),
        )
        with without_native_noise():
            seen = self._create(options)
        if seen is None or not _matches_drawing(seen):
            self.close()
            raise UserError(
                f"The weights “{WEIGHTS}” do not find the points of a drawn face: {file} contains another network.",
                f"Get them again with: greenroom model fetch {WEIGHTS}",
            )

    def find(self, image: NDArray[np.uint8], boxes: NDArray[np.float32]) -> list[Landmarks | None]:
        """Find the points of the faces in (n, 4) boxes of an HxWx3 RGB picture; None for a box without a face."""
        return [self._find_in_box(image, box) for box in np.asarray(boxes, np.float32).reshape(-1, 4)]

    def close(self) -> None:
        """Free the network."""
        if self._landmarker is not None:
            _close(self._landmarker)
            self._landmarker = None

    def _create(self, options: FaceLandmarkerOptions) -> Landmarks | None:
        """Load the network and look at the drawn face; None where that fails, or no face is seen."""
        try:
            self._landmarker = FaceLandmarker.create_from_options(options)
            # The library cannot close at the end of a process, which frees it anyway, and fails loudly if it tries.
            atexit.register(_detach, weakref.ref(self._landmarker))
            return self.find(draw_test_face(), np.array([BOX], np.float32))[0]
        except (RuntimeError, ValueError):
            return None
        except OSError as error:
            raise UserError(
                f"MediaPipe's library cannot be loaded: {error}.",
                "Install its system libraries: sudo apt install libegl1 libgles2",
            ) from None

    def _find_in_box(self, image: NDArray[np.uint8], box: NDArray[np.float32]) -> Landmarks | None:
        crop = square_crop(image, box, _REACH, _LARGEST)
        if crop is None:
            return None
        assert self._landmarker is not None, "it was closed"
        side = crop.image.shape[0]
        with self._turn:
            found = self._landmarker.detect(Image(image_format=ImageFormat.SRGB, data=crop.image))
        faces = [np.array([(p.x, p.y, p.z) for p in face], np.float32) * side for face in found.face_landmarks]
        whole = {at: crop.to_picture(points) for at, points in enumerate(faces) if points.shape == (_COUNT, 3)}
        best = max(whole, key=lambda at: iou(_bounding_box(whole[at]), box), default=None)
        if best is None or iou(_bounding_box(whole[best]), box) < _SAME_FACE:
            return None
        shapes = found.face_blendshapes[best] if found.face_blendshapes else None
        told = None if shapes is None else {shape.category_name: float(shape.score) for shape in shapes}
        return Landmarks(whole[best], 1.0, MEDIAPIPE, told)


def _close(landmarker: FaceLandmarker) -> None:
    """Free a network, also one that failed, which would wait for itself if it were left to the garbage collector."""
    with suppress(RuntimeError, ValueError):
        landmarker.close()
    landmarker._handle = None


def _detach(landmarker: "weakref.ref[FaceLandmarker]") -> None:
    """Let a landmarker that is still open hold nothing, so that it does not try to close."""
    alive = landmarker()
    if alive is not None:
        alive._handle = None


def _has_blendshapes(content: bytes) -> bool:
    """Tell whether a bundle holds the network that reads blendshapes off the points: the official one does."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as bundle:
            return any("blendshapes" in name for name in bundle.namelist())
    except zipfile.BadZipFile:
        return False


def _bounding_box(points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the smallest box x, y, width, height around some points."""
    low, high = points[:, :2].min(0), points[:, :2].max(0)
    return np.concatenate([low, high - low])


def _matches_drawing(seen: Landmarks) -> bool:
    """Tell whether the points of the drawn face are where they were drawn, within a tenth of its width."""
    off = np.linalg.norm(five_points(seen) - np.array(POINTS, np.float32), axis=1)
    return bool(off.max() <= _NEAR * BOX[2])
