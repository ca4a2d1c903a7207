"""Regions of whole persons, derived from their faces: a face is expanded by the proportions of a body.

A person is as tall as seven and a half heads and, with the arms, some three heads wide (the canon of figure drawing).
A detector's box holds the face from the brows to the chin, about two thirds of a head. So a region reaches from 0.6 of
the face's height above it to 7 below its top, and 2 of its widths to either side of its middle, as far as there is
picture: in a close view what is left is the upper body. Every box of a face track gives one, so that a person track has
the frames, the id and the participant of its face track, and what a person says about one holds for the other.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from project.types import FaceTrack

ABOVE, BELOW, ASIDE = 0.6, 7.0, 2.0
"""How far a region reaches: of the face's height above its top, of its height below its top, of its width from its
middle."""


@dataclass(frozen=True, slots=True, eq=False)
class PersonTrack:
    """The regions of one person over the frames of a face track.

    Attributes:
        face: the track that it is derived from.
        boxes: (n, 4) float32, x, y, width, height in pixels of the picture as it is shown, inside of it.
    """

    face: FaceTrack
    boxes: NDArray[np.float32]


def person_track(face: FaceTrack, width: int, height: int) -> PersonTrack:
    """Return the person track of a face track in pictures of a size."""
    return PersonTrack(face, person_boxes(face.boxes, width, height))


def person_boxes(faces: NDArray[np.float32], width: int, height: int) -> NDArray[np.float32]:
    """Return (n, 4) regions of persons for (n, 4) boxes of faces; each lies in the picture."""
    x, y, w, h = (np.asarray(faces, np.float32).reshape(-1, 4)[:, at] for at in range(4))
    middle = x + w / 2
    left, right = np.clip(middle - ASIDE * w, 0, width), np.clip(middle + ASIDE * w, 0, width)
    top, bottom = np.clip(y - ABOVE * h, 0, height), np.clip(y + BELOW * h, 0, height)
    return np.stack([left, top, right - left, bottom - top], axis=1).astype(np.float32)
