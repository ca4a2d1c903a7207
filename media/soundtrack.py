"""Writes a source's sound into a clip: packets are copied where that is exact, else cut, treated and encoded.

It also copies clips with treated sound or without sound, pictures untouched, and writes sound alone.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Literal

import av
import numpy as np
from av.audio.stream import AudioStream
from av.codec.context import Flags
from av.container import InputContainer, OutputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from media.encoding import EncodeOptions, atomic_output
from media.frame_index import FrameIndex, load_index
from media.sound import LosslessEncoder, Samples, SoundFilter, is_gapless, stream_original, stream_sound
from media.source import (
    axis_start_us,
    open_media,
    open_source,
    picture_stream,
    require_sound_stream,
    ticks_to_us,
    write_error,
)
from project.errors import UserError
from project.progress import Progress, Silent
from project.timebase import SECOND_US

_ENCODER = re.compile(rb"(?:Lav[cf]|LAME|Nero|iTunes|FAAC|Fraunhofer)[ -~]{3,}")
_COPIED = ("aac", "mp3")
_RATES = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000)


class Soundtrack:
    """Sound packets of a clip in the order of their times.

    Attributes:
        kind: `copied`: the packets of the source, unchanged. `encoded`: AAC, cut to the sample. `treated`: FLAC of 16
            bits, cut to the sample and changed by a filter; a sample that the filter leaves is what the decoder gave.
    """

    def __init__(
        self,
        output: OutputContainer,
        source: Path,
        stretch: tuple[int, int] | None,
        options: EncodeOptions,
        treatment: SoundFilter | None = None,
        track: int = 0,
    ) -> None:
        """Add a sound stream to an output. The source must have sound.

        Args:
            output: the clip.
            source: the recording.
            stretch: start and end on the recording's axis, start becoming zero; None for all of it, zero kept.
            options: how to encode.
            treatment: what changes the sound; None leaves it as it is.
            track: which sound track of the source, from 1; see `media.source.sound_stream`.
        """
        self._source, self._track = source, track
        self._container = open_source(source)
        sound = require_sound_stream(self._container, source, track)
        codec = sound.codec_context
        self.kind: Literal["copied", "encoded", "treated"]
        if treatment is not None:
            self.kind = "treated"
            own = stream_original(source, *(stretch or (0, None)), track=track)
            encoder = LosslessEncoder(output, own.rate, own.channels)
            self._stream = encoder.stream
            self._packets = encoder.packets(treatment.treat(own.blocks, own.rate, stretch[0] if stretch else 0))
        elif stretch is None and self._is_copyable(sound):
            self.kind = "copied"
            self._stream = output.add_stream_from_template(sound)
            self._packets = self._copies(sound)
        else:
            self.kind = "encoded"
            rate = codec.sample_rate if codec.sample_rate in _RATES else 48_000
            layout = "mono" if codec.channels == 1 else "stereo"
            self._stream = output.add_stream("aac", rate=rate, layout=layout)
            self._stream.codec_context.bit_rate = options.audio_bit_rate
            self._stream.codec_context.flags |= Flags.bitexact
            self._packets = self._encodings(rate, layout, stretch)
        self._next: Packet[AudioStream] | None = None

    def packets_until(self, time_us: int | None) -> "Iterator[Packet[AudioStream]]":
        """Yield the packets that begin up to a time of the clip; all that are left without one."""
        while True:
            if self._next is None:
                self._next = next(self._packets, None)
            packet = self._next
            if packet is None or (time_us is not None and self._time(packet) > time_us):
                return
            self._next = None
            yield packet

    def close(self) -> None:
        """Release the source."""
        self._packets = iter(())
        self._container.close()

    def _is_copyable(self, sound: AudioStream) -> bool:
        codec = sound.codec_context
        if _is_cut_inside(sound):
            return False
        if codec.name == "flac":
            fits = "mp4" in self._container.format.name
        else:
            fits = codec.name in _COPIED and (codec.name != "aac" or bool(codec.extradata))
        # Many programs go by the samples alone, so a copy of sound with gaps would be heard at other times.
        return fits and is_gapless(self._source, self._track)

    def _time(self, packet: "Packet[AudioStream]") -> int:
        return ticks_to_us(packet.pts or 0, packet.time_base.numerator, packet.time_base.denominator)

    def _copies(self, sound: AudioStream) -> "Iterator[Packet[AudioStream]]":
        base = sound.time_base or Fraction(1, SECOND_US)
        shift = round(Fraction(axis_start_us(self._container), SECOND_US) / base)
        packets = self._container.demux(sound)
        hidden: Packet[AudioStream] | None = None
        while True:
            try:
                packet = next(packets, None)
            except av.FFmpegError:
                return
            if packet is None:
                return
            if packet.size == 0 or packet.pts is None or self._before_start(packet, sound, shift):
                continue
            if packet.is_discard:
                hidden = packet
                continue
            # Of what an edit list hides, the decoder needs the last packet to begin with.
            for copy in (hidden, packet) if hidden else (packet,):
                _blank_encoder_name(copy)
                copy.pts = (copy.pts or 0) - shift
                copy.dts = copy.pts
                copy.stream = self._stream
                yield copy
            hidden = None

    def _before_start(self, packet: "Packet[AudioStream]", sound: AudioStream, shift: int) -> bool:
        """Whether a packet only warms the decoder up before sound that starts late.

        MP4 can trim such packets off the beginning of a clip, but not where silence comes before them.
        """
        if packet.pts is None or packet.pts < shift or sound.start_time is None:
            return False
        return packet.pts + (packet.duration or 0) // 2 <= sound.start_time

    def _encodings(self, rate: int, layout: str, stretch: tuple[int, int] | None) -> "Iterator[Packet[AudioStream]]":
        start, end = stretch or (0, None)
        sent = 0
        size = 1024
        held = np.zeros((1 if layout == "mono" else 2, 0), np.float32)
        for block in stream_sound(self._source, rate, layout, start, end, track=self._track):
            held = np.concatenate([held, block], axis=1)
            whole = held.shape[1] // size * size
            for begin in range(0, whole, size):
                yield from self._stream.encode(self._frame(held[:, begin : begin + size], rate, layout, sent + begin))
            sent += whole
            held = held[:, whole:]
        if held.shape[1]:
            yield from self._stream.encode(self._frame(held, rate, layout, sent))
        if sent or held.shape[1]:
            yield from self._stream.encode(None)

    def _frame(
        self, samples: "np.ndarray[tuple[int, ...], np.dtype[np.float32]]", rate: int, layout: str, at: int
    ) -> av.AudioFrame:
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples), format="fltp", layout=layout)
        frame.sample_rate, frame.time_base, frame.pts = rate, Fraction(1, rate), at
        return frame


def _is_cut_inside(sound: AudioStream) -> bool:
    """Whether an edit list hides packets between others, which a copy could not leave out to the sample."""
    shown = np.flatnonzero([not entry.is_discard for entry in sound.index_entries])
    return len(shown) > 0 and int(shown[-1] - shown[0]) >= len(shown)


def _blank_encoder_name(packet: "Packet[AudioStream]") -> None:
    """Blank the name that an encoder left in padding that decoders skip."""
    data = bytes(packet)
    if _ENCODER.search(data):
        packet.update(_ENCODER.sub(lambda found: bytes(len(found[0])), data))


MP4_OPTIONS = {"movflags": "+faststart", "fflags": "+bitexact"}
"""Of the MP4 writer: nothing is told about when and with what it was written."""


def copy_without_sound(source: Path, destination: Path) -> int:
    """Copy the pictures of a clip that `paint_clip` wrote into a new file; returns how many.

    Time zero stays where it is: where the picture begins after it, the first picture is shown from zero on, because
    without sound a player would begin with the picture and show all that follows too early.
    """
    index = load_index(source)
    count = 0
    try:
        with open_media(source) as container:
            pictures = picture_stream(container)
            assert pictures is not None
            start = int(index.pts[0])
            zero = round(index.origin_us / 1_000_000 / index.time_base)
            ticks = index.time_base.denominator
            options = {**MP4_OPTIONS, "movie_timescale": str(ticks)}
            with av.open(f"file:{destination.absolute()}", "w", format="mp4", options=options) as output:
                stream = output.add_stream_from_template(pictures)
                for packet in container.demux(pictures):
                    if packet.pts is None or packet.size == 0:
                        continue
                    if packet.pts == start:
                        packet.duration = (packet.duration or 0) + start - zero
                        packet.pts = packet.dts = 0
                    else:
                        packet.pts -= zero
                        packet.dts = packet.pts
                    packet.stream = stream
                    output.mux(packet)
                    count += 1
    except (OSError, av.FFmpegError) as error:
        raise write_error(destination, error) from None
    if count != len(index):
        raise UserError(f"Only {count} of {len(index)} frames could be copied.", "Render the recording again.")
    return count


def copy_with_sound(
    clip: Path,
    source: Path,
    destination: Path,
    treatment: SoundFilter,
    *,
    zero_us: int = 0,
    track: int = 0,
    progress: Progress | None = None,
) -> int:
    """Write the pictures of a clip that `paint_clip` wrote with the sound of a whole recording; returns how many.

    The sound is decoded from the recording, treated, and stored without loss. Nothing of a sound that the clip has
    comes along, and no packet of the recording's.

    Args:
        clip: with the pictures.
        source: the recording, which has sound.
        destination: an MP4, told nothing about.
        treatment: what changes the sound.
        zero_us: where the clip's zero lies on the recording's axis; in the copy, zero is that of the recording.
        track: which sound track of the recording, from 1.
        progress: told in pictures.

    Raises:
        Cancelled: the user stopped it.
    """
    index = load_index(clip)
    try:
        with open_media(clip) as container:
            options = {**MP4_OPTIONS, "movie_timescale": str(index.time_base.denominator)}
            with av.open(f"file:{destination.absolute()}", "w", format="mp4", options=options) as output:
                count = _write(output, container, source, track, treatment, index, zero_us, progress or Silent())
    except (OSError, av.FFmpegError) as error:
        raise write_error(destination, error) from None
    if count != len(index):
        raise UserError(f"Only {count} of {len(index)} frames could be copied.", "Render the recording again.")
    return count


def _write(
    output: OutputContainer,
    container: InputContainer,
    source: Path,
    track: int,
    treatment: SoundFilter,
    index: FrameIndex,
    zero_us: int,
    progress: Progress,
) -> int:
    pictures = picture_stream(container)
    assert pictures is not None
    stream: VideoStream = output.add_stream_from_template(pictures)
    sound = Soundtrack(output, source, None, EncodeOptions(), treatment, track)
    shift = round(Fraction(zero_us - index.origin_us, SECOND_US) / index.time_base)
    count = 0
    try:
        for packet in container.demux(pictures):
            if packet.pts is None or packet.size == 0:
                continue
            progress.check_cancelled()
            packet.pts += shift
            packet.dts = packet.pts
            at_us = ticks_to_us(packet.pts, index.time_base.numerator, index.time_base.denominator)
            output.mux(list(sound.packets_until(at_us)))
            packet.stream = stream
            output.mux(packet)
            count += 1
            progress.progress(count, len(index), "Writing the sound")
        output.mux(list(sound.packets_until(None)))
    finally:
        sound.close()
    return count


_CODECS: dict[str, Literal["flac", "pcm_s16le"]] = {".flac": "flac", ".wav": "pcm_s16le"}


def write_sound(
    source: Path,
    destination: Path,
    treatment: SoundFilter | None = None,
    *,
    start_us: int = 0,
    end_us: int | None = None,
    axis_us: int = 0,
    track: int = 0,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> tuple[int, int]:
    """Write the sound of a file as FLAC or WAV of 16 bits at its own rate; returns the samples read and written.

    Args:
        source: the media file.
        destination: ends in `.flac` or `.wav`.
        treatment: what changes the sound.
        start_us: where to begin, on the file's own axis.
        end_us: where to stop; the end of the sound when not given.
        axis_us: where the file's zero lies on the axis that the treatment knows.
        track: which sound track of the source, from 1.
        overwrite: whether an existing file may be replaced.
        progress: told in milliseconds of sound.

    Raises:
        Cancelled: the user stopped it.
    """
    suffix = destination.suffix.lower()
    if suffix not in _CODECS:
        raise UserError(
            f"Sound is written as FLAC or WAV, not as “{suffix or destination.name}”.", "Let the name end in .flac."
        )
    counts = [0, 0]
    with atomic_output(destination, (source,), overwrite=overwrite) as temporary:
        own = stream_original(source, start_us, end_us, progress, track=track)
        blocks = _count_samples(own.blocks, counts, 0)
        if treatment is not None:
            blocks = treatment.treat(blocks, own.rate, start_us + axis_us)
        options = {"fflags": "+bitexact", **({"rf64": "auto"} if suffix == ".wav" else {})}
        try:
            with av.open(f"file:{temporary.absolute()}", "w", format=suffix[1:], options=options) as output:
                encoder = LosslessEncoder(output, own.rate, own.channels, _CODECS[suffix])
                for packet in encoder.packets(_count_samples(blocks, counts, 1)):
                    output.mux(packet)
        except (OSError, av.FFmpegError) as error:
            raise write_error(destination, error) from None
    return counts[0], counts[1]


def _count_samples(blocks: Iterator[Samples], counts: list[int], which: int) -> Iterator[Samples]:
    for block in blocks:
        counts[which] += block.shape[1]
        yield block
