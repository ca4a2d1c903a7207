"""Mel energies as librosa gives them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.voices.resemblyzer import BANDS, mel_energies

PICKED = [0, 5, 9, 14, 20, 33, 39]
LIBROSA = {
    0: [0.5914, 0.02792, 0.002057, 0.0002754, 2.399e-05, 0.01116, 1.173e-05],
    7: [7.887e-07, 0.005191, 0.4023, 9.467e-07, 4.363e-09, 0.02107, 3.746e-14],
    15: [2.098e-09, 1.258e-07, 8.328e-06, 10.88, 1.657e-07, 0.02107, 5.152e-14],
    30: [0.003732, 0.004259, 0.00496, 0.007736, 0.08785, 0.01165, 3.919e-05],
}
"""Frame -> some bands of librosa 0.10.2: `melspectrogram(y, sr=16000, n_fft=400, hop_length=160, n_mels=40)`."""


def test_the_energies_are_those_of_librosa() -> None:
    t = np.arange(4_800) / 16_000
    sweep = 0.3 * np.sin(2 * np.pi * (200 * t + 3000 * t * t)) + 0.05 * np.cos(2 * np.pi * 5000 * t)
    found = mel_energies(sweep.astype(np.float32))
    assert found.shape == (31, BANDS)
    for frame, energies in LIBROSA.items():
        assert found[frame, PICKED] == pytest.approx(energies, rel=2e-3, abs=1e-9)


@given(st.integers(0, 3_000))
def test_any_length_has_a_frame_every_ten_milliseconds(length: int) -> None:
    found = mel_energies(np.ones(length, np.float32))
    assert found.shape == (1 + length // 160, BANDS)
    assert np.isfinite(found).all()


def test_long_sound_is_the_same_in_parts() -> None:
    sound = np.random.default_rng(0).normal(0, 0.1, 160 * 7_000).astype(np.float32)
    assert mel_energies(sound)[6_100:6_200] == pytest.approx(mel_energies(sound[160 * 6_000 :])[100:200], rel=1e-4)
