"""Writes a source's sound into a clip: packets are copied where that is exact, else cut, treated and encoded.

It also copies clips with treated sound or without sound, pictures untouched, and writes sound alone.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from fractions import Fraction
from pathlib import Path
from typing import Literal

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from media.encoding import MP4_OPTIONS, EncodeOptions, atomic_output
from media.frame_index import FrameIndex, load_index
from media.sound import Samples, SoundEncoder, SoundFilter, is_gapless, stream_original, stream_sound
from media.source import (
    axis_start_us,
    explain_write_errors,
    open_media,
    open_source,
    picture_stream,
    require_sound_stream,
    ticks_to_us,
)
from project.errors import UserError
from project.progress import Progress, Silent
from project.timebase import SECOND_US

_ENCODER = re.compile(rb"(?:Lav[cf]|LAME|Nero|iTunes|FAAC|Fraunhofer)[ -~]{3,}")
_SILENT = Silent()
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
        """Add a sound stream to an output; the source must have sound.

        A stretch is start and end on the recording's axis, start becoming zero; without one, zero is kept. `treatment`
        changes the sound, None leaves it as it is.
        """
        self._source, self._track = source, track
        self._container = open_source(source)
        sound = require_sound_stream(self._container, source, track)
        codec = sound.codec_context
        self.kind: Literal["copied", "encoded", "treated"]
        if treatment is not None:
            self.kind = "treated"
            own = stream_original(source, *(stretch or (0, None)), track=track)
            encoder = SoundEncoder(output, "flac", own.rate, own.layout)
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
            encoder = SoundEncoder(output, "aac", rate, layout, options.audio_bit_rate)
            self._stream = encoder.stream
            self._packets = encoder.packets(stream_sound(source, rate, layout, *(stretch or (0, None)), track=track))
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


def _is_cut_inside(sound: AudioStream) -> bool:
    """Whether an edit list hides packets between others, which a copy could not leave out to the sample."""
    shown = np.flatnonzero([not entry.is_discard for entry in sound.index_entries])
    return len(shown) > 0 and int(shown[-1] - shown[0]) >= len(shown)


def _blank_encoder_name(packet: "Packet[AudioStream]") -> None:
    """Blank the name that an encoder left in padding that decoders skip."""
    data = bytes(packet)
    if _ENCODER.search(data):
        packet.update(_ENCODER.sub(lambda found: bytes(len(found[0])), data))


def copy_without_sound(source: Path, destination: Path) -> int:
    """Copy the pictures of a clip that `paint_clip` wrote into a new file; returns how many.

    Time zero stays where it is: where the picture begins after it, the first picture is shown from zero on, because
    without sound a player would begin with the picture and show all that follows too early.
    """
    index = load_index(source)
    start, zero = int(index.pts[0]), round(Fraction(index.origin_us, SECOND_US) / index.time_base)

    def place(packet: "Packet[VideoStream]", pts: int) -> None:
        packet.pts = 0 if pts == start else pts - zero
        if pts == start:
            packet.duration = (packet.duration or 0) + start - zero

    return _copy_pictures(source, destination, index, place)


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
    comes along, and no packet of the recording's. `zero_us` is where the clip's zero lies on the recording's axis; in
    the copy, zero is that of the recording.
    """
    index = load_index(clip)
    shift = round(Fraction(zero_us - index.origin_us, SECOND_US) / index.time_base)

    def place(packet: "Packet[VideoStream]", pts: int) -> None:
        packet.pts = pts + shift

    def add_sound(output: OutputContainer) -> Soundtrack:
        return Soundtrack(output, source, None, EncodeOptions(), treatment, track)

    return _copy_pictures(clip, destination, index, place, add_sound, progress or Silent())


def _copy_pictures(
    clip: Path,
    destination: Path,
    index: FrameIndex,
    place: "Callable[[Packet[VideoStream], int], None]",
    add_sound: Callable[[OutputContainer], Soundtrack] | None = None,
    progress: Progress = _SILENT,
) -> int:
    """Copy the packets of pictures, which `place` moves in time, and write the sound that belongs between them."""
    count, base = 0, index.time_base
    options = {**MP4_OPTIONS, "movie_timescale": str(base.denominator)}
    with (
        explain_write_errors(destination),
        open_media(clip) as container,
        av.open(f"file:{destination.absolute()}", "w", format="mp4", options=options) as output,
        ExitStack() as stack,
    ):
        pictures = picture_stream(container)
        assert pictures is not None
        stream = output.add_stream_from_template(pictures)
        sound = stack.enter_context(closing(add_sound(output))) if add_sound else None
        for packet in container.demux(pictures):
            if packet.pts is None or packet.size == 0:
                continue
            progress.check_cancelled()
            place(packet, packet.pts)
            packet.dts = packet.pts
            if sound is not None:
                output.mux(list(sound.packets_until(ticks_to_us(packet.pts, base.numerator, base.denominator))))
            packet.stream = stream
            output.mux(packet)
            count += 1
            progress.progress(count, len(index), "Writing the sound")
        if sound is not None:
            output.mux(list(sound.packets_until(None)))
    if count != len(index):
        raise UserError(f"Only {count} of {len(index)} frames could be copied.", "Render the recording again.")
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

    `start_us` and `end_us` are on the file's own axis, whose zero lies at `axis_us` on the one that the treatment
    knows. Progress is in milliseconds of sound.
    """
    suffix = destination.suffix.lower()
    if suffix not in _CODECS:
        raise UserError(
            f"Sound is written as FLAC or WAV, not as “{suffix or destination.name}”.", "End the name in .flac or .wav."
        )
    counts = [0, 0]
    with atomic_output(destination, (source,), overwrite=overwrite) as temporary:
        own = stream_original(source, start_us, end_us, progress, track=track)
        blocks = _count_samples(own.blocks, counts, 0)
        if treatment is not None:
            blocks = treatment.treat(blocks, own.rate, start_us + axis_us)
        options = {"fflags": "+bitexact", **({"rf64": "auto"} if suffix == ".wav" else {})}
        with (
            explain_write_errors(destination),
            av.open(f"file:{temporary.absolute()}", "w", format=suffix[1:], options=options) as output,
        ):
            encoder = SoundEncoder(output, _CODECS[suffix], own.rate, own.layout)
            for packet in encoder.packets(_count_samples(blocks, counts, 1)):
                output.mux(packet)
    return counts[0], counts[1]


def _count_samples(blocks: Iterator[Samples], counts: list[int], which: int) -> Iterator[Samples]:
    for block in blocks:
        counts[which] += block.shape[1]
        yield block
