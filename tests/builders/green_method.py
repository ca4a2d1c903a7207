"""A method that draws green faces, and keeps what it was given."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from anonymize.methods.face_methods import Face, FaceSource, Image
from anonymize.methods.solid import SolidOptions
from project.progress import Progress


class Green:
    """Draws a green face, and none in the frame that it is told."""

    kind: ClassVar = "face"
    name: ClassVar = "green"
    title: ClassVar = "Green"
    description: ClassVar = "Green."
    reversible: ClassVar = False
    from_source: ClassVar = False
    needs: ClassVar[tuple[str, ...]] = ()
    options_type: ClassVar = SolidOptions
    caches: ClassVar[list[Path | None]] = []

    def __init__(self, options: Any = None, *, fails: int | None = None) -> None:
        self.options = options or SolidOptions()
        self.fails = fails
        self.seen: list[Face] = []
        self.ended = 0

    def begin(self, source: FaceSource, progress: Progress) -> None:
        self.together = [(face.frame, face.track_id) for face in source.faces()]
        self.ahead = {track.id: [face.frame for face in source.faces(track.id)] for track in source.tracks}
        self.caches.append(source.cache)
        if source.cache is not None:
            (source.cache / "done so far").write_text("half")

    def draw(self, face: Face) -> Image | None:
        self.seen.append(face)
        return None if face.frame == self.fails else np.full(face.crop.shape, (0, 255, 0), np.uint8)

    def end(self) -> None:
        self.ended += 1
