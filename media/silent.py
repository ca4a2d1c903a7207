"""A copy of a clip without its sound, picture for picture as it was encoded."""

from pathlib import Path

import av

from media.index import load_index
from media.source import opened, picture_stream, write_error
from project.errors import UserError

OPTIONS = {"movflags": "+faststart", "fflags": "+bitexact"}
"""Of the MP4 writer: nothing is told about when and with what it was written."""


def silent_copy(source: Path, destination: Path) -> int:
    """Copy the pictures of a clip that `paint_clip` wrote into a new file; returns how many.

    Time zero stays where it is: where the picture begins after it, the first picture is shown from zero on, because
    without sound a player would begin with the picture and show all that follows too early.

    Raises:
        UserError: the source cannot be read or has no picture, or the destination cannot be written.
    """
    index = load_index(source)
    count = 0
    try:
        with opened(source) as container:
            pictures = picture_stream(container)
            assert pictures is not None
            start = int(index.pts[0])
            zero = round(index.origin_us / 1_000_000 / index.time_base)
            ticks = index.time_base.denominator
            options = {**OPTIONS, "movie_timescale": str(ticks)}
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
