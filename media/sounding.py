"""A copy of a clip with the sound of its source, treated: the pictures as they were encoded, the sound anew."""

from fractions import Fraction
from pathlib import Path

import av
from av.container import InputContainer, OutputContainer
from av.video.stream import VideoStream

from media.encoding import EncodeOptions
from media.index import FrameIndex, load_index
from media.lossless import SoundFilter
from media.silent import OPTIONS
from media.soundtrack import Soundtrack
from media.source import opened, picture_stream, to_us, write_error
from project.errors import UserError
from project.progress import Progress, Silent
from project.timebase import SECOND


def sounding_copy(
    clip: Path,
    source: Path,
    destination: Path,
    treatment: SoundFilter,
    *,
    zero_us: int = 0,
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
        progress: told in pictures.

    Raises:
        UserError: a file cannot be read, the clip has no picture, or the destination cannot be written.
        Cancelled: the user stopped it.
    """
    index = load_index(clip)
    try:
        with opened(clip) as container:
            options = {**OPTIONS, "movie_timescale": str(index.time_base.denominator)}
            with av.open(f"file:{destination.absolute()}", "w", format="mp4", options=options) as output:
                count = _write(output, container, source, treatment, index, zero_us, progress or Silent())
    except (OSError, av.FFmpegError) as error:
        raise write_error(destination, error) from None
    if count != len(index):
        raise UserError(f"Only {count} of {len(index)} frames could be copied.", "Render the recording again.")
    return count


def _write(
    output: OutputContainer,
    container: InputContainer,
    source: Path,
    treatment: SoundFilter,
    index: FrameIndex,
    zero_us: int,
    progress: Progress,
) -> int:
    pictures = picture_stream(container)
    assert pictures is not None
    stream: VideoStream = output.add_stream_from_template(pictures)
    track = Soundtrack(output, source, None, EncodeOptions(), treatment)
    shift = round(Fraction(zero_us - index.origin_us, SECOND) / index.time_base)
    count = 0
    try:
        for packet in container.demux(pictures):
            if packet.pts is None or packet.size == 0:
                continue
            progress.check_cancelled()
            packet.pts += shift
            packet.dts = packet.pts
            at_us = to_us(packet.pts, index.time_base.numerator, index.time_base.denominator)
            output.mux(list(track.until(at_us)))
            packet.stream = stream
            output.mux(packet)
            count += 1
            progress.progress(count, len(index), "Writing the sound")
        output.mux(list(track.until(None)))
    finally:
        track.close()
    return count
