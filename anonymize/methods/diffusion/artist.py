"""Draws the key frames of whoever is to be hidden: chooses words, seed and control, and judges what came out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from anonymize.methods.diffusion.appearance import AGAINST, appearance
from anonymize.methods.diffusion.control import edges, lines
from anonymize.methods.diffusion.likeness import TOO_CLOSE, Likeness, copied
from anonymize.methods.diffusion.pipeline import Drawn, Translator, Words
from models.faces.landmarks.base import LandmarkFinder
from project.progress import Progress

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A key frame of the source.

    Attributes:
        crop: (H, W, 3) as it goes into the network.
        box: (4,) x, y, width, height of the face in the crop.
    """

    crop: Image
    box: NDArray[np.float64]


class Artist:
    """Draws batches, each as it is asked for; the same answer for the same question."""

    def __init__(
        self,
        translator: Translator,
        strength: float,
        likeness: Likeness | None,
        finder: LandmarkFinder | None,
        progress: Progress,
    ) -> None:
        """Take what is needed.

        Args:
            translator: the networks.
            strength: how far a face is taken back to noise.
            likeness: tells whether a face was changed enough; None where nothing can.
            finder: of landmarks, whose lines alone are kept; None keeps the edges.
            progress: is asked before each step whether to go on.
        """
        self._translator, self._strength, self._progress = translator, strength, progress
        self._likeness, self._finder = likeness, finder
        self._words: dict[str, Words] = {}

    def draw(self, identity: str, seen: Sequence[Seen], attempt: int, part: int, known: torch.Tensor | None) -> Drawn:
        """Draw a batch of one shot; see `Translator.draw`.

        Args:
            identity: who it is.
            seen: key frames.
            attempt: which seed.
            part: which batch of the shot.
            known: the way of those that were drawn before.
        """
        look = appearance(identity, attempt)
        if look.prompt not in self._words:
            self._words[look.prompt] = self._translator.encoded(look.prompt, AGAINST)
        return self._translator.draw(
            [each.crop for each in seen],
            [self._control(each) for each in seen],
            self._words[look.prompt],
            look.seed,
            self._strength,
            part,
            known,
            self._progress,
        )

    def alike(self, seen: Sequence[Seen], images: Image) -> bool:
        """Tell whether results are too much like the source: one of them a copy, or alike on the mean of a batch."""
        pairs = [(one.crop, image, one.box) for one, image in zip(seen, images, strict=True)]
        if any(copied(*pair) for pair in pairs):
            return True
        if self._likeness is None:
            return False
        return float(np.mean([self._likeness.between(*pair) for pair in pairs])) >= TOO_CLOSE

    def _control(self, seen: Seen) -> Image:
        if self._finder is None:
            return edges(seen.crop)
        found = self._finder.find(seen.crop, seen.box[None].astype(np.float32))[0]
        return lines(found, (seen.crop.shape[1], seen.crop.shape[0]))
