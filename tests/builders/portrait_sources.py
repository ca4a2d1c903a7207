"""Faces in a picture of noise, handed to a method as the renderer does."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from anonymize.masking.masks import MaskSet
from anonymize.methods.face_methods import Face
from project.entities.study_records import FaceTrack

SIZE = (200, 160)
STEP_US = 40_000


def noise(frame: int, seed: int = 0) -> np.ndarray:
    blocks = np.random.default_rng((seed, frame)).integers(0, 256, (40, 50, 3), np.uint8)
    return blocks.repeat(4, 0).repeat(4, 1)


@dataclass
class Source:
    """Attributes as `FaceSource`; `hidden_seed` draws other noise under all masks, and the same outside."""

    tracks: Sequence[FaceTrack]
    hidden_seed: int = 0
    identities: Mapping[str, str] = field(default_factory=dict)
    cuts: Sequence[int] = ()
    cache: Path | None = None
    size: tuple[int, int] = SIZE

    def picture(self, frame: int) -> np.ndarray:
        hidden = MaskSet(self.tracks).draw_alpha(frame, *SIZE) > 0
        image = noise(frame)
        image[hidden] = noise(frame, self.hidden_seed)[hidden]
        return image

    def faces(self, track_id: str | None = None) -> Iterator[Face]:
        masks = MaskSet(self.tracks)
        last = max(int(track.frames[-1]) for track in self.tracks)
        for frame in range(last + 2):
            for mask in masks.masks_at(frame):
                area = mask.draw_area(*SIZE, 2)
                if track_id not in (None, mask.track_id) or area is None:
                    continue
                who = self.identities.get(mask.track_id, mask.track_id)
                image = self.picture(frame)
                yield Face(
                    mask.track_id,
                    who,
                    frame,
                    frame * STEP_US,
                    mask.box,
                    mask.face_width,
                    image,
                    area.x,
                    area.y,
                    area.alpha,
                )
