"""Encoding pictures as H.264 that says nothing about where they came from."""

from dataclasses import dataclass
from fractions import Fraction

import av
import numpy as np
from av.bitstream import BitStreamFilterContext
from av.codec.context import Flags
from av.container import OutputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from media.canvas import planes
from media.index import FrameIndex

_FINEST_TICK = Fraction(1, 90_000)
_SEI = "filter_units=remove_types=6"


@dataclass(frozen=True, slots=True)
class EncodeOptions:
    """How a clip is encoded.

    Attributes:
        preset: x264's; slower ones make smaller files.
        crf: x264's constant quality; 18 is hard to tell from the source.
        keyframe_seconds: at most this long from one keyframe to the next, for quick seeking.
        audio_bit_rate: of sound that has to be encoded again, bits a second.
    """

    preset: str = "veryfast"
    crf: int = 19
    keyframe_seconds: float = 2.0
    audio_bit_rate: int = 160_000


def clip_time_base(source: Fraction) -> Fraction:
    """Return a whole fraction of the source's tick that is fine enough for any shift of the zero."""
    return source / max(1, -(-source // _FINEST_TICK))


def even(frame: av.VideoFrame) -> av.VideoFrame:
    """Return the frame with odd sides made even by repeating the last column and row: 4:2:0 knows no odd ones."""
    if frame.width % 2 == 0 and frame.height % 2 == 0:
        return frame
    padded = av.VideoFrame(frame.width + frame.width % 2, frame.height + frame.height % 2, "yuv420p")
    for target, source in zip(planes(padded), planes(frame), strict=True):
        more = [(0, wide - have) for wide, have in zip(target.shape, source.shape, strict=True)]
        target[:] = np.pad(source, more, mode="edge")
    padded.colorspace, padded.color_range = frame.colorspace, frame.color_range
    padded.color_trc, padded.color_primaries = frame.color_trc, frame.color_primaries
    return padded


class VideoEncoder:
    """The picture stream of a clip. Pictures are shown in the order they are stored: no B-frames."""

    def __init__(self, output: OutputContainer, index: FrameIndex, options: EncodeOptions) -> None:
        self.time_base = clip_time_base(index.time_base)
        stream = output.add_stream("libx264")
        width, height = index.canvas.width, index.canvas.height
        stream.width, stream.height = width + width % 2, height + height % 2
        stream.pix_fmt = "yuv420p"
        stream.time_base = self.time_base
        codec = stream.codec_context
        codec.time_base = self.time_base
        spread = index.times.end_us - index.times.time_of(0)
        rate = Fraction(len(index) * 1_000_000, max(1, spread)).limit_denominator(1001) or Fraction(1)
        codec.framerate = rate
        codec.gop_size = max(1, round(options.keyframe_seconds * rate))
        codec.max_b_frames = 0
        codec.thread_type = "AUTO"  # Whole frames side by side: slices of one leave processors idle.
        codec.flags |= Flags.bitexact
        codec.options = {"preset": options.preset, "crf": str(options.crf), "a53cc": "0"}
        self._stream = stream
        self._plain = BitStreamFilterContext(_SEI, "h264")
        self._durations: dict[int, int] = {}
        self._opened = False

    def encode(self, frame: av.VideoFrame, pts: int, duration: int) -> "list[Packet[VideoStream]]":
        """Encode the next picture; `pts` and `duration` are in `time_base`."""
        frame = even(frame)
        codec = self._stream.codec_context
        if not self._opened:
            codec.color_range, codec.colorspace = frame.color_range, frame.colorspace
            codec.color_trc, codec.color_primaries = frame.color_trc, frame.color_primaries
            self._opened = True
        frame.pts, frame.time_base = pts, self.time_base
        self._durations[pts] = duration
        return self._finished(codec.encode(frame))

    def rest(self) -> "list[Packet[VideoStream]]":
        """Return what the encoder still holds."""
        return self._finished(self._stream.codec_context.encode(None))

    def _finished(self, packets: "list[Packet[VideoStream]]") -> "list[Packet[VideoStream]]":
        done = []
        for packet in packets:
            duration = self._durations.pop(packet.pts or 0, 0)
            base = packet.time_base
            for plain in self._plain.filter(packet):
                plain.stream = self._stream
                plain.time_base = base
                plain.duration = duration
                done.append(plain)
        return done
