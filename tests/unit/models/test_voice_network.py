"""The network that tells voices apart: built of plain numbers in a known file, and it answers as the original does."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from models.runtime.onnx_session import open_session
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
    session = open_session(build(content))
    random = np.random.default_rng(2)
    mel = random.random((3, FRAMES, BANDS), np.float32)
    voices = session.run([OUTPUT], {INPUT: mel})[0]
    assert voices.shape == (3, DIMENSIONS)
    for number in range(3):
        np.testing.assert_allclose(voices[number], _by_hand(content, mel[number][None]), atol=1e-5)


def test_the_same_numbers_make_the_same_file_whatever_lies_around_them() -> None:
    content = bytearray(_made_up())
    made = build(bytes(content))
    assert build(bytes(content)) == made
    content[:100] = bytes(100)
    content[-100:] = bytes(100)
    assert build(bytes(content)) == made
    content[voice_network._LSTM[0]] ^= 1
    assert build(bytes(content)) != made


@pytest.mark.weights
def test_it_answers_as_the_original_does(real_weights: Callable[[str], Path]) -> None:
    voice = open_session(real_weights("voice-embedding")).run([OUTPUT], {INPUT: _sound()})[0][0]
    np.testing.assert_allclose(voice[: len(FIRST)], FIRST, atol=1e-5)
    assert (voice > 0).sum() == POSITIVE
    assert voice.argmax() == LARGEST_AT
    assert voice.max() == pytest.approx(LARGEST, abs=1e-5)
    assert np.linalg.norm(voice) == pytest.approx(1, abs=1e-6)
