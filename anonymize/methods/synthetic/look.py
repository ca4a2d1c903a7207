"""What a drawn face looks like: colours and shape that follow from an identity, and from nothing in the picture."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

Colour = tuple[float, float, float]
_Choice = TypeVar("_Choice")

_SKIN: tuple[Colour, ...] = (
    (244, 209, 184),
    (238, 195, 164),
    (228, 180, 145),
    (214, 162, 124),
    (194, 140, 102),
    (168, 116, 82),
    (140, 94, 66),
    (112, 74, 54),
)
_HAIR: tuple[Colour, ...] = (
    (44, 36, 36),
    (62, 46, 40),
    (90, 62, 46),
    (124, 86, 56),
    (176, 134, 84),
    (150, 78, 48),
    (70, 52, 44),
    (150, 144, 140),
)
_IRIS: tuple[Colour, ...] = ((84, 56, 36), (104, 76, 46), (86, 104, 74), (84, 112, 140), (70, 84, 96))


@dataclass(frozen=True, slots=True)
class Look:
    """How one identity is drawn. Lengths are millimetres, factors are around 1.

    Attributes:
        skin: RGB, 0 to 255, in full light.
        hair: the same.
        iris: the same.
        wide: width of the head.
        jaw: width of its lower half.
        long: length of the face below the eyes.
        eyes: half of the distance between the centres of the eyes.
        eye: size of the eyes.
        slant: how much higher the eyes' outer corners lie than the inner ones.
        nose: width of the nose.
        bridge: how far the nose stands out.
        lips: thickness of the lips.
        mouth: width of the mouth.
        brow: thickness of the brows.
        arch: how much they are arched.
        hairline: where the hair starts above the eyes.
        length: where it ends at the sides, below the eyes.
        volume: how far it stands off the head.
        parting: to which side it is combed, -1 to 1.
    """

    skin: Colour
    hair: Colour
    iris: Colour
    wide: float
    jaw: float
    long: float
    eyes: float
    eye: float
    slant: float
    nose: float
    bridge: float
    lips: float
    mouth: float
    brow: float
    arch: float
    hairline: float
    length: float
    volume: float
    parting: float


def look_of(identity: str) -> Look:
    """Return the look of an identity: the same for ever, another one for most others."""
    drawn = _Numbers(identity)
    skin = drawn.mixed(_SKIN)
    dark = sum(skin) < 430
    return Look(
        skin=skin,
        hair=drawn.one_of(_HAIR[:3] if dark else _HAIR),
        iris=drawn.one_of(_IRIS[:2] if dark else _IRIS),
        wide=drawn.between(0.95, 1.04),
        jaw=drawn.between(0.90, 1.07),
        long=drawn.between(0.95, 1.05),
        eyes=drawn.between(30.0, 33.5),
        eye=drawn.between(1.08, 1.24),
        slant=drawn.between(-1.2, 2.2),
        nose=drawn.between(0.85, 1.2),
        bridge=drawn.between(0.8, 1.15),
        lips=drawn.between(0.85, 1.25),
        mouth=drawn.between(0.92, 1.08),
        brow=drawn.between(0.8, 1.3),
        arch=drawn.between(1.5, 5.0),
        hairline=drawn.between(55.0, 68.0),
        length=drawn.one_of((8.0, 14.0, 20.0, 58.0, 84.0, 112.0)),
        volume=drawn.between(0.8, 1.35),
        parting=drawn.between(-1.0, 1.0),
    )


class _Numbers:
    """Draws numbers from a hash, so that they are the same on every machine and in every version of Python."""

    def __init__(self, seed: str) -> None:
        self._seed, self._drawn = seed, 0

    def between(self, low: float, high: float) -> float:
        self._drawn += 1
        digest = hashlib.sha256(f"{self._drawn}:{self._seed}".encode()).digest()
        return low + (high - low) * int.from_bytes(digest[:8], "big") / float(1 << 64)

    def one_of(self, choices: Sequence[_Choice]) -> _Choice:
        return choices[int(self.between(0, len(choices)))]

    def mixed(self, scale: Sequence[Colour]) -> Colour:
        """Return a colour between two neighbours of a scale."""
        place = self.between(0, len(scale) - 1)
        first, share = int(place), place - int(place)
        red, green, blue = ((1 - share) * a + share * b for a, b in zip(scale[first], scale[first + 1], strict=True))
        return red, green, blue
