"""The network that tells voices apart answers as the original does, and what it hears are librosa's mel energies."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from models.runtime.onnx_session import open_session
from models.voices.resemblyzer import BANDS as MEL_BANDS
from models.voices.resemblyzer import mel_energies
from models.weights import voice_network
from models.weights.voice_network import BANDS, DIMENSIONS, FRAMES, INPUT, OUTPUT, build

# What Resemblyzer 0.1.4 itself (torch 2.13.0, CPU) gives for `_sound()`.
FIRST = (0, 0, 0, 0, 0, 0, 0.140233, 0, 0.044463, 0, 0.084846, 0.137038)
POSITIVE, LARGEST_AT, LARGEST = 92, 124, 0.305886
_FILE_BYTES = 17_090_379


def _sound() -> NDArray[np.float32]:
    frame, band = np.arange(FRAMES)[:, None], np.arange(BANDS)[None]
    sound: NDArray[np.float32] = (np.exp(-band / 8) * (1 + np.sin(frame / 7 + band / 3)) / 50).astype(np.float32)
    return sound[None]


def _made_up(seed: int = 1) -> bytes:
    """Return a file with numbers at the places of the real one, and noise, which is no pickle, everywhere else."""
    random = np.random.default_rng(seed)
    content = bytearray(random.bytes(_FILE_BYTES))
    for start, count in (voice_network._LSTM, voice_network._LINEAR, voice_network._BIAS):
        content[start - 8 : start] = count.to_bytes(8, "little")
        content[start : start + 4 * count] = random.normal(0, 0.1, count).astype("<f4").tobytes()
    return bytes(content)


def _by_hand(content: bytes, mel: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the embedding by the equations of an LSTM in torch's documentation, one step after another."""
    lstm = np.frombuffer(content, "<f4", *reversed(voice_network._LSTM)).astype(np.float64)
    rows, steps = 1024, mel[0].astype(np.float64)
    for width, starts in zip((BANDS, 256, 256), voice_network._STARTS, strict=True):
        of_input = lstm[starts[0] : starts[0] + rows * width].reshape(rows, width)
        of_hidden = lstm[starts[1] : starts[1] + rows * 256].reshape(rows, 256)
        bias = lstm[starts[2] : starts[2] + rows] + lstm[starts[3] : starts[3] + rows]
        hidden, cell, given = np.zeros(256), np.zeros(256), []
        for step in steps:
            gates = of_input @ step + of_hidden @ hidden + bias
            let_in, forget, candidate, let_out = gates.reshape(4, 256)
            cell = _sigmoid(forget) * cell + _sigmoid(let_in) * np.tanh(candidate)
            hidden = _sigmoid(let_out) * np.tanh(cell)
            given.append(hidden)
        steps = np.array(given)
    linear = np.frombuffer(content, "<f4", *reversed(voice_network._LINEAR)).reshape(DIMENSIONS, 256)
    raw: NDArray[np.float64] = np.maximum(
        linear @ hidden + np.frombuffer(content, "<f4", *reversed(voice_network._BIAS)), 0
    )
    scaled: NDArray[np.float64] = raw / np.linalg.norm(raw)
    return scaled


def _sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    given: NDArray[np.float64] = 1 / (1 + np.exp(-x))
    return given


def test_it_computes_what_the_equations_say() -> None:
    content = _made_up()
    network = build(content)
    assert build(content[:-100] + bytes(100)) == network, "only the numbers count"
    session = open_session(network)
    random = np.random.default_rng(2)
    mel = random.random((2, FRAMES, BANDS), np.float32)
    voices = session.run([OUTPUT], {INPUT: mel})[0]
    assert voices.shape == (2, DIMENSIONS)
    for number in range(2):
        np.testing.assert_allclose(voices[number], _by_hand(content, mel[number][None]), atol=1e-5)


@pytest.mark.weights
def test_it_answers_as_the_original_does(real_weights: Callable[[str], Path]) -> None:
    voice = open_session(real_weights("voice-embedding")).run([OUTPUT], {INPUT: _sound()})[0][0]
    np.testing.assert_allclose(voice[: len(FIRST)], FIRST, atol=1e-5)
    assert (voice > 0).sum() == POSITIVE
    assert voice.argmax() == LARGEST_AT
    assert voice.max() == pytest.approx(LARGEST, abs=1e-5)
    assert np.linalg.norm(voice) == pytest.approx(1, abs=1e-6)


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
    assert found.shape == (31, MEL_BANDS)
    for frame, energies in LIBROSA.items():
        assert found[frame, PICKED] == pytest.approx(energies, rel=2e-3, abs=1e-9)


@given(st.integers(0, 3_000))
def test_any_length_has_a_frame_every_ten_milliseconds(length: int) -> None:
    found = mel_energies(np.ones(length, np.float32))
    assert found.shape == (1 + length // 160, MEL_BANDS)
    assert np.isfinite(found).all()
