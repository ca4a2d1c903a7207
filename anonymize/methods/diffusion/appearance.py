"""What a person is to look like: fixed by who it is called, and by nothing that is in the picture."""

import hashlib
from dataclasses import dataclass

_AGES = ("in their twenties", "in their thirties", "in their forties", "in their fifties", "in their sixties")
_COMPLEXIONS = ("very fair skin", "fair skin", "olive skin", "light brown skin", "brown skin", "dark brown skin")
_HAIR = ("short", "shoulder-length", "curly", "wavy", "straight", "tied-back")
_COLOURS = ("black hair", "dark brown hair", "light brown hair", "blond hair", "red hair", "grey hair")
_SHAPES = ("an oval face", "a round face", "a square face", "a long face", "a heart-shaped face")
_EYES = ("brown eyes", "dark eyes", "green eyes", "blue eyes", "grey eyes")
_BROWS = ("thick eyebrows", "thin eyebrows", "straight eyebrows", "arched eyebrows")
_NOSES = ("a small nose", "a broad nose", "a narrow nose", "a long nose")
AGAINST = "drawing, cartoon, painting, text, watermark, deformed, blurry, extra eyes, mask"
"""What no face should look like."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """How someone is drawn.

    Attributes:
        prompt: for the text encoder.
        seed: of the noise; less than 2**63.
    """

    prompt: str
    seed: int


def appearance(identity: str, attempt: int = 0) -> Appearance:
    """Return how someone is drawn, the same in all recordings.

    Args:
        identity: who it is.
        attempt: another seed with the same words, for a face that came out too much like the source.
    """
    age, complexion, hair, colour, shape, eyes, brows, nose = (
        each[_number(f"{each[0]} or not for {identity}") % len(each)]
        for each in (_AGES, _COMPLEXIONS, _HAIR, _COLOURS, _SHAPES, _EYES, _BROWS, _NOSES)
    )
    prompt = (
        f"photo of the face of a person {age}, {complexion}, {hair} {colour}, {shape}, {eyes}, {brows}, {nose}, "
        "natural light, sharp focus"
    )
    return Appearance(prompt, _number(f"noise of {identity}, {attempt}"))


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
