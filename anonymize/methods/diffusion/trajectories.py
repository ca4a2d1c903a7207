"""Ways of picture elements through the frames of a batch: each element of each frame lies on exactly one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Trajectories:
    """A one-to-one mapping between the elements of consecutive frames.

    Attributes:
        order: (frames, elements) int64; which element of each frame lies on which way. Each row is a permutation.
        linked: (frames - 1, elements) bool; whether the step of a way from a frame to the next follows the flow, or
            only takes what was left over.
    """

    order: Indices
    linked: NDArray[np.bool_]

    @property
    def together(self) -> NDArray[np.bool_]:
        """(elements, frames, frames): which frames of a way are joined by steps that all follow the flow."""
        frames = len(self.order)
        part = np.concatenate([np.zeros((1, self.order.shape[1]), np.int64), np.cumsum(~self.linked, axis=0)])
        found = part[:, None] == part[None, :]
        return np.ascontiguousarray(found.reshape(frames, frames, -1).transpose(2, 0, 1))


def link(
    flow: NDArray[np.float32],
    lost: NDArray[np.bool_],
    first: NDArray[np.float32],
    second: NDArray[np.float32],
) -> tuple[Indices, NDArray[np.bool_]]:
    """Map the elements of a frame to those of the next, one to one.

    An element goes where the flow, rounded, leads it. Where several go to one place, the one with the most similar
    colour gets it, the earliest of equals. Elements that get none, are lost or leave the picture take the places that
    are left over, both in order, and count as not linked.

    Args:
        flow: (h, w, 2) in elements, from the frame to the next.
        lost: (h, w), elements that the next frame does not show.
        first: (h, w, channels), colours of the frame.
        second: colours of the next.

    Returns:
        (h * w) int64, the place of each element in the next frame, a permutation; (h * w) bool, whether by flow.
    """
    height, width = lost.shape
    count = height * width
    rows, columns = np.divmod(np.arange(count), width)
    x = columns + np.rint(flow[..., 0]).astype(np.int64).ravel()
    y = rows + np.rint(flow[..., 1]).astype(np.int64).ravel()
    goes = np.flatnonzero((x >= 0) & (y >= 0) & (x < width) & (y < height) & ~lost.ravel())
    place = y[goes] * width + x[goes]
    colours = first.reshape(count, -1)[goes] - second.reshape(count, -1)[place]
    distance = np.square(colours).sum(axis=1)
    best = np.lexsort((goes, distance, place))
    _, winners = np.unique(place[best], return_index=True)
    chosen = best[winners]
    target = np.full(count, -1, np.int64)
    target[goes[chosen]] = place[chosen]
    linked = target >= 0
    free = np.ones(count, np.bool_)
    free[target[linked]] = False
    target[~linked] = np.flatnonzero(free)
    return target, linked


def trajectories(
    flows: Sequence[NDArray[np.float32]],
    lost: Sequence[NDArray[np.bool_]],
    colours: Sequence[NDArray[np.float32]],
) -> Trajectories:
    """Join the mappings of consecutive frames into ways.

    Args:
        flows: from each frame to the next, (h, w, 2) in elements; one less than there are frames.
        lost: of each but the last frame.
        colours: of each frame, (h, w, channels).
    """
    count = colours[0].shape[0] * colours[0].shape[1]
    order, linked = [np.arange(count)], []
    for flow, gone, first, second in zip(flows, lost, colours[:-1], colours[1:], strict=True):
        target, by_flow = link(flow, gone, first, second)
        linked.append(by_flow[order[-1]])
        order.append(target[order[-1]])
    return Trajectories(np.stack(order), np.stack(linked) if linked else np.zeros((0, count), np.bool_))
