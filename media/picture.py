"""A decoded picture: upright, with square pixels; converted to RGB only for display, changed only where painted."""

import math
import struct
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
class FrameGeometry:
    """The shape of the stored pictures of a stream, and what makes them upright.

    Attributes:
        stored_width: of the decoded picture, in pixels.
        stored_height: of the decoded picture, in pixels.
        rotation: clockwise degrees to apply: 0, 90, 180 or 270.
        pixel_aspect: width of a stored pixel over its height.
        is_mirrored: whether left and right change places first.
    """

    stored_width: int
    stored_height: int
    rotation: int = 0
    pixel_aspect: Fraction = Fraction(1)
    is_mirrored: bool = False

    @classmethod
    def from_frame(cls, frame: av.VideoFrame, pixel_aspect: Fraction | None = None) -> "FrameGeometry":
        """Read the shape off a decoded frame. An absurd pixel aspect counts as square."""
        aspect = pixel_aspect or Fraction(1)
        if not Fraction(1, _WIDEST_PIXEL) <= aspect <= _WIDEST_PIXEL:
            aspect = Fraction(1)
        rotation, is_mirrored = _read_turn(frame)
        return cls(frame.width, frame.height, rotation, aspect, is_mirrored)

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

    def to_rgb(self, frame: av.VideoFrame) -> NDArray[np.uint8]:
        """Return the (height, width, 3) RGB picture of a decoded frame, as shown."""
        rgb = frame.to_ndarray(format="rgb24", width=self.square_width, height=self.stored_height, threads=1)
        return np.ascontiguousarray(self.turn_upright(rgb), dtype=np.uint8)

    def to_preview(self, frame: av.VideoFrame, longest: int) -> NDArray[np.uint8]:
        """Return a (height, width, 4) BGRA picture of a decoded frame, as shown, no side longer than `longest`."""
        share = min(1.0, longest / max(self.square_width, self.stored_height))
        width, height = max(2, round(self.square_width * share)), max(2, round(self.stored_height * share))
        bgra = frame.to_ndarray(format="bgra", width=width, height=height, threads=1)
        return np.ascontiguousarray(self.turn_upright(bgra), dtype=np.uint8)

    def to_upright(self, frame: av.VideoFrame) -> av.VideoFrame:
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
            target[:] = self.turn_upright(source)
        copy.colorspace, copy.color_range = frame.colorspace, frame.color_range
        copy.color_trc, copy.color_primaries = frame.color_trc, frame.color_primaries
        if frame.format.name == "yuvj420p":
            copy.color_range = 2
        return copy

    def black_frame(self) -> av.VideoFrame:
        """Return a black 8-bit 4:2:0 frame of the size shown."""
        frame = av.VideoFrame(self.width, self.height, "yuv420p")
        for plane, level in zip(planes(frame), (16, 128, 128), strict=True):
            plane[:] = level
        return frame

    def turn_upright(self, plane: NDArray[Any]) -> NDArray[Any]:
        """Return a view of a picture or plane turned upright."""
        flipped = plane[:, ::-1] if self.is_mirrored else plane
        return np.rot90(flipped, -self.rotation // 90) if self.rotation else flipped


def _read_turn(frame: av.VideoFrame) -> tuple[int, bool]:
    """Return the clockwise degrees that a frame's display matrix turns it by, and whether it mirrors it before.

    Source: ISO/IEC 14496-12, 8.3.2.
    """
    try:
        matrix = bytes(frame.side_data["DISPLAYMATRIX"])  # type: ignore[typeddict-item]
    except KeyError:
        return 0, False
    a, b, _, c, d, *_ = struct.unpack("=9i", matrix)
    is_mirrored = a * d < b * c
    angle = math.degrees(math.atan2(-b, -a) if is_mirrored else math.atan2(b, a))
    return round(angle / 90) * 90 % 360, is_mirrored


def planes(frame: av.VideoFrame) -> tuple[Plane, Plane, Plane]:
    """Return views (not copies) of the luma and the two chroma planes of an 8-bit 4:2:0 frame."""
    views = []
    for plane in frame.planes:
        rows = np.frombuffer(plane, dtype=np.uint8).reshape(plane.height, plane.line_size)  # type: ignore[call-overload]
        views.append(rows[:, : plane.width])
    y, u, v = views
    return y, u, v


Image = NDArray[np.uint8]


class DecodedFrame:
    """A decoded picture that can be looked at, and painted on by its planes. One thread uses a picture at a time.

    Attributes:
        index: its position in the order frames are shown, from 0.
        time_us: its time stamp on the recording's axis.
        damaged: the file is damaged here: the picture is black where nothing could be decoded, else it may be partly
            wrong. Whatever hides something must hide the whole picture.
    """

    __slots__ = ("_canvas", "_own", "_source", "_views", "damaged", "index", "time_us")

    def __init__(
        self, index: int, time_us: int, source: av.VideoFrame | None, canvas: FrameGeometry, *, damaged: bool = False
    ) -> None:
        """Wrap a decoded frame; None stands for one that could not be decoded, which is shown black."""
        self.index = index
        self.time_us = time_us
        self.damaged = damaged or source is None
        self._canvas = canvas
        self._source = source
        self._own: av.VideoFrame | None = canvas.black_frame() if source is None else None
        self._views: tuple[Plane, Plane, Plane] | None = None

    @property
    def width(self) -> int:
        """Width as shown, in pixels."""
        return self._canvas.width

    @property
    def height(self) -> int:
        """Height as shown, in pixels."""
        return self._canvas.height

    @property
    def image(self) -> Image:
        """A new (height, width, 3) RGB array of the whole picture, with what was painted."""
        if self._own is None and self._source is not None:
            return self._canvas.to_rgb(self._source)
        return np.ascontiguousarray(self._owned().to_ndarray(format="rgb24", threads=1), dtype=np.uint8)

    def preview(self, longest: int) -> NDArray[np.uint8]:
        """Return a new (height, width, 4) BGRA array of the whole picture, no side longer than `longest`.

        For showing it in passing: made smaller on the way out of the decoder's planes, it costs little.
        """
        return self._canvas.to_preview(self._source or self._owned(), longest)

    @property
    def planes(self) -> tuple[Plane, Plane, Plane]:
        """Writable views of luma (height, width) and both chromas (half of each, rounded up).

        Writing into them changes the picture. Value ranges and matrix are the source's, see `color_range`.
        """
        if self._views is None:
            self._views = planes(self._owned())
        return self._views

    @property
    def is_full_range(self) -> bool:
        """Whether luma uses 0..255; else 16..235 and chroma 16..240."""
        frame = self._own or self._source
        return frame is not None and (frame.color_range == 2 or frame.format.name.startswith("yuvj"))

    def rgb_to_planes(self, rgb: Image) -> tuple[Plane, Plane, Plane]:
        """Return an RGB array as planes in this picture's range and matrix."""
        whole = self._owned()
        made = av.VideoFrame.from_ndarray(rgb, format="rgb24").reformat(
            format="yuv420p",
            dst_colorspace=whole.colorspace,
            dst_color_range=2 if self.is_full_range else 1,
            threads=1,
        )
        return planes(made)

    def to_video_frame(self) -> av.VideoFrame:
        """Return the picture as 8-bit 4:2:0 that carries nothing else of the source (captions, notes, frame type)."""
        return self._owned()

    def _owned(self) -> av.VideoFrame:
        if self._own is None:
            assert self._source is not None
            self._own = self._canvas.to_upright(self._source)
            self._source = None
        return self._own
