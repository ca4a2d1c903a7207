"""The sound of a source on its way into a clip: copied as it is where that is exact, else cut, treated, encoded."""

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Literal

import av
import numpy as np
from av.audio.stream import AudioStream
from av.codec.context import Flags
from av.container import OutputContainer
from av.packet import Packet

from media.audio import stream_sound
from media.encoding import EncodeOptions
from media.lossless import LosslessEncoder, SoundFilter
from media.own_sound import stream_own
from media.source import open_source, sound_stream, start_of, to_us
from project.timebase import SECOND

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
    ) -> None:
        """Add a sound stream to an output. The source must have sound.

        Args:
            output: the clip.
            source: the recording.
            stretch: start and end on the recording's axis, start becoming zero; None for all of it, zero kept.
            options: how to encode.
            treatment: what changes the sound; None leaves it as it is.
        """
        self._source = source
        self._container = open_source(source)
        sound = sound_stream(self._container)
        assert sound is not None
        codec = sound.codec_context
        self.kind: Literal["copied", "encoded", "treated"]
        if treatment is not None:
            self.kind = "treated"
            own = stream_own(source, *(stretch or (0, None)))
            encoder = LosslessEncoder(output, own.rate, own.channels)
            self._stream = encoder.stream
            self._packets = encoder.packets(treatment.treat(own.blocks, own.rate, stretch[0] if stretch else 0))
        elif stretch is None and self._copyable(sound):
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

    def until(self, time_us: int | None) -> "Iterator[Packet[AudioStream]]":
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

    def _copyable(self, sound: AudioStream) -> bool:
        codec = sound.codec_context
        if codec.name == "flac":
            return "mp4" in self._container.format.name
        return codec.name in _COPIED and (codec.name != "aac" or bool(codec.extradata))

    def _time(self, packet: "Packet[AudioStream]") -> int:
        return to_us(packet.pts or 0, packet.time_base.numerator, packet.time_base.denominator)

    def _copies(self, sound: AudioStream) -> "Iterator[Packet[AudioStream]]":
        base = sound.time_base or Fraction(1, SECOND)
        shift = round(Fraction(start_of(self._container), SECOND) / base)
        packets = self._container.demux(sound)
        while True:
            try:
                packet = next(packets, None)
            except av.FFmpegError:
                return
            if packet is None:
                return
            if packet.size == 0 or packet.pts is None or self._before_start(packet, sound, shift):
                continue
            _forget_encoder(packet)
            packet.pts -= shift
            packet.dts = packet.pts
            packet.stream = self._stream
            yield packet

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
        for block in stream_sound(self._source, rate, layout, start, end):
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


def _forget_encoder(packet: "Packet[AudioStream]") -> None:
    """Blank the name that an encoder left in padding that decoders skip."""
    data = bytes(packet)
    if _ENCODER.search(data):
        packet.update(_ENCODER.sub(lambda found: bytes(len(found[0])), data))
