"""Generates one shot: key frames in batches while the source is decoded, and interpolated frames between them.

Finished batches are stored so that work resumes after an interruption. Nothing of the source is kept.
"""

import hashlib
import io
import json
import shutil
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from anonymize.methods.diffusion.keyframe_drawing import Artist, KeyframeCrop
from anonymize.methods.diffusion.shots import Batch, CropWindow, FaceShot, group_into_batches
from models.flow.flow_consistency import find_occlusions, warp
from models.flow.optical_flow import OpticalFlow
from project.entities.study_records import Json
from project.files.atomic_files import write_atomically

Image = NDArray[np.uint8]

# Where a key does not show a pixel it still counts this little, so that what neither shows is a blend in time.
_MIN_WEIGHT = 1e-3
_OCCLUSION_SIGMA = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class GeneratedKeyframe:
    """A key frame.

    Attributes:
        source: (h, w) grey, what the crop showed.
        drawn: (H, W, 3), what was drawn in its place, at any size.
    """

    frame: int
    source: Image
    drawn: Image


def interpolate_frame(frame: int, source: Image, keys: Sequence[GeneratedKeyframe], flow: OpticalFlow) -> Image:
    """Return what a frame is to show.

    Each key's picture is pulled along the flow from the frame to the key. A key counts the more the nearer it is in
    time, and next to nothing where it does not show what the frame shows (see
    `models.flow.flow_consistency.find_occlusions`). `source` is (h, w) grey, what the crop of the frame shows; `keys`
    are the key before it and the one after it. Returns (H, W, 3).
    """
    height, width = keys[0].drawn.shape[:2]
    span = sum(abs(key.frame - frame) for key in keys)
    total = np.zeros((height, width, 1), np.float32)
    mixed = np.zeros((height, width, 3), np.float32)
    for key in keys:
        there, back = flow.between(source, key.source), flow.between(key.source, source)
        unseen = find_occlusions(there, back, source, key.source).astype(np.float32)
        seen = 1 - np.maximum(unseen, cv2.GaussianBlur(unseen, (0, 0), _OCCLUSION_SIGMA))
        weight = np.maximum(seen, _MIN_WEIGHT) * (1 - abs(key.frame - frame) / span if span else 1.0)
        scale = np.array([width / source.shape[1], height / source.shape[0]], np.float32)
        large = cv2.resize(there, (width, height), interpolation=cv2.INTER_LINEAR) * scale
        weight = cv2.resize(weight.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)[..., None]
        mixed += weight * warp(key.drawn, large.astype(np.float32)).astype(np.float32)
        total += weight
    return np.asarray(np.rint(mixed / total), np.uint8)


@dataclass(frozen=True, slots=True)
class ShotState:
    """How a shot is being drawn.

    Attributes:
        batch: key frames that go through the network together.
        attempt: how often another seed was taken.
        refused: every attempt came out too much like the source.
    """

    batch: int
    attempt: int = 0
    refused: bool = False


def shot_key(decides: Mapping[str, Json]) -> str:
    """Return a name for everything that decides how a shot comes out."""
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:32]


