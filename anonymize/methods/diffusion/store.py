"""What was drawn of a shot, kept batch by batch, so that work goes on where it ended. Nothing of the source is kept."""

import hashlib
import io
import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from project.types import Json

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class State:
    """How a shot is being drawn.

    Attributes:
        batch: key frames that go through the network together.
        attempt: how often another seed was taken.
        refused: every attempt came out too much like the source.
    """

    batch: int
    attempt: int = 0
    refused: bool = False


def key_of(decides: Mapping[str, Json]) -> str:
    """Return a name for everything that decides how a shot comes out."""
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:32]


class ShotStore:
    """The folder of one shot: a file of its state, and one for each batch that was drawn."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def state(self) -> State | None:
        """Return how the shot was being drawn; None where nothing is there or it cannot be read."""
        try:
            return State(**json.loads((self._folder / "state.json").read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def start(self, state: State) -> None:
        """Begin the shot anew: whatever was drawn of it is deleted.

        Raises:
            OSError: the folder cannot be written.
        """
        with suppress(FileNotFoundError):
            shutil.rmtree(self._folder)
        self._folder.mkdir(parents=True)
        self._write("state.json", json.dumps(asdict(state)).encode())

    def keep(self, number: int, frames: Sequence[int], images: Image, way: NDArray[np.float32]) -> None:
        """Keep a batch.

        Args:
            number: of the batch.
            frames: that are new in it.
            images: (frames, h, w, 3).
            way: the latents of its first and last frame after each step.

        Raises:
            OSError: it cannot be written.
        """
        content = io.BytesIO()
        np.savez_compressed(content, frames=np.asarray(frames, np.int64), images=images, way=way)
        self._write(f"{number:05d}.npz", content.getvalue())

    def batch(self, number: int, frames: Sequence[int]) -> tuple[Image, NDArray[np.float32]] | None:
        """Return images and way of a batch; None where it was not drawn, is damaged, or is of other frames."""
        try:
            with (self._folder / f"{number:05d}.npz").open("rb") as file, np.load(file, allow_pickle=False) as there:
                if there["frames"].tolist() != list(frames):
                    return None
                return there["images"], there["way"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
            return None

    def _write(self, name: str, content: bytes) -> None:
        temporary = self._folder / f".{name}.part"
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self._folder / name)
