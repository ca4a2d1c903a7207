"""People of other recordings: the more of them, the better a threshold is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from media.frames import FrameReader
from media.index import load_index
from models.faces.identity.base import Embedder
from models.faces.landmarks import signals
from models.faces.landmarks.base import LandmarkFinder
from project.progress import Progress

_MEMORY = 32 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Stranger:
    """Somebody who is not in the recording that is measured.

    Attributes:
        identity: their pseudonym.
        path: of another recording's file.
        frames: (k,) positions of a few frames in which their face is large.
        boxes: (k, 4) of their face in these.
    """

    identity: str
    path: Path
    frames: Sequence[int]
    boxes: NDArray[np.float32]


def stranger_from(found: Mapping[str, Any]) -> Stranger:
    """Read one from JSON with the same names."""
    boxes = np.array(found["boxes"], np.float32).reshape(-1, 4)
    return Stranger(str(found["identity"]), Path(found["path"]), [int(frame) for frame in found["frames"]], boxes)


def embedded(
    strangers: Sequence[Stranger], embedders: Sequence[Embedder], finder: LandmarkFinder | None, progress: Progress
) -> list[list[NDArray[np.float32]]]:
    """Return for each embedder an (n, d) array for each stranger whose face could be embedded.

    Nothing of it is kept: vectors of faces are personal data like the faces themselves.
    """
    found: list[list[NDArray[np.float32]]] = [[] for _ in embedders]
    if finder is None or not embedders:
        return found
    for done, one in enumerate(strangers, 1):
        progress.progress(done, len(strangers), "Looking at people of other recordings")
        seen: list[list[NDArray[np.float32]]] = [[] for _ in embedders]
        with FrameReader(one.path, load_index(one.path, progress=progress), memory=_MEMORY) as reader:
            for frame, box in zip(one.frames, one.boxes, strict=True):
                progress.check_cancelled()
                if not 0 <= frame < len(reader.index):
                    continue
                image = reader.at(frame).image
                (points,) = finder.find(image, np.asarray(box, np.float32)[None])
                if points is not None:
                    five = np.asarray(signals.five_points(points), np.float32)[None]
                    for vectors, embedder in zip(seen, embedders, strict=True):
                        vectors.append(embedder.embed(image, five)[0])
        for kept, vectors in zip(found, seen, strict=True):
            if vectors:
                kept.append(np.array(vectors))
    return found