class ShotStore:
    """The folder of one shot: a file of its state, and one for each batch that was drawn."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read_state(self) -> ShotState | None:
        """Return how the shot was being drawn; None where nothing is there or it cannot be read."""
        try:
            return ShotState(**json.loads((self._folder / "state.json").read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def restart(self, state: ShotState) -> None:
        """Restart the shot: delete whatever was drawn of it."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self._folder)
        self._folder.mkdir(parents=True)
        self._write("state.json", json.dumps(asdict(state)).encode())

    def write_batch(self, number: int, frames: Sequence[int], images: Image, way: NDArray[np.float32]) -> None:
        """Keep the new frames of a batch, (frames, h, w, 3), and the latents of its ends after each step."""
        content = io.BytesIO()
        np.savez_compressed(content, frames=np.asarray(frames, np.int64), images=images, way=way)
        self._write(f"{number:05d}.npz", content.getvalue())

    def read_batch(self, number: int, frames: Sequence[int]) -> tuple[Image, NDArray[np.float32]] | None:
        """Return images and way of a batch; None where it was not drawn, is damaged, or is of other frames."""
        try:
            with (self._folder / f"{number:05d}.npz").open("rb") as file, np.load(file, allow_pickle=False) as there:
                if there["frames"].tolist() != list(frames):
                    return None
                return there["images"], there["way"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
            return None

    def _write(self, name: str, content: bytes) -> None:
        with write_atomically(self._folder / name, durable=True) as file:
            file.write(content)


class TooClose(Exception):
    """What was drawn is too much like the source."""


@dataclass(eq=False)
class ShotGeneration:
    """A shot and what was drawn of it.

    Attributes:
        keys: those that are drawn, ascending.
        store: where batches are kept.
        sources: (h, w) grey, what the crop of each key shows; known for keys that were seen.
    """

    shot: FaceShot
    keys: Sequence[int]
    store: ShotStore
    sources: dict[int, Image] = field(default_factory=dict)
    state: ShotState = field(default_factory=lambda: ShotState(1))
    _seen: dict[int, KeyframeCrop] = field(default_factory=dict)
    _batches: list[Batch] = field(default_factory=list)
    _next: int = 0
    _way: torch.Tensor | None = None
    _held: dict[int, Image] = field(default_factory=dict)

    def begin(self, state: ShotState) -> None:
        """Resume the stored shot, or restart it in the given state."""
        stored = self.store.read_state()
        if stored is None:
            self.store.restart(state)
        self.state = stored or state
        self._seen.clear()
        self._batches, self._next, self._way = group_into_batches(self.keys, self.state.batch), 0, None

    def restart(self, state: ShotState) -> None:
        """Restart the shot."""
        self.store.restart(state)
        self.begin(state)

    @property
    def current_batch(self) -> Batch:
        """The batch that is due, or was due last."""
        return self._batches[min(self._next, len(self._batches) - 1)]

    def add_keyframe(self, frame: int, seen: KeyframeCrop, artist: Artist) -> int:
        """Take a key frame; when its batch is complete, draw it, unless it is kept already.

        Returns:
            How many frames were drawn.

        Raises:
            TooClose: the batch came out too much like the source; nothing of it is kept.
        """
        self._seen[frame] = seen
        batch = self.current_batch
        if frame != batch.frames[-1]:
            return 0
        kept = self.store.read_batch(self._next, batch.new_frames)
        self._way = self._draw_batch(batch, artist) if kept is None else torch.from_numpy(kept[1])
        self._next += 1
        self._seen = {key: self._seen[key] for key in {self.keys[0], frame}}
        return len(batch.new_frames)

    def _draw_batch(self, batch: Batch, artist: Artist) -> torch.Tensor:
        known = None
        if batch.known and self._way is not None:
            known = self._way[:, [0, -1]][:, : batch.known]
        seen = [self._seen[frame] for frame in batch.frames]
        drawn = artist.draw(self.shot.identity, seen, self.state.attempt, self._next, known)
        images = np.rint(drawn.images[batch.known :] * 255).astype(np.uint8)
        if artist.is_too_similar(seen[batch.known :], images):
            raise TooClose
        way = drawn.way.float().cpu()
        self.store.write_batch(self._next, batch.new_frames, images, way.numpy())
        return way

    def read_keyframe(self, frame: int) -> GeneratedKeyframe | None:
        """Return a key frame that was drawn; None where it is not there any more."""
        if frame not in self._held:
            number = next(i for i, batch in enumerate(self._batches) if frame in batch.new_frames)
            kept = self.store.read_batch(number, self._batches[number].new_frames)
            if kept is None or frame not in self.sources:
                return None
            self._held[frame] = kept[0][self._batches[number].new_frames.index(frame)]
            while len(self._held) > 2:
                self._held.pop(next(iter(self._held)))
        return GeneratedKeyframe(frame, self.sources[frame], self._held[frame])

    def release_pictures(self) -> None:
        """Let go of the pictures that are held."""
        self._held.clear()


def map_box_to_crop(box: NDArray[np.float64], view: CropWindow, size: tuple[int, int]) -> NDArray[np.float64]:
    """Return where a box of the picture lies in a crop of `size`."""
    scale = np.array([size[0] / view.width, size[1] / view.height] * 2)
    return np.asarray((box - [view.x, view.y, 0, 0]) * scale, np.float64)
