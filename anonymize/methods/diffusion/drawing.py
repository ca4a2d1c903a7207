"""One shot being drawn: its key frames, batch by batch, as the source is decoded."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from anonymize.methods.diffusion.artist import Artist, Seen
from anonymize.methods.diffusion.batches import Batch, batches
from anonymize.methods.diffusion.crops import View
from anonymize.methods.diffusion.propagate import Key
from anonymize.methods.diffusion.shots import Shot
from anonymize.methods.diffusion.store import ShotStore, State

Image = NDArray[np.uint8]


class TooClose(Exception):
    """What was drawn is too much like the source."""


@dataclass(eq=False)
class Drawing:
    """A shot and what was drawn of it.

    Attributes:
        shot: where the face is.
            keys: those that are drawn, ascending.
        store: where batches are kept.
        sources: (h, w) grey, what the crop of each key shows; known for keys that were seen.
        state: how the shot is being drawn.
    """

    shot: Shot
    keys: Sequence[int]
    store: ShotStore
    sources: dict[int, Image] = field(default_factory=dict)
    state: State = field(default_factory=lambda: State(1))
    _seen: dict[int, Seen] = field(default_factory=dict)
    _batches: list[Batch] = field(default_factory=list)
    _next: int = 0
    _way: torch.Tensor | None = None
    _held: dict[int, Image] = field(default_factory=dict)

    def begin(self, state: State) -> None:
        """Go on with what is kept of the shot, or begin it anew in the way that is given.

        Raises:
            OSError: the folder cannot be written.
        """
        there = self.store.state()
        if there is None:
            self.store.start(state)
        self.state = there or state
        self._seen.clear()
        self._batches, self._next, self._way = batches(self.keys, self.state.batch), 0, None

    def again(self, state: State) -> None:
        """Begin the shot anew.

        Raises:
            OSError: the folder cannot be written.
        """
        self.store.start(state)
        self.begin(state)

    @property
    def batch(self) -> Batch:
        """The batch that is due, or was due last."""
        return self._batches[min(self._next, len(self._batches) - 1)]

    def see(self, frame: int, seen: Seen, artist: Artist) -> int:
        """Take a key frame; when its batch is complete, draw it, unless it is kept already.

        Returns:
            How many frames were drawn.

        Raises:
            TooClose: the batch came out too much like the source; nothing of it is kept.
        """
        self._seen[frame] = seen
        batch = self.batch
        if frame != batch.frames[-1]:
            return 0
        kept = self.store.batch(self._next, batch.new)
        if kept is None:
            self._way = self._drawn(batch, artist)
        else:
            self._way = torch.from_numpy(kept[1])
        self._next += 1
        self._seen = {each: self._seen[each] for each in {self.keys[0], frame}}
        return len(batch.new)

    def _drawn(self, batch: Batch, artist: Artist) -> torch.Tensor:
        known = None
        if batch.known and self._way is not None:
            known = self._way[:, [0, -1]][:, : batch.known]
        seen = [self._seen[frame] for frame in batch.frames]
        drawn = artist.draw(self.shot.identity, seen, self.state.attempt, self._next, known)
        images = np.rint(drawn.images[batch.known :] * 255).astype(np.uint8)
        if artist.alike(seen[batch.known :], images):
            raise TooClose
        way = drawn.way.float().cpu()
        self.store.keep(self._next, batch.new, images, way.numpy())
        return way

    def key(self, frame: int) -> Key | None:
        """Return a key frame that was drawn; None where it is not there any more."""
        if frame not in self._held:
            number = next(i for i, batch in enumerate(self._batches) if frame in batch.new)
            kept = self.store.batch(number, self._batches[number].new)
            if kept is None or frame not in self.sources:
                return None
            self._held[frame] = kept[0][self._batches[number].new.index(frame)]
            while len(self._held) > 2:
                self._held.pop(next(iter(self._held)))
        return Key(frame, self.sources[frame], self._held[frame])

    def forget(self) -> None:
        """Let go of the pictures that are held."""
        self._held.clear()


def in_crop(box: NDArray[np.float64], view: View, size: tuple[int, int]) -> NDArray[np.float64]:
    """Return where a box of the picture lies in a crop of `size`."""
    scale = np.array([size[0] / view.width, size[1] / view.height] * 2)
    return np.asarray((box - [view.x, view.y, 0, 0]) * scale, np.float64)
