"""What is done to the sound of a recording: stretches are covered or muted, and voices changed.

Nothing is left under a cover, and nothing beside it changes. Room tone is noise shaped like the quietest moments, with
nothing copied from them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from anonymize.sound.voice_methods import BEEP, COVERS, MUTE, SILENCE, Samples, create_voice
from anonymize.sound.voice_stream import UNKNOWN_SPEAKER, VoiceFilter, VoiceSpan
from project.errors import unknown_choice
from project.progress import Progress
from project.timebase import SECOND_US, Interval, merge_spans

if TYPE_CHECKING:
    from media.sound import SoundFilter

_FRAME_SAMPLES = 512
_CHUNK_SAMPLES = 16_384
_QUIETEST_SHARE = 0.1
_NO_SOUND = 1e-12
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class RoomTone:
    """Noise with the spectrum of a recording's quiet moments.

    Attributes:
        response: (channels, taps) of the filter that makes it from white noise.
        seed: the same one makes the same noise.
    """

    response: NDArray[np.float64]
    seed: int = 0

    def samples_at(self, first: int, count: int, channels: int) -> NDArray[np.float32]:
        """Return (channels, count) samples of it from place `first` on; a place always sounds the same."""
        taps = self.response.shape[1]
        out = np.zeros((channels, count), np.float32)
        for channel in range(channels):
            shape = self.response[min(channel, len(self.response) - 1)]
            white = _white(self.seed, channel, first - taps + 1, count + taps - 1)
            out[channel] = np.convolve(white, shape, "valid")
        return out


def measure_room(blocks: Iterator[Samples], rate: int, seed: int = 0) -> RoomTone:
    """Return the tone of the room from (channels, n) blocks: the mean spectrum of the quietest moments.

    In each second the quietest frame that is not digital silence counts; of those, the quietest tenth.
    """
    window = np.hanning(_FRAME_SAMPLES)
    found: list[tuple[float, NDArray[np.float64]]] = []
    for second in cut_blocks(blocks, max(rate, _FRAME_SAMPLES)):
        if second.shape[1] >= _FRAME_SAMPLES:
            found += _quietest(second, window)
    if not found:
        return RoomTone(np.zeros((1, 1)), seed)
    found.sort(key=lambda row: row[0])
    power = np.mean([row[1] for row in found[: max(1, round(_QUIETEST_SHARE * len(found)))]], axis=0)
    response = np.fft.fftshift(np.fft.irfft(np.sqrt(power), _FRAME_SAMPLES), axes=1) * np.hanning(_FRAME_SAMPLES)
    return RoomTone(response, seed)


def cut_blocks(blocks: Iterable[NDArray[T]], size: int) -> Iterator[NDArray[T]]:
    """Yield (channels, n) samples in blocks of one size; the last may be shorter."""
    held: list[NDArray[T]] = []
    count = 0
    for block in blocks:
        held.append(block)
        count += block.shape[1]
        while count >= size:
            whole = np.concatenate(held, axis=1)
            yield whole[:, :size]
            held, count = [whole[:, size:]], count - size
    if count:
        yield np.concatenate(held, axis=1)


def _quietest(second: Samples, window: NDArray[np.float64]) -> list[tuple[float, NDArray[np.float64]]]:
    frames = np.lib.stride_tricks.sliding_window_view(second, _FRAME_SAMPLES, axis=1)[:, :: _FRAME_SAMPLES // 2]
    energy = (frames.astype(np.float64) ** 2).sum(axis=(0, 2))
    energy[energy < _NO_SOUND * _FRAME_SAMPLES] = np.inf
    best = int(energy.argmin())
    if not np.isfinite(energy[best]):
        return []
    power = np.abs(np.fft.rfft(frames[:, best] * window, axis=1)) ** 2 / (window**2).sum()
    return [(float(energy[best]), power)]


def _white(seed: int, channel: int, first: int, count: int) -> NDArray[np.float64]:
    """Return white noise from a place on, made in chunks so that any part of it can be made alone."""
    parts = []
    for chunk in range(first // _CHUNK_SAMPLES, (first + count - 1) // _CHUNK_SAMPLES + 1):
        made = np.random.default_rng([seed, channel, chunk + (1 << 32)]).standard_normal(_CHUNK_SAMPLES)
        parts.append(made[max(0, first - chunk * _CHUNK_SAMPLES) : max(0, first + count - chunk * _CHUNK_SAMPLES)])
    return np.concatenate(parts)


FADE_US = 5_000
"""Length of the fades beside a covered span, outside of it."""

_BEEP_HZ = 1000
_BEEP_LEVEL = 0.08


@dataclass(frozen=True, slots=True)
class CoverFilter:
    """Covers stretches. Beside them and their fades, every sample stays exactly as it is.

    Attributes:
        spans: in any order; they may overlap. One without a length covers a sample.
        kind: one of `COVERS`.
        tone: what is heard with `silence`; without it, nothing is.
    """

    spans: Sequence[Interval]
    kind: str = MUTE
    tone: RoomTone | None = None

    def treat(self, blocks: Iterator[Samples], rate: int, start_us: int) -> Iterator[Samples]:
        """Yield the blocks, covered."""
        covered = covered_samples(self.spans, rate, start_us)
        fade = max(1, FADE_US * rate // SECOND_US)
        at = 0
        for block in blocks:
            yield self._cover(block, at, rate, covered, fade)
            at += block.shape[1]

    def _cover(self, block: Samples, at: int, rate: int, covered: NDArray[np.int64], fade: int) -> Samples:
        count = block.shape[1]
        first = int(np.searchsorted(covered[:, 1], at - fade, "right"))
        last = int(np.searchsorted(covered[:, 0], at + count + fade, "left"))
        if first >= last or count == 0:
            return block
        out = block.copy()
        for start, end in covered[first:last]:
            low, high = max(0, int(start) - fade - at), min(count, int(end) + fade - at)
            if low < high:
                places = np.arange(low, high) + at
                gain = _gain(places, int(start), int(end), fade)
                out[:, low:high] = np.where(gain > 0, out[:, low:high], 0) * gain + self._cover_samples(
                    places, int(start), int(end), fade, gain, rate, len(out)
                )
        return out

    def _cover_samples(
        self,
        places: NDArray[np.int64],
        start: int,
        end: int,
        fade: int,
        gain: NDArray[np.float32],
        rate: int,
        channels: int,
    ) -> NDArray[np.float32]:
        if self.kind == BEEP:
            ramp = np.clip(np.minimum(places - start, end - 1 - places) / fade, 0, 1)
            tone = _BEEP_LEVEL * ramp * np.sin(2 * np.pi * _BEEP_HZ * (places - start) / rate)
            return np.tile(tone.astype(np.float32), (channels, 1))
        if self.kind == SILENCE and self.tone is not None:
            return self.tone.samples_at(int(places[0]), len(places), channels) * np.sqrt(1 - gain**2)
        return np.zeros((channels, len(places)), np.float32)


def covered_samples(spans: Iterable[Interval], rate: int, start_us: int = 0) -> NDArray[np.int64]:
    """Return (n, 2) first sample and sample after the last of what is covered: ascending, none touching another.

    Every sample that a span touches is in.

    Args:
        spans: in any order.
        rate: samples a second.
        start_us: where sample 0 lies on the recording's axis.
    """
    samples = []
    for begin_us, end_us in spans:
        first = (begin_us - start_us) * rate // SECOND_US
        samples.append((first, max(first + 1, -(-(end_us - start_us) * rate // SECOND_US))))
    return np.array(merge_spans(samples), np.int64).reshape(-1, 2)


def _gain(places: NDArray[np.int64], start: int, end: int, fade: int) -> NDArray[np.float32]:
    """Return what is left of the sound: 0 from `start` to before `end`, rising to 1 over `fade` samples beside them."""
    away = np.maximum(start - places, places - end + 1)
    rise = np.clip(away / (fade + 1), 0, 1)
    return np.asarray(0.5 - 0.5 * np.cos(np.pi * rise), np.float32)


@dataclass(frozen=True, slots=True)
class SoundPlan:
    """What is done to the sound of one recording.

    Attributes:
        covered: where `cover` is heard instead.
        cover: one of `COVERS`.
        voice: key of `VOICES`; None leaves the voices as they are.
        options: of that method, by name.
        speakers: who is heard when.
        seeds: identity -> secret that its alias follows from; with a voice method it must hold `UNKNOWN_SPEAKER`.
        muted: where nothing is heard.
    """

    covered: tuple[Interval, ...] = ()
    cover: str = MUTE
    voice: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    speakers: tuple[VoiceSpan, ...] = ()
    seeds: Mapping[str, str] = field(default_factory=dict)
    muted: tuple[Interval, ...] = ()

    def __post_init__(self) -> None:
        if self.cover not in COVERS:
            raise unknown_choice("cover", self.cover, COVERS)

    @property
    def is_unchanged(self) -> bool:
        """Whether it leaves the sound as it is."""
        return self.voice is None and not self.covered and not self.muted


def sound_filter(
    plan: SoundPlan,
    source: Path,
    progress: Progress | None = None,
    near: tuple[int, int | None] = (0, None),
    *,
    track: int = 0,
) -> "SoundFilter":
    """Return what treats the sound of a file as planned.

    What is covered or muted is taken away before the voices are changed, so that nothing of it is smeared over what is
    heard, and again afterwards.

    Args:
        plan: what is done.
        source: whose sound it is.
        progress: told while the file is read.
        near: start and end of what is read for the tone of the room, on the file's own axis; all of it when not given.
        track: which sound track of the file, from 1.
    """
    mute = [CoverFilter(plan.muted)] if plan.muted else []
    steps: list[SoundFilter] = [*mute]
    if plan.voice is not None:
        if not plan.seeds.get(UNKNOWN_SPEAKER):
            raise ValueError("without a seed, voices would be changed alike in every study")
        if plan.covered:
            steps.append(CoverFilter(plan.covered))
        steps.append(VoiceFilter(create_voice(plan.voice, **plan.options), plan.seeds, plan.speakers))
    if plan.covered:
        tone = None
        if plan.cover == SILENCE:
            from media.sound import stream_original

            own = stream_original(source, *near, progress, track=track)
            tone = measure_room(own.blocks, own.rate)
        steps.append(CoverFilter(plan.covered, plan.cover, tone))
    return Treatments((*steps, *mute))


@dataclass(frozen=True, slots=True)
class Treatments:
    """Several filters, one after the other."""

    steps: "tuple[SoundFilter, ...]"

    def treat(self, blocks: Iterator[Samples], rate: int, start_us: int) -> Iterator[Samples]:
        """Yield the blocks as the last of the filters gives them."""
        for step in self.steps:
            blocks = step.treat(blocks, rate, start_us)
        return blocks
