"""How a stored picture becomes the one that is shown: turned upright, with square pixels."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]

_PLANAR_420 = ("yuv420p", "yuvj420p")
_WIDEST_PIXEL = 4


@dataclass(frozen=True, slots=True)
class Canvas:
    """The shape of the stored pictures of a stream, and the turn that makes them upright.

    Attributes:
        stored_width: of the decoded picture, in pixels.
        stored_height: of the decoded picture, in pixels.
        rotation: clockwise degrees to apply: 0, 90, 180 or 270.
        pixel_aspect: width of a stored pixel over its height.
    """

    stored_width: int
    stored_height: int
    rotation: int = 0
    pixel_aspect: Fraction = Fraction(1)

    @classmethod
    def of(cls, frame: av.VideoFrame, pixel_aspect: Fraction | None = None) -> "Canvas":
        """Read the shape off a decoded frame. An absurd pixel aspect counts as square."""
        aspect = pixel_aspect or Fraction(1)
        if not Fraction(1, _WIDEST_PIXEL) <= aspect <= _WIDEST_PIXEL:
            aspect = Fraction(1)
        return cls(frame.width, frame.height, -round(frame.rotation / 90) * 90 % 360, aspect)

    @property
    def square_width(self) -> int:
        """Width before turning, once the pixels are square. The height stays."""
        return max(1, round(self.stored_width * self.pixel_aspect))

    @property
    def width(self) -> int:
        """Width as shown."""
        return self.stored_height if self.rotation % 180 else self.square_width

    @property
    def height(self) -> int:
        """Height as shown."""
        return self.square_width if self.rotation % 180 else self.stored_height

    def rgb(self, frame: av.VideoFrame) -> NDArray[np.uint8]:
        """Return the (height, width, 3) RGB picture of a decoded frame, as shown."""
        rgb = frame.to_ndarray(format="rgb24", width=self.square_width, height=self.stored_height, threads=1)
        return np.ascontiguousarray(self.turned(rgb), dtype=np.uint8)

    def preview(self, frame: av.VideoFrame, longest: int) -> NDArray[np.uint8]:
        """Return a (height, width, 4) BGRA picture of a decoded frame, as shown, no side longer than `longest`."""
        share = min(1.0, longest / max(self.square_width, self.stored_height))
        width, height = max(2, round(self.square_width * share)), max(2, round(self.stored_height * share))
        bgra = frame.to_ndarray(format="bgra", width=width, height=height, threads=1)
        return np.ascontiguousarray(self.turned(bgra), dtype=np.uint8)

    def upright(self, frame: av.VideoFrame) -> av.VideoFrame:
        """Return a copy as 8-bit 4:2:0, upright, with square pixels, that nobody else holds.

        An 8-bit 4:2:0 source with square pixels keeps every sample.
        """
        flat = frame
        if frame.format.name not in _PLANAR_420 or (frame.width, frame.height) != (
            self.square_width,
            self.stored_height,
        ):
            flat = frame.reformat(format="yuv420p", width=self.square_width, height=self.stored_height, threads=1)
        copy = av.VideoFrame(self.width, self.height, "yuv420p")
        for target, source in zip(planes(copy), planes(flat), strict=True):
            target[:] = self.turned(source)
        copy.colorspace, copy.color_range = frame.colorspace, frame.color_range
        copy.color_trc, copy.color_primaries = frame.color_trc, frame.color_primaries
        if frame.format.name == "yuvj420p":
            copy.color_range = 2
        return copy

    def black(self) -> av.VideoFrame:
        """Return a black 8-bit 4:2:0 frame of the size shown."""
        frame = av.VideoFrame(self.width, self.height, "yuv420p")
        for plane, level in zip(planes(frame), (16, 128, 128), strict=True):
            plane[:] = level
        return frame

    def turned(self, plane: NDArray[Any]) -> NDArray[Any]:
        """Return a view of a picture or plane turned upright."""
        return np.rot90(plane, -self.rotation // 90) if self.rotation else plane


def planes(frame: av.VideoFrame) -> tuple[Plane, Plane, Plane]:
    """Return views (not copies) of the luma and the two chroma planes of an 8-bit 4:2:0 frame."""
    views = []
    for plane in frame.planes:
        rows = np.frombuffer(plane, dtype=np.uint8).reshape(plane.height, plane.line_size)  # type: ignore[call-overload]
        views.append(rows[:, : plane.width])
    y, u, v = views
    return y, u, v
