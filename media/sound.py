"""Reads sound at a file's own rate and channels or as mono on the recording's axis, and encodes it losslessly."""

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

from media.source import MAX_SAMPLE_RATE, axis_start_us, open_media, sound_stream, ticks_to_us
from project.errors import UserError
from project.progress import Progress, Silent
from project.timebase import SECOND_US

Samples = NDArray[np.float32]

_GAP_US = 40_000
_LONGEST_GAP_US = 6 * 3600 * SECOND_US
_LEAD_US = SECOND_US


def read_mono(path: Path, rate: int = 16_000) -> Samples:
    """Return all sound as (n,) float32 in -1..1.

    Sample k is heard at k / rate seconds on the recording's axis: where sound starts late there is silence first,
    and a hole in the sound is silence too.

    Raises:
        UserError: the file cannot be read or has no sound.
    """
    blocks = list(stream_mono(path, rate))
    return np.concatenate(blocks) if blocks else np.zeros(0, np.float32)


def stream_mono(path: Path, rate: int = 16_000, progress: Progress | None = None) -> Iterator[Samples]:
    """Yield the same samples as `read_mono` in blocks, for recordings too long to hold."""
    for block in stream_sound(path, rate, "mono", progress=progress):
        yield block[0]


def stream_sound(
    path: Path,
    rate: int,
    layout: str,
    start_us: int = 0,
    end_us: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Samples]:
    """Yield (channels, n) float32 blocks that cover the axis from `start_us` without a gap.

    Args:
        path: of the media file.
        rate: samples a second wanted.
        layout: FFmpeg's name, such as `mono` or `stereo`; the sound is mixed down or up to it.
        start_us: where the first sample lies.
        end_us: where to stop; the end of the sound when not given.
        progress: told in milliseconds of sound.

    Raises:
        UserError: the file cannot be read or has no sound.
    """
    progress = progress or Silent()
    with open_media(path) as container:
        if sound_stream(container) is None:
            raise UserError(f"{' '.join(path.name.split())} has no sound.", "Choose a recording with sound.")
        placer = _Placer(rate, layout, start_us, end_us)
        length = int(container.duration or 0) // 1000
        for frame in _frames(container, start_us):
            base = frame.time_base or Fraction(1, rate)
            at_us = ticks_to_us(frame.pts or 0, base.numerator, base.denominator) - axis_start_us(container)
            progress.check_cancelled()
            progress.progress(min(at_us // 1000, length), length, "Reading the sound")
            yield from placer.add(frame, at_us)
            if placer.is_full:
                return
        yield from placer.flush()


class _Placer:
    """Resamples decoded frames and lays them end to end on the axis."""

    def __init__(self, rate: int, layout: str, start_us: int, end_us: int | None) -> None:
        self._rate, self._layout, self._start = rate, layout, start_us
        self._end = None if end_us is None else self._sample(end_us)
        self._channels = av.AudioLayout(layout).nb_channels
        self._resampler: av.AudioResampler | None = None
        self._kind: tuple[str, str, int] | None = None
        self._expected_us = start_us
        self._written = 0
        self._next = 0

    @property
    def is_full(self) -> bool:
        """Whether the end is reached."""
        return self._end is not None and self._written >= self._end

    def add(self, frame: av.AudioFrame, at_us: int) -> Iterator[Samples]:
        """Yield what a frame that starts at a time completes; a damaged one leaves silence."""
        if not 0 < frame.sample_rate <= MAX_SAMPLE_RATE:
            return
        if at_us - self._expected_us > _LONGEST_GAP_US:
            # No recording pauses for so long: the time stamp is damaged, and hours of silence would be made of it.
            at_us = self._expected_us
        # A damaged file, or one that was put together of several, may go on with other sound than it began with.
        kind = (frame.format.name, frame.layout.name, frame.sample_rate)
        if self._resampler is None or kind != self._kind or abs(at_us - self._expected_us) > _GAP_US:
            yield from self.flush()
            self._kind = kind
            self._resampler = av.AudioResampler(format="fltp", layout=self._layout, rate=self._rate)
            self._next = self._sample(at_us)
        self._expected_us = at_us + frame.samples * SECOND_US // frame.sample_rate
        frame.pts = None
        for piece in self._resampler.resample(frame):
            yield from self._lay(piece)

    def flush(self) -> Iterator[Samples]:
        """Yield what the resampler still holds."""
        if self._resampler is not None:
            for piece in self._resampler.resample(None):
                yield from self._lay(piece)
            self._resampler = None

    def _sample(self, time_us: int) -> int:
        return round(Fraction((time_us - self._start) * self._rate, SECOND_US))

    def _lay(self, piece: av.AudioFrame) -> Iterator[Samples]:
        samples = np.asarray(piece.to_ndarray(), np.float32)
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

    def _out(self, samples: Samples) -> Iterator[Samples]:
        if self._end is not None:
            samples = samples[:, : max(0, self._end - self._written)]
        if samples.shape[1]:
            self._written += samples.shape[1]
            yield samples


def _frames(container: InputContainer, start_us: int) -> Iterator[av.AudioFrame]:
    """Decode from a little before a time; packets that cannot be decoded are left out."""
    stream = sound_stream(container)
    assert stream is not None
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


MAX_CHANNELS = 8
"""More are mixed down to two."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnSound:
    """The original sound of a file, as a stream of blocks.

    Attributes:
        rate: samples a second.
        channels: how many.
        blocks: (channels, n) float32 without a gap; can be gone through once.
    """

    rate: int
    channels: int
    blocks: Iterator[Samples]


def supported_layout(layout: av.AudioLayout) -> av.AudioLayout:
    """Return a layout itself, or stereo where it has more than `MAX_CHANNELS` or none."""
    return layout if 0 < layout.nb_channels <= MAX_CHANNELS else av.AudioLayout("stereo")


def stream_original(
    path: Path, start_us: int = 0, end_us: int | None = None, progress: Progress | None = None
) -> OwnSound:
    """Read the sound of a file from a time on, see `stream_sound`.

    Raises:
        UserError: the file cannot be read or has no sound.
    """
    with open_media(path) as container:
        found = sound_stream(container)
        if found is None:
            raise UserError(f"{' '.join(path.name.split())} has no sound.", "Choose a recording with sound.")
        rate, layout = found.codec_context.sample_rate, supported_layout(found.codec_context.layout)
    return OwnSound(rate, layout.nb_channels, stream_sound(path, rate, layout.name, start_us, end_us, progress))


_LAYOUTS = ("mono", "stereo", "3.0", "quad", "5.0", "5.1", "6.1", "7.1")
_FRAME_SAMPLES = 4096


class SoundFilter(Protocol):
    """Changes sound on its way into a file."""

    def treat(self, blocks: Iterator[Samples], rate: int, start_us: int) -> Iterator[Samples]:
        """Yield as many samples as `blocks` has, changed; in blocks of any size, and later than they came.

        Args:
            blocks: (channels, n) float32 in -1..1, without a gap.
            rate: samples a second.
            start_us: where the first sample lies on the recording's axis.
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


class LosslessEncoder:
    """A sound stream of 16 bits in an output; FLAC unless another codec is named."""

    def __init__(
        self, output: OutputContainer, rate: int, channels: int, codec: Literal["flac", "pcm_s16le"] = "flac"
    ) -> None:
        self._rate, self._layout = rate, _LAYOUTS[channels - 1]
        self.stream: AudioStream = output.add_stream(codec, rate=rate, layout=self._layout)
        self.stream.codec_context.format = av.AudioFormat("s16")
        self.stream.codec_context.flags |= Flags.bitexact

    def packets(self, blocks: Iterator[Samples]) -> "Iterator[Packet[AudioStream]]":
        """Yield the packets of (channels, n) float32 blocks that begin at time zero."""
        sent = 0
        for block in blocks:
            whole = to_int16(block)
            for begin in range(0, whole.shape[1], _FRAME_SAMPLES):
                piece = np.ascontiguousarray(whole[:, begin : begin + _FRAME_SAMPLES].T).reshape(1, -1)
                frame = av.AudioFrame.from_ndarray(piece, format="s16", layout=self._layout)
                frame.sample_rate, frame.time_base, frame.pts = self._rate, Fraction(1, self._rate), sent + begin
                yield from self.stream.encode(frame)
            sent += whole.shape[1]
        if sent:
            yield from self.stream.encode(None)
