"""Reads sound at a file's own rate and channels or as mono on the recording's axis, and encodes it losslessly."""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, Protocol

import av
import numpy as np
from av.audio.stream import AudioStream
from av.codec.context import Flags
from av.container import InputContainer, OutputContainer
from av.packet import Packet
from numpy.typing import NDArray

from media.source import MAX_SAMPLE_RATE, axis_start_us, open_media, require_sound_stream, ticks_to_us
from project.progress import Progress, Silent
from project.timebase import SECOND_US

Samples = NDArray[np.float32]

_STEP_US = 4_000
_LOOKAHEAD_US = 200_000
_MAX_JITTER_US = 40_000
_MAX_DRIFT_US = 1_500
_SMOOTHING_US = 200_000
_MAX_STRETCH = 0.05
_LONGEST_GAP_US = 6 * 3600 * SECOND_US
_LEAD_US = SECOND_US


def read_mono(path: Path, rate: int = 16_000, track: int = 0) -> Samples:
    """Return all sound as (n,) float32 in -1..1.

    Sample k is heard at k / rate seconds on the recording's axis: where sound starts late there is silence first,
    and a hole in the sound is silence too.
    """
    blocks = list(stream_mono(path, rate, track=track))
    return np.concatenate(blocks) if blocks else np.zeros(0, np.float32)


def stream_mono(
    path: Path, rate: int = 16_000, progress: Progress | None = None, *, track: int = 0
) -> Iterator[Samples]:
    """Yield the same samples as `read_mono` in blocks, for recordings too long to hold."""
    for block in stream_sound(path, rate, "mono", progress=progress, track=track):
        yield block[0]


