"""Changes voices in a stream of sound, in constant memory, and keeps their loudness from moment to moment."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from anonymize.sound.voice_methods import ALIASES_PER_SECOND, RATE, Samples, Voice, VoiceMethod, split_frames
from project.timebase import SECOND_US

_WINDOW_S = 0.04
_MAX_GAIN = 8.0
_FLOOR = 1e-9


def match_loudness(made: Voice, before: Voice, rate: int) -> Voice:
    """Return `made` with the loudness that `before` has over 40 ms, nowhere over full scale.

    Args:
        made: (n,) samples.
        before: (n,) samples.
        rate: samples a second.
    """
    hop = round(rate / ALIASES_PER_SECOND)
    window = np.sqrt(np.hanning(round(_WINDOW_S * rate) + 2)[1:-1])
    was, came = (np.sqrt((split_frames(part, window, hop) ** 2).sum(axis=1)) for part in (before, made))
    gain = np.minimum(was / np.maximum(came, _FLOOR), _MAX_GAIN)
    smooth = np.interp(np.arange(len(made)), np.arange(len(gain)) * hop, gain)
    return np.asarray(np.clip(made * smooth, -1.0, 1.0), np.float64)


UNKNOWN_SPEAKER = ""
"""The identity of the speaker where nobody is assigned."""

_BLOCK_S = 8
_CONTEXT_S = 1
_SEAM_S = 0.01


class VoiceSpan(NamedTuple):
    """A stretch of the recording's axis in which one identity is heard, in microseconds."""

    start_us: int
    end_us: int
    identity: str


@dataclass(frozen=True, slots=True)
class VoiceFilter:
    """Changes every voice by a method, each by its own alias.

    Where several speak at once, the one who began last has the say. Where nobody is assigned, all is changed
    alike: nothing passes unchanged.

    Attributes:
        method: what changes a voice.
        seeds: identity -> secret that its alias follows from; must hold `UNKNOWN_SPEAKER`.
        speakers: who is heard when.
        block_s: seconds changed at once, whole ones.
    """

    method: VoiceMethod
    seeds: Mapping[str, str]
    speakers: Sequence[VoiceSpan] = field(default=())
    block_s: int = _BLOCK_S

    def treat(self, blocks: Iterator[Samples], rate: int, start_us: int) -> Iterator[Samples]:
        """Yield the changed sound, sample for sample where it was."""
        cast = _AliasSchedule(self, start_us)
        size, context = self.block_s * rate, _CONTEXT_S * rate
        held: Voice | None = None
        for first, piece, final in _windows(blocks, size, context):
            made = self._change_channels(piece, rate, cast.aliases(first, rate, piece.shape[1]))
            if held is not None:
                made = _cross_over(held, made, rate)
            ready = made.shape[1] if final else made.shape[1] - 2 * context
            held = made[:, ready:]
            yield made[:, :ready].astype(np.float32)

    def _change_channels(self, piece: Samples, rate: int, aliases: Voice) -> Voice:
        """Change every channel; those that are alike are changed once. What is no number is silence."""
        piece = np.nan_to_num(piece, posinf=0.0, neginf=0.0)
        out = np.zeros(piece.shape)
        for channel, samples in enumerate(piece):
            twin = next((k for k in range(channel) if np.array_equal(piece[k], samples)), None)
            if twin is not None:
                out[channel] = out[twin]
            elif samples.any():
                out[channel] = self._change_resampled(np.asarray(samples, np.float64), rate, aliases)
        return out

    def _change_resampled(self, samples: Voice, rate: int, aliases: Voice) -> Voice:
        from scipy.signal import resample_poly

        if rate <= RATE:
            return match_loudness(self.method.change_voice(samples, rate, aliases), samples, rate)
        narrow = resample_poly(samples, RATE, rate)
        made = match_loudness(self.method.change_voice(narrow, RATE, aliases), narrow, RATE)
        wide: Voice = resample_poly(made, rate, RATE)[: len(samples)]
        return np.clip(wide, -1.0, 1.0)


class _AliasSchedule:
    """Whose alias holds when."""

    def __init__(self, voices: VoiceFilter, start_us: int) -> None:
        self._start_us = start_us
        self._speakers = sorted(voices.speakers)
        self._reach = np.maximum.accumulate([speaker.end_us for speaker in self._speakers] or [0])
        self._aliases = {who: voices.method.draw_alias(_random_generator(seed)) for who, seed in voices.seeds.items()}

    def aliases(self, first: int, rate: int, count: int) -> Voice:
        """Return (m, k) aliases at every hundredth of a second of `count` samples from sample `first` on."""
        frames = -(-count * ALIASES_PER_SECOND // rate) + 2
        start_us = self._start_us + first * SECOND_US // rate
        times = start_us + np.arange(frames) * (SECOND_US // ALIASES_PER_SECOND)
        found = np.tile(self._aliases[UNKNOWN_SPEAKER], (frames, 1))
        for speaker in self._speakers[int(np.searchsorted(self._reach, start_us)) :]:
            if speaker.start_us > times[-1]:
                break
            if speaker.identity in self._aliases:
                found[(times >= speaker.start_us) & (times < speaker.end_us)] = self._aliases[speaker.identity]
        return found


def _random_generator(seed: str) -> np.random.Generator:
    return np.random.default_rng(int.from_bytes(hashlib.sha256(seed.encode()).digest(), "big"))


def _windows(blocks: Iterator[Samples], size: int, context: int) -> Iterator[tuple[int, Samples, bool]]:
    """Yield stretches of `size` samples with `context` on both sides: where one begins, it, and whether it is the last.

    Where they are cut does not depend on how the blocks are cut.
    """
    waiting: list[Samples] = []
    first, middle, known = 0, 0, 0
    for block in blocks:
        waiting.append(block)
        known += block.shape[1]
        # One sample more, so that the last stretch is known to be the last.
        while known > middle + size + context:
            piece = np.concatenate(waiting, axis=1)
            length = middle + size + context - first
            yield first, piece[:, :length], False
            middle += size
            waiting = [piece[:, middle - context - first :]]
            first = middle - context
    if known > first:
        yield first, np.concatenate(waiting, axis=1), True


def _cross_over(before: Voice, after: Voice, rate: int) -> Voice:
    """Go over from one rendering of the same stretch to the next where both are quietest.

    Args:
        before: (channels, n), what the last block gave.
        after: (channels, m), m >= n; begins at the same time.
        rate: samples a second.
    """
    length, fade = before.shape[1], max(1, round(_SEAM_S * rate))
    power = np.convolve((before**2 + after[:, :length] ** 2).sum(axis=0), np.ones(2 * fade), "same")
    middle = slice(length // 4, length - length // 4)
    seam = middle.start + int(power[middle].argmin()) if middle.stop > middle.start else length // 2
    weight = np.clip((np.arange(length) - seam) / fade + 0.5, 0.0, 1.0)
    out = after.copy()
    out[:, :length] = before * (1 - weight) + after[:, :length] * weight
    return out
