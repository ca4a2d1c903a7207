"""Faces handed to a method as the renderer does: in pictures of noise, or of something like a face that moves."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from anonymize.masking.masks import MaskSet
from anonymize.methods.face_methods import Face
from project.entities.study_records import FaceTrack
from tests.builders.face_tracks import track

STEP_US = 40_000


def noise(frame: int, seed: int = 0) -> np.ndarray:
    blocks = np.random.default_rng((seed, frame)).integers(0, 256, (40, 50, 3), np.uint8)
    return blocks.repeat(4, 0).repeat(4, 1)


@dataclass
class NoiseSource:
    """Attributes as `FaceSource`; another seed draws other noise under all masks, and the same outside."""

    tracks: Sequence[FaceTrack]
    seed: int = 0
    identities: Mapping[str, str] = field(default_factory=dict)
    cuts: Sequence[int] = ()
    cache: Path | None = None
    size: tuple[int, int] = (200, 160)

    def picture(self, frame: int) -> np.ndarray:
        hidden = MaskSet(self.tracks).draw_alpha(frame, *self.size) > 0
        image = noise(frame)
        image[hidden] = noise(frame, self.seed)[hidden]
        return image

    def faces(self, track_id: str | None = None) -> Iterator[Face]:
        masks = MaskSet([there for there in self.tracks if track_id in (None, there.id)])
        for frame in range(max(int(there.frames[-1]) for there in self.tracks) + 2):
            for mask in masks.masks_at(frame):
                area = mask.draw_area(*self.size, 2)
                if area is not None:
                    who = self.identities.get(mask.track_id, mask.track_id)
                    place = (area.x, area.y, area.alpha)
                    about = (mask.track_id, who, frame, frame * STEP_US, mask.box, mask.face_width)
                    yield Face(*about, self.picture(frame), *place)


@dataclass
class MovingSource(NoiseSource):
    """Shows a face of 40 x 48 pixels that moves to the right by a pixel in each frame, where `moving_face` is."""

    identities: Mapping[str, str] = field(default_factory=lambda: {"track": "P01"})
    size: tuple[int, int] = (160, 120)

    def picture(self, frame: int) -> np.ndarray:
        width, height = self.size
        rough = np.random.default_rng(self.seed).uniform(0, 255, (height, width + 80, 3)).astype(np.float32)
        back = cv2.GaussianBlur(rough, (0, 0), 3)[:, :width]
        drawn = np.clip((back - 128) * 4 + 100, 0, 255).astype(np.uint8)
        centre = (50 + frame, 60)
        cv2.ellipse(drawn, centre, (20, 24), 0, 0, 360, (210, 170, 150), -1)
        for x in (-8, 8):
            cv2.circle(drawn, (centre[0] + x, 54), 3, (40, 30, 30), -1)
        cv2.ellipse(drawn, (centre[0], 72), (8, 2 + frame % 5), 0, 0, 360, (120, 40, 50), -1)
        return drawn


def moving_face(frames: int, name: str = "track") -> FaceTrack:
    return track([(30 + i, 36, 40, 48) for i in range(frames)], name=name)
