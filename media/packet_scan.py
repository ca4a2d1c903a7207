"""Reads all packets of a file once: which of them show a picture and when, and where each stream of sound ends.

A file is refused whose times cannot be told, because its time stamps begin anew, and one whose pictures change their
size.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from media.coded_pictures import PictureHeads
from media.source import axis_start_us, has_decoder, ticks_to_us
from project.errors import UserError
from project.progress import Progress
from project.timebase import SECOND_US

_EVERY = 500
_LONGEST_LEAD = 1_000
_MOST_TRIED = 300
_REORDERED = 16
"""Most pictures that lie before one in a file and are shown after it (ITU-T H.264, A.3.1)."""


def packets_from_key(packets: "Iterator[Packet[VideoStream]]") -> "Iterator[Packet[VideoStream]]":
    """Yield the packets from the first keyframe on: some decoders make a picture of what comes before it.

    Where the first thousand packets have none, all are yielded.
    """
    lead: list[Packet[VideoStream]] = []
    for packet in packets:
        lead.append(packet)
        if packet.is_keyframe and packet.size:
            lead = [packet]
            break
        if len(lead) == _LONGEST_LEAD:
            break
    yield from lead
    for packet in packets:
        yield packet


def first_frame(container: InputContainer, stream: VideoStream) -> av.VideoFrame | None:
    """Decode the first picture that can be decoded."""
    for count, packet in enumerate(packets_from_key(container.demux(stream))):
        try:
            frames = stream.codec_context.decode(packet)
        except av.FFmpegError:
            continue
        if frames:
            return frames[0]
        if count > _MOST_TRIED:
            break
    return None


@dataclass(slots=True)
class PicturePacket:
    """A packet that shows a picture: its time stamps and length in ticks of its stream, and its bytes."""

    pts: int | None
    dts: int | None
    duration: int
    size: int
    is_keyframe: bool


@dataclass(frozen=True, slots=True)
class PacketScan:
    """What the packets of a file say.

    Attributes:
        pictures: the packets that show a picture, in the order of the file; one that an edit list hides shows none.
        sound_ends_us: of each stream of sound, by its number in the file, where its last packet ends on the
            recording's axis.
    """

    pictures: list[PicturePacket]
    sound_ends_us: dict[int, int]


def scan_packets(
    container: InputContainer,
    name: str,
    progress: Progress,
    picture: VideoStream | None = None,
    size: tuple[int, int] = (0, 0),
) -> PacketScan:
    """Read all packets of the sound, and of a stream of pictures whose first has a size as stored.

    The container was just opened, and nothing was decoded of the stream. Progress is in bytes.
    """
    pictures = None if picture is None else _PictureReader(picture, size, name)
    sounds = {stream.index: _SoundEnd(container, stream) for stream in container.streams.audio if has_decoder(stream)}
    stamps: dict[int, list[int]] = {}
    streams = [stream for stream in container.streams if stream is picture or stream.index in sounds]
    try:
        for count, packet in enumerate(container.demux(streams)):
            if count % _EVERY == 0:
                progress.check_cancelled()
                progress.progress(min(packet.pos or 0, container.size), container.size, "Reading the time stamps")
            if packet.size == 0:
                continue
            if packet.stream_index not in sounds:
                assert pictures is not None
                pictures.add(packet)
            elif not packet.is_discard:
                sounds[packet.stream_index].add(packet)
            if packet.pts is not None and not packet.is_discard:
                stamps.setdefault(packet.stream_index, []).append(packet.pts)
    except av.FFmpegError:
        pass
    if any(_begin_anew(of_stream) for of_stream in stamps.values()):
        raise UserError(
            f"The time stamps of {name} restart inside the file: it was joined from several files.",
            "Add those files, or join them with ffmpeg -f concat. Without them, try ffmpeg -i OLD -c copy NEW.mp4.",
        )
    found = [] if pictures is None else pictures.found
    return PacketScan(found, {number: sound.end_us for number, sound in sounds.items()})


def _begin_anew(stamps: Sequence[int]) -> bool:
    """Whether time stamps go back further than the order of pictures explains, and stay there."""
    found = np.array(stamps, np.int64)
    reached = np.maximum.accumulate(found)[: -_REORDERED - 1]
    return int((found[_REORDERED + 1 :] < reached).sum()) > _REORDERED


class _PictureReader:
    """Follows the packets of a stream of pictures."""

    def __init__(self, stream: VideoStream, size: tuple[int, int], name: str) -> None:
        self._stream, self._size, self._name = stream, size, name
        self._heads = PictureHeads(stream)
        self._known_heads: set[bytes] = set()
        self.found: list[PicturePacket] = []

    def add(self, packet: "Packet[Any]") -> None:
        if packet.is_keyframe:
            mark = self._heads.size_mark(packet)
            if mark and mark not in self._known_heads:
                self._known_heads.add(mark)
                self._check_size(packet)
        is_picture = self._heads.is_picture(packet)
        if packet.is_discard:
            return
        if is_picture:
            length = packet.duration or 0
            self.found.append(PicturePacket(packet.pts, packet.dts, length, packet.size, packet.is_keyframe))
        elif self.found:
            self.found[-1].duration += packet.duration or 0

    def _check_size(self, packet: "Packet[VideoStream]") -> None:
        codec = self._stream.codec_context
        try:
            frames = [*codec.decode(packet), *codec.decode(None)]
        except av.FFmpegError:
            frames = []
        codec.flush_buffers()
        for frame in frames:
            if (frame.width, frame.height) != self._size:
                (width, height), wide, high = self._size, frame.width, frame.height
                raise UserError(
                    f"The picture of {self._name} changes its size from {width} x {height} to {wide} x {high}.",
                    "Convert it to one size, for example with ffmpeg -i OLD NEW.mp4.",
                )


class _SoundEnd:
    """Follows the packets of a stream of sound to where the last one ends."""

    def __init__(self, container: InputContainer, stream: AudioStream) -> None:
        self._base = stream.time_base or Fraction(1, SECOND_US)
        self._rate = stream.codec_context.sample_rate or 1
        self._origin_us = axis_start_us(container)
        self._end = 0

    def add(self, packet: "Packet[Any]") -> None:
        start = self._end if packet.pts is None else packet.pts
        end = start + (packet.duration or 0)
        if packet.has_sidedata("skip_samples"):
            _, padding = struct.unpack_from("<II", bytes(packet.get_sidedata("skip_samples")))
            end -= round(Fraction(padding, self._rate) / self._base)
        self._end = max(self._end, end)

    @property
    def end_us(self) -> int:
        return max(0, ticks_to_us(self._end, self._base.numerator, self._base.denominator) - self._origin_us)
