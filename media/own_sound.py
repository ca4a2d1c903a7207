"""The sound of a file at its own rate, with its own channels."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av

from media.audio import Samples, stream_sound
from media.source import opened, sound_stream
from project.errors import UserError
from project.progress import Progress

MOST_CHANNELS = 8
"""More are mixed down to two."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnSound:
    """Sound on its way.

    Attributes:
        rate: samples a second.
        channels: how many.
        blocks: (channels, n) float32 without a gap; can be gone through once.
    """

    rate: int
    channels: int
    blocks: Iterator[Samples]


def kept_layout(layout: av.AudioLayout) -> av.AudioLayout:
    """Return a layout itself, or stereo where it has more than `MOST_CHANNELS` or none."""
    return layout if 0 < layout.nb_channels <= MOST_CHANNELS else av.AudioLayout("stereo")


def stream_own(path: Path, start_us: int = 0, end_us: int | None = None, progress: Progress | None = None) -> OwnSound:
    """Read the sound of a file from a time on, see `media.audio.stream_sound`.

    Raises:
        UserError: the file cannot be read or has no sound.
    """
    with opened(path) as container:
        found = sound_stream(container)
        if found is None:
            raise UserError(f"{' '.join(path.name.split())} has no sound.", "Choose a recording with sound.")
        rate, layout = found.codec_context.sample_rate, kept_layout(found.codec_context.layout)
    return OwnSound(rate, layout.nb_channels, stream_sound(path, rate, layout.name, start_us, end_us, progress))
