"""Draws a face as a cartoon by the lab's own image-to-image network, on a crop that follows the face smoothly."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from anonymize.methods.face_methods import Face, FaceSource, Image
from project.entities.study_records import FaceTrack
from project.plugins.option_limits import check_limits, limited_field
from project.progress import Progress

if TYPE_CHECKING:
    from anonymize.methods.face_network import PictureNetwork

# Side of the crop in heights of the smoothed box: it holds the whole mask at its usual margin, with hair and jaw.
_CROP_SIDE = 1.9
_STEADY_US = 120_000
_APART_US = 250_000
_CHANGED_LEVELS = 14.0


@dataclass(frozen=True, slots=True)
class CartoonOptions:
    """How the network is used."""

    size: int = limited_field(256, 128, 1024, "Size", "Side of the crop in pixels, where the network takes any.", "px")
    smoothing: float = limited_field(
        0.5, 0.0, 0.9, "Smoothing", "How much of the drawing before stays where it is alike."
    )

    def __post_init__(self) -> None:
        check_limits(self)


class Cartoon:
    """Draws what a portrait network makes of the face. The network decides how much of the person is left."""

    kind: ClassVar[Literal["face"]] = "face"
    name: ClassVar[str] = "cartoon"
    title: ClassVar[str] = "Cartoon"
    description: ClassVar[str] = (
        "Turns the face into a cartoon by a network that you bring. Lines of the face stay where they were, so people "
        "may be recognised in it: measure every export."
    )
    reversible: ClassVar[bool] = True
    from_source: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("cartoon",)
    options_type: ClassVar[type[CartoonOptions]] = CartoonOptions

    def __init__(self, options: CartoonOptions | None = None) -> None:
        self.options = options or CartoonOptions()
        self._network: PictureNetwork | None = None
        self._paths: dict[str, _FacePath] = {}
        self._before: dict[str, tuple[int, Image]] = {}
        self._cuts: frozenset[int] = frozenset()
        self._side = 0

    def begin(self, source: FaceSource, progress: Progress) -> None:
        """Load the network and smooth the paths of the faces."""
        from anonymize.methods.face_network import PictureNetwork

        progress.check_cancelled()
        self._network = PictureNetwork("cartoon")
        self._side = self._network.input_side("picture", self.options.size // 8 * 8)
        self._cuts = frozenset(source.cuts)
        self._paths = {track.id: _FacePath(track, self._cuts) for track in source.tracks}

    def draw(self, face: Face) -> Image | None:
        """Return the cartoon of the face's rectangle; None where the network gave back what it got, or no picture."""
        import cv2

        from anonymize.methods.face_network import is_unchanged

        assert self._network is not None
        move = self._move(face)
        size, method = (self._side, self._side), cv2.INTER_AREA if move[0, 0] < 1 else cv2.INTER_LINEAR
        found = cv2.warpAffine(face.image, move, size, flags=method, borderMode=cv2.BORDER_REFLECT_101)
        crop = np.asarray(found, np.uint8)
        drawn = self._run_network(crop)
        if drawn is None or is_unchanged(crop, drawn):
            self._before.pop(face.track_id, None)
            return None
        drawn = self._stabilize(face, drawn)
        x, y, width, height = face.rect
        # Past the crop's edge the drawing's own edge goes on, so that nothing of the source is needed.
        back = cv2.invertAffineTransform(move)
        back[:, 2] -= x, y
        placed = cv2.warpAffine(drawn, back, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(placed)

    def end(self) -> None:
        """Let the network go."""
        self._network = None
        self._paths, self._before = {}, {}

    def _move(self, face: Face) -> NDArray[np.float64]:
        """Return the (2, 3) scale and shift from the picture to the crop."""
        path = self._paths.get(face.track_id)
        x, y, size = path.position_at(face) if path else _center_and_size(face.box)
        rect = np.array(face.rect, np.float64)
        inside = np.abs(np.array([rect[:2] - (x, y), rect[:2] + rect[2:] - (x, y)])).max()
        scale = self._side / max(_CROP_SIDE * size, min(2 * float(inside), 4 * size), 1.0)
        return np.array([[scale, 0, self._side / 2 - scale * x], [0, scale, self._side / 2 - scale * y]])

    def _run_network(self, crop: Image) -> Image | None:
        assert self._network is not None
        values = self._network.to_input("picture", crop)
        if self._network.key == "nhwc":
            found = self._network.run({"picture": values.transpose(0, 2, 3, 1)})
            found = found.transpose(0, 3, 1, 2) if found.ndim == 4 else found
        else:
            found = self._network.run({"picture": values})
        drawn = self._network.to_image("drawn", found)
        return drawn if drawn is not None and drawn.shape == crop.shape else None

    def _stabilize(self, face: Face, drawn: Image) -> Image:
        """Mix in the drawing before, where both are alike: what trembles is calmed, what moves is not held back."""
        before = self._before.get(face.track_id)
        share = self.options.smoothing
        if before is not None and share and face.frame not in self._cuts and 0 < face.time_us - before[0] < _APART_US:
            new, old = drawn.astype(np.float32), before[1].astype(np.float32)
            change = np.abs(new - old).max(axis=2, keepdims=True) / _CHANGED_LEVELS
            drawn = np.asarray(new + share * np.exp(-change * change) * (old - new) + 0.5, np.uint8)
        self._before[face.track_id] = face.time_us, drawn
        return drawn


class _FacePath:
    """Where a track's face is, smoothed over time without lag."""

    def __init__(self, track: FaceTrack, cuts: frozenset[int]) -> None:
        self._frames = np.asarray(track.frames, np.int64)
        squares = np.array([_center_and_size(box) for box in np.asarray(track.boxes, np.float64)])
        times = np.asarray(track.times_us, np.float64)
        scene = np.searchsorted(np.array(sorted(cuts)), self._frames, side="right")
        self._smooth = squares.copy()
        for i, time in enumerate(times):
            low, high = np.searchsorted(times, (time - 3 * _STEADY_US, time + 3 * _STEADY_US))
            weight = np.exp(-0.5 * ((times[low:high] - time) / _STEADY_US) ** 2) * (scene[low:high] == scene[i])
            self._smooth[i] = weight @ squares[low:high] / weight.sum()

    def position_at(self, face: Face) -> tuple[float, float, float]:
        """Return x and y of the middle of a face and its size, in pixels."""
        x, y, size = (float(np.interp(face.frame, self._frames, column)) for column in self._smooth.T)
        own = _center_and_size(face.box)
        # A cut or a box that was moved by hand: the smoothed path is not about this face.
        far = abs(own[0] - x) > 0.5 * own[2] or abs(own[1] - y) > 0.5 * own[2]
        return own if far else (x, y, max(size, 0.7 * own[2]))


def _center_and_size(box: NDArray[np.float64]) -> tuple[float, float, float]:
    return float(box[0] + box[2] / 2), float(box[1] + box[3] / 2), float(max(box[2], box[3], 1.0))
