"""MediaPipe's face landmarks, through its Tasks API, on pieces of the picture around faces that a detector found.

Method: Kartynnik et al., "Real-time Facial Surface Geometry from Monocular Video on Mobile GPUs", arXiv 1907.06724, and
Grishchenko et al., "Attention Mesh", arXiv 2006.10962: a mesh of 468 points with refined eyes and lips, and two irises.
Each picture is looked at by itself, so that the answer does not depend on what was asked before; following a
face from frame to frame, as the library can, was no steadier on pieces that move with the face.
"""

import atexit
import io
import threading
import weakref
import zipfile
from collections.abc import Mapping
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from models import weights
from models.boxes import overlap
from models.faces.landmarks.base import MEDIAPIPE, Landmarks
from models.faces.landmarks.crops import square_crop
from models.faces.landmarks.drawn_face import BOX, POINTS, drawn_face
from models.faces.landmarks.quiet import without_native_noise
from models.faces.landmarks.signals import five_points
from models.mediapipe_library import (
    BaseOptions,
    FaceLandmarker,
    FaceLandmarkerOptions,
    Image,
    ImageFormat,
    VisionTaskRunningMode,
)
from project.errors import UserError
from project.types import Json

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
    """Finds 478 points of a face with iris.

    Raises:
        UserError: the weights are not installed, are damaged, or are those of another network; or a system library is
            missing.
    """

    key = NAME

    def __init__(self) -> None:
        file = weights.path(WEIGHTS)
        self._weights = weights.digest(WEIGHTS)
        self._turn = threading.Lock()
        self._landmarker: FaceLandmarker | None = None
        content = file.read_bytes()
        options = FaceLandmarkerOptions(
            base_options=BaseOptions(model_asset_buffer=content),
            running_mode=VisionTaskRunningMode.IMAGE,
            num_faces=_FACES,
            min_face_detection_confidence=_SURE,
            min_face_presence_confidence=_SURE,
            output_face_blendshapes=_tells_blendshapes(content),
        )
        with without_native_noise():
            seen = self._try(options)
        if seen is None or not _right(seen):
            self.close()
            raise UserError(
                f"The weights “{WEIGHTS}” do not find the points of a drawn face: {file} holds another network.",
                f"Get them again with: greenroom models fetch {WEIGHTS}",
            )

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Whatever changes its answers."""
        return {"weights": self._weights, "reach": _REACH, "largest": _LARGEST, "sure": _SURE}

    def find(self, image: NDArray[np.uint8], boxes: NDArray[np.float32]) -> list[Landmarks | None]:
        """Find the points of the faces in (n, 4) boxes of an HxWx3 RGB picture; None for a box without a face."""
        return [self._in_box(image, box) for box in np.asarray(boxes, np.float32).reshape(-1, 4)]

    def close(self) -> None:
        """Free the network."""
        if self._landmarker is not None:
            _close(self._landmarker)
            self._landmarker = None

    def _try(self, options: FaceLandmarkerOptions) -> Landmarks | None:
        """Load the network and look at the drawn face; None where that fails, or no face is seen."""
        try:
            self._landmarker = FaceLandmarker.create_from_options(options)
            # The library cannot close at the end of a process, which frees it anyway, and fails loudly if it tries.
            atexit.register(_forget, weakref.ref(self._landmarker))
            return self.find(drawn_face(), np.array([BOX], np.float32))[0]
        except (RuntimeError, ValueError):
            return None
        except OSError as error:
            raise UserError(
                f"MediaPipe's library cannot be loaded: {error}.",
                "Install what it needs: sudo apt install libegl1 libgles2",
            ) from None

    def _in_box(self, image: NDArray[np.uint8], box: NDArray[np.float32]) -> Landmarks | None:
        crop = square_crop(image, box, _REACH, _LARGEST)
        if crop is None:
            return None
        assert self._landmarker is not None, "it was closed"
        side = crop.image.shape[0]
        with self._turn:
            found = self._landmarker.detect(Image(image_format=ImageFormat.SRGB, data=crop.image))
        faces = [np.array([(p.x, p.y, p.z) for p in face], np.float32) * side for face in found.face_landmarks]
        whole = {at: crop.to_picture(points) for at, points in enumerate(faces) if points.shape == (_COUNT, 3)}
        best = max(whole, key=lambda at: overlap(_around(whole[at]), box), default=None)
        if best is None or overlap(_around(whole[best]), box) < _SAME_FACE:
            return None
        shapes = found.face_blendshapes[best] if found.face_blendshapes else None
        told = None if shapes is None else {one.category_name: float(one.score) for one in shapes}
        return Landmarks(whole[best], 1.0, MEDIAPIPE, told)


def _close(landmarker: FaceLandmarker) -> None:
    """Free a network, also one that failed, which would wait for itself if it were left to the garbage collector."""
    with suppress(RuntimeError, ValueError):
        landmarker.close()
    landmarker._handle = None


def _forget(landmarker: "weakref.ref[FaceLandmarker]") -> None:
    """Let a landmarker that is still open hold nothing, so that it does not try to close."""
    alive = landmarker()
    if alive is not None:
        alive._handle = None


def _tells_blendshapes(content: bytes) -> bool:
    """Tell whether a bundle holds the network that reads blendshapes off the points: the official one does."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as bundle:
            return any("blendshapes" in name for name in bundle.namelist())
    except zipfile.BadZipFile:
        return False


def _around(points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the smallest box x, y, width, height around some points."""
    low, high = points[:, :2].min(0), points[:, :2].max(0)
    return np.concatenate([low, high - low])


def _right(seen: Landmarks) -> bool:
    """Tell whether the points of the drawn face are where they were drawn, within a tenth of its width."""
    off = np.linalg.norm(five_points(seen) - np.array(POINTS, np.float32), axis=1)
    return bool(off.max() <= _NEAR * BOX[2])
