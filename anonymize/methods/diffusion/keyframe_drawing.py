"""Draws the key frames of the faces to be hidden: chooses prompt, seed and control image, and rejects copies.

A prompt follows from the pseudonym alone. An independent identity network decides whether a result is a copy.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from anonymize.methods.diffusion.pipeline import GeneratedBatch, PromptEmbedding, Translator
from models.faces.identity.face_embeddings import Embedder, create_face_embedder, default_face_embedder
from models.faces.landmarks.face_signals import five_points
from models.faces.landmarks.landmark_finders import LANDMARKS, LandmarkFinder, Landmarks
from project.progress import Progress

_AGES = ("in their twenties", "in their thirties", "in their forties", "in their fifties", "in their sixties")
_COMPLEXIONS = ("very fair skin", "fair skin", "olive skin", "light brown skin", "brown skin", "dark brown skin")
_HAIR = ("short", "shoulder-length", "curly", "wavy", "straight", "tied-back")
_COLOURS = ("black hair", "dark brown hair", "light brown hair", "blond hair", "red hair", "grey hair")
_SHAPES = ("an oval face", "a round face", "a square face", "a long face", "a heart-shaped face")
_EYES = ("brown eyes", "dark eyes", "green eyes", "blue eyes", "grey eyes")
_BROWS = ("thick eyebrows", "thin eyebrows", "straight eyebrows", "arched eyebrows")
_NOSES = ("a small nose", "a broad nose", "a narrow nose", "a long nose")
NEGATIVE_PROMPT = "drawing, cartoon, painting, text, watermark, deformed, blurry, extra eyes, mask"
"""Negative prompt of every face."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """How someone is drawn."""

    prompt: str
    seed: int


def choose_appearance(identity: str, attempt: int = 0) -> Appearance:
    """Return how someone is drawn, the same in all recordings; each attempt has another seed with the same words."""
    age, complexion, hair, colour, shape, eyes, brows, nose = (
        choices[_number(f"{choices[0]} or not for {identity}") % len(choices)]
        for choices in (_AGES, _COMPLEXIONS, _HAIR, _COLOURS, _SHAPES, _EYES, _BROWS, _NOSES)
    )
    prompt = (
        f"photo of the face of a person {age}, {complexion}, {hair} {colour}, {shape}, {eyes}, {brows}, {nose}, "
        "natural light, sharp focus"
    )
    return Appearance(prompt, _number(f"noise of {identity}, {attempt}"))


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


Image = NDArray[np.uint8]

_CANNY_LOW, _CANNY_HIGH = 50, 100
_LINE_WIDTH = 2
# Closed lines of MediaPipe's 478 points. The outline of the face is left out: it says who it is, not what it does.
_MEDIAPIPE_CLOSED = (
    (33, 7, 163, 144, 145, 153, 154, 155, 133, 173, 157, 158, 159, 160, 161, 246),
    (263, 249, 390, 373, 374, 380, 381, 382, 362, 398, 384, 385, 386, 387, 388, 466),
    (61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 409, 270, 269, 267, 0, 37, 39, 40, 185),
    (78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 415, 310, 311, 312, 13, 82, 81, 80, 191),
    (469, 470, 471, 472),
    (474, 475, 476, 477),
)
_MEDIAPIPE_OPEN = ((46, 53, 52, 65, 55), (276, 283, 282, 295, 285), (168, 6, 197, 195, 5, 4), (98, 2, 327))
_IBUG_CLOSED = ((36, 37, 38, 39, 40, 41), (42, 43, 44, 45, 46, 47), tuple(range(48, 60)), tuple(range(60, 68)))
_IBUG_OPEN = ((17, 18, 19, 20, 21), (22, 23, 24, 25, 26), (27, 28, 29, 30), (31, 32, 33, 34, 35))
_LINES = {"mediapipe478": (_MEDIAPIPE_CLOSED, _MEDIAPIPE_OPEN), "ibug68": (_IBUG_CLOSED, _IBUG_OPEN)}


def detect_edges(crop: Image) -> Image:
    """Return the edges of a crop (Canny, PAMI 1986; thresholds 50 and 100), (h, w, 3) white on black."""
    found = cv2.Canny(cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY), _CANNY_LOW, _CANNY_HIGH)
    return np.repeat(found[..., None], 3, axis=2).astype(np.uint8)


def draw_landmark_lines(landmarks: Landmarks | None, size: tuple[int, int]) -> Image:
    """Return the lines of eyes, iris, brows, nose and mouth, white on black as edges are; none without landmarks."""
    drawn = np.zeros((size[1], size[0], 3), np.uint8)
    if landmarks is not None:
        points = np.rint(landmarks.points[:, :2]).astype(np.int32)
        for is_closed, lines in zip((True, False), _LINES[landmarks.layout], strict=True):
            polygons = [points[list(line)] for line in lines]
            cv2.polylines(drawn, polygons, is_closed, (255, 255, 255), _LINE_WIDTH, cv2.LINE_AA)
    return drawn


MAX_SIMILARITY = 0.25
"""Mean cosine of source and result over the key frames of a batch from which on it is drawn again."""

_COPY_CORRELATION = 0.97

# Of an upright face, as shares of its box: eyes, nose, corners of the mouth.
_DEFAULT_POINTS = np.array([[0.31, 0.41], [0.69, 0.41], [0.5, 0.6], [0.35, 0.78], [0.65, 0.78]], np.float32)


class FaceComparer:
    """Compares what an identity network says of two faces, at the same five points."""

    def __init__(self, embedder: Embedder, finder: LandmarkFinder | None) -> None:
        self._embedder, self._finder = embedder, finder

    @property
    def key(self) -> str:
        """The networks that are asked."""
        return f"{self._embedder.key}, {self._finder.key if self._finder else 'box'}"

    def similarity(self, source: Image, drawn: Image, box: NDArray[np.float64]) -> float:
        """Return the cosine of two faces in the same box of two crops, (h, w, 3) each.

        A face without landmarks, from the side, is compared at the usual places in its box.
        """
        points = (_DEFAULT_POINTS * box[2:] + box[:2]).astype(np.float32)
        if self._finder is not None:
            found = self._finder.find(source, box[None].astype(np.float32))[0]
            points = points if found is None else five_points(found)
        pair = [self._embedder.embed(image, points[None])[0] for image in (source, drawn)]
        return float(pair[0] @ pair[1])

    def close(self) -> None:
        """Free what it holds."""
        if self._finder is not None:
            self._finder.close()


def is_copy(source: Image, drawn: Image, box: NDArray[np.float64]) -> bool:
    """Tell whether a drawn face is a mere copy, in whatever brightness and contrast: by the correlation of both.

    Both are (h, w, 3), `box` is x, y, width, height of the face in them.
    """
    x, y, width, height = (round(float(value)) for value in box)
    rows, columns = slice(max(0, y), max(0, y + height)), slice(max(0, x), max(0, x + width))
    pair = [image[rows, columns].astype(np.float64).mean(axis=2) for image in (source, drawn)]
    first, second = (image - image.mean() if image.size else image for image in pair)
    scale = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return scale > 0 and float((first * second).sum()) / scale > _COPY_CORRELATION


def create_comparer() -> FaceComparer | None:
    """Return what compares faces with the networks that are installed; None where there is no identity network."""
    name = default_face_embedder()
    if name is None:
        return None
    finder = LANDMARKS.make("mediapipe") if LANDMARKS.is_installed("mediapipe") else None
    return FaceComparer(create_face_embedder(name), finder)


@dataclass(frozen=True, slots=True, eq=False)
class KeyframeCrop:
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
        likeness: FaceComparer | None,
        finder: LandmarkFinder | None,
        progress: Progress,
    ) -> None:
        """Take the networks.

        `strength` says how far a face is taken back to noise. `likeness` tells whether it was changed enough, None
        where nothing can. `finder` finds the landmarks whose lines alone are kept; without one, edges are.
        """
        self._translator, self._strength, self._progress = translator, strength, progress
        self._likeness, self._finder = likeness, finder
        self._words: dict[str, PromptEmbedding] = {}

    def draw(
        self, identity: str, seen: Sequence[KeyframeCrop], attempt: int, part: int, known: torch.Tensor | None
    ) -> GeneratedBatch:
        """Draw a batch of one shot, with the words and the seed of an identity; see `Translator.draw`."""
        look = choose_appearance(identity, attempt)
        if look.prompt not in self._words:
            self._words[look.prompt] = self._translator.encode_prompt(look.prompt, NEGATIVE_PROMPT)
        crops, controls = [keyframe.crop for keyframe in seen], [self._control(keyframe) for keyframe in seen]
        words = self._words[look.prompt]
        return self._translator.draw(crops, controls, words, look.seed, self._strength, part, known, self._progress)

    def is_too_similar(self, seen: Sequence[KeyframeCrop], images: Image) -> bool:
        """Tell whether results are too much like the source: one of them a copy, or alike on the mean of a batch."""
        pairs = [(keyframe.crop, image, keyframe.box) for keyframe, image in zip(seen, images, strict=True)]
        if any(is_copy(*pair) for pair in pairs):
            return True
        if self._likeness is None:
            return False
        return float(np.mean([self._likeness.similarity(*pair) for pair in pairs])) >= MAX_SIMILARITY

    def _control(self, seen: KeyframeCrop) -> Image:
        if self._finder is None:
            return detect_edges(seen.crop)
        found = self._finder.find(seen.crop, seen.box[None].astype(np.float32))[0]
        return draw_landmark_lines(found, (seen.crop.shape[1], seen.crop.shape[0]))
