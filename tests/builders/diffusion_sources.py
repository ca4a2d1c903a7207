"""A face in front of a background, moving, as the renderer would hand it to a method."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from anonymize.masking.masks import MaskSet
from anonymize.methods.face_methods import Face
from project.entities.study_records import FaceTrack
from tests.builders.face_tracks import track

WIDTH, HEIGHT, RATE_US = 160, 120, 40_000


def picture(frame: int, seed: int = 0) -> np.ndarray:
    """Something like a face, 40 x 48 pixels, that moves to the right by a pixel in each frame."""
    noise = np.random.default_rng(seed).uniform(0, 255, (HEIGHT, WIDTH + 80, 3)).astype(np.float32)
    back = cv2.GaussianBlur(noise, (0, 0), 3)[:, :WIDTH]
    drawn = np.clip((back - 128) * 4 + 100, 0, 255).astype(np.uint8)
    centre = (50 + frame, 60)
    cv2.ellipse(drawn, centre, (20, 24), 0, 0, 360, (210, 170, 150), -1)
    for x in (-8, 8):
        cv2.circle(drawn, (centre[0] + x, 54), 3, (40, 30, 30), -1)
    cv2.ellipse(drawn, (centre[0], 72), (8, 2 + frame % 5), 0, 0, 360, (120, 40, 50), -1)
    return drawn


def moving(frames: int, name: str = "track") -> FaceTrack:
    made = track([(30 + i, 36, 40, 48) for i in range(frames)], times_us=[i * RATE_US for i in range(frames)])
    return FaceTrack(name, made.frames, made.times_us, made.boxes, made.scores, made.origins)


@dataclass
class Source:
    """Stands in for the renderer's."""

    tracks: Sequence[FaceTrack]
    identities: Mapping[str, str] = field(default_factory=lambda: {"track": "P01"})
    cuts: Sequence[int] = ()
    cache: Path | None = None
    size: tuple[int, int] = (WIDTH, HEIGHT)
    seed: int = 0

    def faces(self, track_id: str | None = None) -> Iterator[Face]:
        there = [each for each in self.tracks if track_id in (None, each.id)]
        masks = MaskSet(there)
        for frame in range(max(int(each.frames[-1]) for each in there) + 2):
            for mask in masks.masks_at(frame):
                area = mask.draw_area(WIDTH, HEIGHT, 2)
                yield Face(
                    mask.track_id,
                    self.identities.get(mask.track_id, mask.track_id),
                    frame,
                    frame * RATE_US,
                    mask.box,
                    mask.face_width,
                    picture(frame, self.seed),
                    area.x,
                    area.y,
                    area.alpha,
                )
