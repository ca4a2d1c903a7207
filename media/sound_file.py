"""Sound alone in a file, stored without loss."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import av

from media.audio import Samples
from media.destination import replaced_when_whole
from media.lossless import LosslessEncoder, SoundFilter
from media.own_sound import stream_own
from media.source import write_error
from project.errors import UserError
from project.progress import Progress

_CODECS: dict[str, Literal["flac", "pcm_s16le"]] = {".flac": "flac", ".wav": "pcm_s16le"}


def write_sound(
    source: Path,
    destination: Path,
    treatment: SoundFilter | None = None,
    *,
    start_us: int = 0,
    end_us: int | None = None,
    axis_us: int = 0,
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
        overwrite: whether an existing file may be replaced.
        progress: told in milliseconds of sound.

    Raises:
        UserError: the source cannot be read or has no sound; the destination has another ending, exists, or cannot be
            written.
        Cancelled: the user stopped it.
    """
    suffix = destination.suffix.lower()
    if suffix not in _CODECS:
        raise UserError(
            f"Sound is written as FLAC or WAV, not as “{suffix or destination.name}”.", "Let the name end in .flac."
        )
    counts = [0, 0]
    with replaced_when_whole(destination, (source,), overwrite=overwrite) as temporary:
        own = stream_own(source, start_us, end_us, progress)
        blocks = _counted(own.blocks, counts, 0)
        if treatment is not None:
            blocks = treatment.treat(blocks, own.rate, start_us + axis_us)
        options = {"fflags": "+bitexact", **({"rf64": "auto"} if suffix == ".wav" else {})}
        try:
            with av.open(f"file:{temporary.absolute()}", "w", format=suffix[1:], options=options) as output:
                encoder = LosslessEncoder(output, own.rate, own.channels, _CODECS[suffix])
                for packet in encoder.packets(_counted(blocks, counts, 1)):
                    output.mux(packet)
        except (OSError, av.FFmpegError) as error:
            raise write_error(destination, error) from None
    return counts[0], counts[1]


def _counted(blocks: Iterator[Samples], counts: list[int], which: int) -> Iterator[Samples]:
    for block in blocks:
        counts[which] += block.shape[1]
        yield block
