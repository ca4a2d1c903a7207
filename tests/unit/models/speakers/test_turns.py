"""Turns inside stretches of speech, where it is known who spoke when; and one pass over the sound."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from models.speakers.voice_clustering import (
    BIN_US,
    analyze_sound,
    best_path,
    cluster_windows,
    find_turns,
)
from models.voices.voice_embeddings import SAMPLE_RATE

SECOND = 1_000_000


class PitchEmbedder:
    """Stands in for a network: a voice is a tone, and its vector the direction of its frequency."""

    key = "pitch"
    parameters: dict[str, object] = {}
    dimensions = 8
    window = 25_600

    def embed(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        return self.embed_windows(samples, [0])[0]

    def embed_windows(self, samples: NDArray[np.float32], starts: Sequence[int]) -> NDArray[np.float32]:
        found = []
        for start in starts:
            part = samples[start : start + self.window]
            powers = np.abs(np.fft.rfft(part, 16_000))[: 8 * 100].reshape(8, 100).sum(1)
            powers = powers**2 + 0.05 * (powers**2).sum() * np.arange(8)[::-1] / 8
            found.append(powers / max(float(np.linalg.norm(powers)), 1e-9) if part.any() else powers * 0)
        return np.array(found, np.float32).reshape(-1, 8)


def tones(parts: Sequence[tuple[float, float]]) -> NDArray[np.float32]:
    """Return sound made of (hertz, seconds); 0 hertz is silence."""
    return np.concatenate(
        [
            (0.2 * np.sin(2 * np.pi * hz * np.arange(round(s * SAMPLE_RATE)) / SAMPLE_RATE)).astype(np.float32)
            for hz, s in parts
        ]
    )


def blocks(samples: NDArray[np.float32], size: int = 5_000) -> list[NDArray[np.float32]]:
    return [samples[k : k + size] for k in range(0, len(samples), size)]


def test_turns_change_where_the_voice_does() -> None:
    sound = analyze_sound(blocks(tones([(150, 5), (350, 4), (150, 3), (550, 6)])), [(0, 18 * SECOND)], PitchEmbedder())
    voices = cluster_windows(sound, number=3)
    turns = find_turns([(0, 18 * SECOND)], sound, voices.centres)
    assert [speaker_turn.voice for speaker_turn in turns] == [0, 1, 0, 2]
    assert turns[0].start_us == 0
    assert turns[-1].end_us == 18 * SECOND
    for turn, at in zip(turns[1:], (5, 9, 12), strict=True):
        assert turn.start_us == pytest.approx(at * SECOND, abs=0.5 * SECOND)


def test_the_blocks_that_sound_comes_in_make_no_difference() -> None:
    samples, spans = (
        tones([(150, 2), (0, 1), (350, 2)]),
        [(200_000, 1_900_000), (1_000_000, 4_800_000), (3_000_000, 3_200_000)],
    )
    sound, other = (analyze_sound(blocks(samples, size), spans, PitchEmbedder()) for size in (1_601, 40_000))
    assert (sound.loudness == other.loudness).all()
    assert (sound.vectors == other.vectors).all()
    assert (sound.times_us == other.times_us).all()
    assert (sound.owners == other.owners).all()
    assert set(sound.owners.tolist()) == {0, 1, 2}
    assert len(sound.loudness) == 5 * SECOND // BIN_US


def test_stretches_past_the_end_and_silence_are_heard_as_nothing() -> None:
    sound = analyze_sound(blocks(tones([(0, 3)])), [(0, 2 * SECOND), (5 * SECOND, 6 * SECOND)], PitchEmbedder())
    assert not sound.vectors.any()
    assert not sound.mean_vectors(2).any()
    assert find_turns([(0, 2 * SECOND)], sound, cluster_windows(sound).centres) == []
    assert sound.loudness == pytest.approx(np.log(1e-3))
    unnamed = analyze_sound(blocks(tones([(150, 2)])), [(0, SECOND)], None)
    assert (unnamed.vectors.shape, len(unnamed.loudness)) == ((0, 0), 40)


@given(st.integers(1, 8), st.integers(1, 3), st.floats(0, 5), st.integers(0, 999))
def test_no_path_is_better_than_the_best(steps: int, count: int, switch: float, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(steps, count)) * 2

    def worth(path: Sequence[int]) -> float:
        return float(scores[np.arange(steps), list(path)].sum() - switch * np.count_nonzero(np.diff(path)))

    every = np.stack(np.meshgrid(*[np.arange(count)] * steps, indexing="ij"), -1).reshape(-1, steps)
    assert worth(best_path(scores, switch).tolist()) == pytest.approx(max(worth(path) for path in every.tolist()))
