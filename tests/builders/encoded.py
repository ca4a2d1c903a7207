"""What the encoder of clips was given: a claim about pixels holds exactly there, whatever an encoder makes of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from media.encoding import VideoEncoder
from media.picture import Plane, planes

if TYPE_CHECKING:
    import av
    from av.packet import Packet

Planes = tuple[Plane, ...]


@contextmanager
def pictures_to_encode() -> Iterator[list[Planes]]:
    """Gather the planes of each picture that is encoded while the block runs: brightness, and two of colour at half."""
    gathered: list[Planes] = []
    encode = VideoEncoder.encode

    def gather(self: VideoEncoder, frame: "av.VideoFrame", pts: int, duration: int) -> "list[Packet]":
        gathered.append(tuple(plane.copy() for plane in planes(frame)))
        return [*encode(self, frame, pts, duration)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(VideoEncoder, "encode", gather)
        yield gathered


def inside(picture: Planes, box: tuple[float, float, float, float], margin: int = 0) -> list[NDArray[np.int64]]:
    """Cut a box out of the planes of a picture, smaller by a margin on each side; in pixels."""
    x, y, width, height = (int(side) for side in box)
    cut = []
    for plane, scale in zip(picture, (1, 2, 2), strict=True):
        # Where the edge is an odd number, a sample of colour belongs to what is outside too.
        rows = slice(max(0, -(-(y + margin) // scale)), max(0, (y + height - margin) // scale))
        columns = slice(max(0, -(-(x + margin) // scale)), max(0, (x + width - margin) // scale))
        cut.append(plane[rows, columns].astype(np.int64))
        assert cut[-1].size, "nothing of the box is in the picture"
    return cut


def is_one_colour(picture: Planes, box: tuple[float, float, float, float], margin: int = 0) -> bool:
    """Tell whether the inside of a box is painted over."""
    return all(np.ptp(plane) == 0 for plane in inside(picture, box, margin))
