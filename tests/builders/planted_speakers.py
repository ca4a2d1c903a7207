"""Voices and mouths whose speakers are known."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.speakers.active_speaker import Mouth


def voices(who: Sequence[int], seed: int = 0, wobble: float = 0.3, alike: float = 0.4) -> NDArray[np.float32]:
    """Return (n, 64) of length 1: a direction for each speaker, `alike` to the others, that wobbles."""
    random = np.random.default_rng(seed)
    people = np.linalg.qr(random.normal(size=(64, max(who) + 2)))[0].T
    heads = np.sqrt(1 - alike) * people[1:] + np.sqrt(alike) * people[0]
    found = np.array([heads[number] for number in who])
    noise = random.normal(size=found.shape)
    found = found + wobble * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def syllables(bins: int, seed: int = 0) -> NDArray[np.float64]:
    """Return loudness that goes up and down some times a second, as in speech."""
    random = np.random.default_rng(seed)
    raw = random.normal(size=bins + 8)
    smooth = np.convolve(raw, np.ones(5) / 5, "valid")[:bins]
    return np.asarray(-3 + smooth / smooth.std())


def moving(sound: NDArray[np.float64], follows: float, seed: int = 0, size: float = 0.04) -> Mouth:
    """Return a mouth whose opening follows a sound: 1 wholly, 0 not at all, with movements of its own."""
    random = np.random.default_rng(100 + seed)
    own = np.convolve(random.normal(size=len(sound) + 8), np.ones(5) / 5, "valid")[: len(sound)]
    heard = (sound - sound.mean()) / sound.std()
    activity = follows * heard + np.sqrt(1 - follows**2) * own / own.std()
    return Mouth(0, activity, 0.1 + size * activity)


def still(bins: int, seed: int = 0) -> Mouth:
    """Return a mouth that does not move but for noise."""
    noise = np.random.default_rng(200 + seed).normal(size=bins)
    return Mouth(0, noise, 0.05 + 0.002 * noise)
