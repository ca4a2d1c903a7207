"""Sound encoded without loss, so that samples which nobody changed stay what the decoder gave."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal, Protocol

import av
import numpy as np
from av.audio.stream import AudioStream
from av.codec.context import Flags
from av.container import OutputContainer
from av.packet import Packet
from numpy.typing import NDArray

from media.audio import Samples

_LAYOUTS = ("mono", "stereo", "3.0", "quad", "5.0", "5.1", "6.1", "7.1")
_AT_ONCE = 4096


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


def sixteen_bits(samples: Samples) -> NDArray[np.int16]:
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
            whole = sixteen_bits(block)
            for begin in range(0, whole.shape[1], _AT_ONCE):
                piece = np.ascontiguousarray(whole[:, begin : begin + _AT_ONCE].T).reshape(1, -1)
                frame = av.AudioFrame.from_ndarray(piece, format="s16", layout=self._layout)
                frame.sample_rate, frame.time_base, frame.pts = self._rate, Fraction(1, self._rate), sent + begin
                yield from self.stream.encode(frame)
            sent += whole.shape[1]
        if sent:
            yield from self.stream.encode(None)