def stream_sound(
    path: Path,
    rate: int,
    layout: str,
    start_us: int = 0,
    end_us: int | None = None,
    progress: Progress | None = None,
    *,
    track: int = 0,
) -> Iterator[Samples]:
    """Yield (channels, n) float32 blocks that cover the axis from `start_us` without a gap.

    The sound is mixed down or up to a layout, FFmpeg's name such as `mono` or `stereo`. Progress is in milliseconds of
    sound; `track` is that of `media.source.sound_stream`.
    """
    progress = progress or Silent()
    with open_media(path) as container:
        stream = require_sound_stream(container, path, track)
        placer = _Placer(rate, layout, start_us, end_us)
        length = int(container.duration or 0) // 1000
        for frame in _frames(container, stream, start_us):
            at_us = _frame_start_us(frame, container)
            progress.check_cancelled()
            if at_us is not None:
                progress.progress(min(at_us // 1000, length), length, "Reading the sound")
            yield from placer.add(frame, at_us)
            if placer.is_full:
                return
        yield from placer.flush()


def _frame_start_us(frame: av.AudioFrame, container: InputContainer) -> int | None:
    if frame.pts is None or frame.time_base is None:
        return None
    return ticks_to_us(frame.pts, frame.time_base.numerator, frame.time_base.denominator) - axis_start_us(container)


class _Placer:
    """Resamples decoded frames and lays them on the axis by their time stamps.

    A frame begins where the one before ended, because stamps are rounded and some recorders let them jitter. Its stamp
    counts where it and all that follow in the next `_LOOKAHEAD_US` lie off by more than `_STEP_US`: missing sound
    becomes silence, and what overlaps is cut. Where stamps drift away slowly, the sound is stretched. So errors never
    add up.
    """

    def __init__(self, rate: int, layout: str, start_us: int, end_us: int | None) -> None:
        self._rate, self._layout, self._start = rate, layout, start_us
        self._end = None if end_us is None else self._sample(end_us)
        self._channels = av.AudioLayout(layout).nb_channels
        self._resampler: av.AudioResampler | None = None
        self._kind: tuple[str, str, int] | None = None
        self._waiting: deque[tuple[av.AudioFrame, float, float]] = deque()
        self._waiting_us = 0.0
        self._clock_us = 0.0
        self._drift_us = 0.0
        self._stretch = 0
        self._written = 0
        self._next = 0

    @property
    def is_full(self) -> bool:
        """Whether the end is reached."""
        return self._end is not None and self._written >= self._end

    def add(self, frame: av.AudioFrame, at_us: int | None) -> Iterator[Samples]:
        """Yield what a frame with a time stamp, or without one, completes; a damaged frame leaves silence."""
        if not 0 < frame.sample_rate <= MAX_SAMPLE_RATE:
            return
        length_us = frame.samples * SECOND_US / frame.sample_rate
        if not self._waiting and self._kind is None:
            self._clock_us = at_us or 0
        stamp_us = self._clock_us + self._waiting_us if at_us is None else at_us
        self._waiting.append((frame, stamp_us, length_us))
        self._waiting_us += length_us
        while self._waiting_us - self._waiting[0][2] > _LOOKAHEAD_US:
            yield from self._place_next()

    def flush(self) -> Iterator[Samples]:
        """Yield what is left."""
        while self._waiting:
            yield from self._place_next()
        yield from self._flush_resampler()

    def _place_next(self) -> Iterator[Samples]:
        step_us = self._lasting_offset()
        frame, stamp_us, length_us = self._waiting.popleft()
        self._waiting_us -= length_us
        self._clock_us += step_us
        if step_us:
            self._drift_us = 0.0
        elif abs(stamp_us - self._clock_us) <= _MAX_JITTER_US:
            share = min(1.0, length_us / _SMOOTHING_US)
            self._drift_us += share * (stamp_us - self._clock_us - self._drift_us)
        if abs(self._drift_us) > _MAX_DRIFT_US:
            change = round(self._drift_us * self._rate / SECOND_US)
            self._stretch += change
            self._clock_us += change * SECOND_US / self._rate
            self._drift_us = 0.0
        # A damaged file, or one that was put together of several, may go on with other sound than it began with.
        kind = (frame.format.name, frame.layout.name, frame.sample_rate)
        if step_us or kind != self._kind:
            yield from self._flush_resampler()
            self._kind = kind
            self._resampler = av.AudioResampler(format="fltp", layout=self._layout, rate=self._rate)
            self._next, self._stretch = self._sample(self._clock_us), 0
        self._clock_us += length_us
        frame.pts = None
        assert self._resampler is not None
        for piece in self._resampler.resample(frame):
            yield from self._lay(piece)

    def _lasting_offset(self) -> float:
        """Return how far the waiting frames all lie from where the sound before them ends; 0 within the tolerance."""
        end_us, least, most = self._clock_us, math.inf, -math.inf
        for _, stamp_us, length_us in self._waiting:
            least, most = min(least, stamp_us - end_us), max(most, stamp_us - end_us)
            if least <= _STEP_US and most >= -_STEP_US:
                return 0.0
            end_us += length_us
        offset_us = least if least > 0 else most
        # No recording pauses for so long: the time stamp is damaged, and hours of silence would be made of it.
        return offset_us if offset_us <= _LONGEST_GAP_US else 0.0

    def _flush_resampler(self) -> Iterator[Samples]:
        if self._resampler is not None:
            for piece in self._resampler.resample(None):
                yield from self._lay(piece)
            self._resampler = None

    def _sample(self, time_us: float) -> int:
        return round((time_us - self._start) * self._rate / SECOND_US)

    def _lay(self, piece: av.AudioFrame) -> Iterator[Samples]:
        samples = self._stretched(np.asarray(piece.to_ndarray(), np.float32))
        early = self._written - self._next
        self._next += samples.shape[1]
        if early > 0:
            samples = samples[:, early:]
        while early < 0 and not self.is_full:
            silence = min(-early, self._rate)
            early += silence
            yield from self._out(np.zeros((self._channels, silence), np.float32))
        if samples.shape[1]:
            yield from self._out(samples)

    def _stretched(self, samples: Samples) -> Samples:
        """Return samples with a part of the stretch that is due, so little that it is not heard."""
        count = samples.shape[1]
        limit = round(count * _MAX_STRETCH)
        change = min(max(self._stretch, -limit), limit)
        if not change:
            return samples
        self._stretch -= change
        at = np.linspace(0, count - 1, count + change)
        return np.stack([np.interp(at, np.arange(count), channel) for channel in samples]).astype(np.float32)

    def _out(self, samples: Samples) -> Iterator[Samples]:
        if self._end is not None:
            samples = samples[:, : max(0, self._end - self._written)]
        if samples.shape[1]:
            self._written += samples.shape[1]
            yield samples


def _frames(container: InputContainer, stream: AudioStream, start_us: int) -> Iterator[av.AudioFrame]:
    """Decode from a little before a time; packets that cannot be decoded are left out."""
    if start_us > 2 * _LEAD_US:
        container.seek(axis_start_us(container) + start_us - _LEAD_US)
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
            if packet is None:
                return
            yield from stream.codec_context.decode(packet if packet.size else None)
        except av.FFmpegError as error:
            if isinstance(error, av.EOFError):
                return


_LAYOUTS = ("mono", "stereo", "3.0", "quad", "5.0", "5.1", "6.1", "7.1")
MAX_CHANNELS = 8
"""More are mixed down to two."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnSound:
    """The original sound of a file, as a stream of blocks.

    Attributes:
        blocks: (channels, n) float32 without a gap; can be gone through once.
    """

    rate: int
    channels: int
    blocks: Iterator[Samples]

    @property
    def layout(self) -> str:
        """FFmpeg's name of the channels."""
        return _LAYOUTS[self.channels - 1]


def supported_layout(layout: av.AudioLayout) -> av.AudioLayout:
    """Return a layout itself, or stereo where it has more than `MAX_CHANNELS` or none."""
    return layout if 0 < layout.nb_channels <= MAX_CHANNELS else av.AudioLayout("stereo")


def stream_original(
    path: Path,
    start_us: int = 0,
    end_us: int | None = None,
    progress: Progress | None = None,
    *,
    track: int = 0,
) -> OwnSound:
    """Read the sound of a file from a time on, see `stream_sound`."""
    with open_media(path) as container:
        codec = require_sound_stream(container, path, track).codec_context
        rate, layout = codec.sample_rate, supported_layout(codec.layout)
    blocks = stream_sound(path, rate, layout.name, start_us, end_us, progress, track=track)
    return OwnSound(rate, layout.nb_channels, blocks)


def is_gapless(path: Path, track: int = 0) -> bool:
    """Tell whether each piece of sound begins where the one before ends, so that time stamps add nothing to it."""
    end_us: float | None = None
    with open_media(path) as container:
        for frame in _frames(container, require_sound_stream(container, path, track), 0):
            at_us = _frame_start_us(frame, container)
            if at_us is None or not frame.sample_rate:
                return False
            end_us = at_us if end_us is None else end_us
            if abs(at_us - end_us) > _STEP_US:
                return False
            end_us += frame.samples * SECOND_US / frame.sample_rate
    return True


_FRAME_SAMPLES = 4096


class SoundFilter(Protocol):
    """Changes sound on its way into a file."""

    def treat(self, blocks: Iterator[Samples], rate: int, start_us: int) -> Iterator[Samples]:
        """Yield as many samples as `blocks` has, changed; in blocks of any size, and later than they came.

        Blocks are (channels, n) float32 in -1..1, without a gap; the first sample lies at `start_us` on the recording's
        axis.
        """


class Silence:
    """A filter that leaves no sound and keeps its length."""

    def treat(self, blocks: Iterator[Samples], rate: int, start_us: int) -> Iterator[Samples]:  # noqa: ARG002
        """Yield zeros."""
        for block in blocks:
            yield np.zeros_like(block)


def to_int16(samples: Samples) -> NDArray[np.int16]:
    """Return samples as whole numbers, rounded to the nearest; what is no number is silence.

    Sound that was stored with 16 bits comes back as it was. Nothing is dithered: noise would change every sample.
    """
    scaled = np.rint(np.nan_to_num(samples, posinf=1.0, neginf=-1.0) * np.float32(32768))
    return np.asarray(np.clip(scaled, -32768, 32767), np.int16)


class SoundEncoder:
    """A sound stream in an output, without the encoder's name: FLAC and WAV hold 16 bits without loss."""

    def __init__(
        self,
        output: OutputContainer,
        codec: Literal["flac", "pcm_s16le", "aac"],
        rate: int,
        layout: str,
        bit_rate: int = 0,
    ) -> None:
        self._rate, self._layout, self._is_lossless = rate, layout, codec != "aac"
        self.stream: AudioStream = output.add_stream(codec, rate=rate, layout=layout)
        self.stream.codec_context.flags |= Flags.bitexact
        if self._is_lossless:
            self.stream.codec_context.format = av.AudioFormat("s16")
        else:
            self.stream.codec_context.bit_rate = bit_rate

    def packets(self, blocks: Iterator[Samples]) -> "Iterator[Packet[AudioStream]]":
        """Yield the packets of (channels, n) float32 blocks that begin at time zero."""
        sent = 0
        for block in blocks:
            for begin in range(0, block.shape[1], _FRAME_SAMPLES):
                frame = self._frame(block[:, begin : begin + _FRAME_SAMPLES])
                frame.sample_rate, frame.time_base, frame.pts = self._rate, Fraction(1, self._rate), sent + begin
                yield from self.stream.encode(frame)
            sent += block.shape[1]
        if sent:
            yield from self.stream.encode(None)

    def _frame(self, samples: Samples) -> av.AudioFrame:
        if not self._is_lossless:
            return av.AudioFrame.from_ndarray(np.ascontiguousarray(samples), format="fltp", layout=self._layout)
        piece = np.ascontiguousarray(to_int16(samples).T).reshape(1, -1)
        return av.AudioFrame.from_ndarray(piece, format="s16", layout=self._layout)
