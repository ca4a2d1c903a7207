"""Which frames of a file stand for a segment, or which stretch of it is sent as a clip; decodes nothing."""

from app.core.judging.seeing.conditions import Source
from app.core.judging.seeing.lines import seconds
from app.core.judging.seeing.plan import ENDPOINTS, PlannedFrame, PlannedMedia, SightSettings
from media.cache import cache_folder
from media.chosen import fitting
from media.index import FrameIndex, load_index
from media.iterate import span
from project.errors import UserError
from project.timebase import SECOND, format_time

_FINE_BELOW_US = 10 * SECOND


def planned_media(
    source: Source, start_us: int, end_us: int, settings: SightSettings
) -> tuple[PlannedMedia | None, str]:
    """Plan what is taken from a file.

    Args:
        source: the file.
        start_us: of the segment, on the recording's axis.
        end_us: of the segment, on the recording's axis.
        settings: how much is seen.

    Returns:
        The plan, None where the segment has no picture; and what is good to know about it, or "".

    Raises:
        UserError: the file cannot be read, or a rendering does not reach over the segment.
    """
    index = load_index(source.path, cache_folder())
    times = index.times
    start, end = start_us - source.zero_us, end_us - source.zero_us
    if times.time_of(0) >= end or times.end_us <= start:
        return None, "The segment lies where the recording has no picture, so nothing is shown of it."
    if start_us < source.start_us or (source.end_us is not None and end_us > source.end_us):
        raise UserError(
            f"The rendering {source.path.name} does not reach over {format_time(start_us)} to {format_time(end_us)}.",
            "Export the whole recording, or that part of it.",
        )
    size, note = fitting(index.canvas, settings.longest_side), ""
    frames: tuple[PlannedFrame, ...] = ()
    stretch = None
    if settings.clip:
        stretch = (start_us, min(end_us, times.end_us + source.zero_us))
    else:
        positions = chosen_positions(*span(index, start, end), settings.frames, settings.rule)
        frames = tuple(_frame(index, at, source.zero_us, start_us, end_us, settings.stamps) for at in positions)
        if len(frames) < settings.frames:
            note = f"The segment has {len(frames)} of the {settings.frames} frames that were asked for."
    file = (source.path, source.fingerprint, source.zero_us)
    return PlannedMedia(*file, frames, stretch, *size, settings.quality, source.sha256), note


def chosen_positions(first: int, stop: int, count: int, rule: str) -> list[int]:
    """Return the positions of frames that stand for all from `first` to before `stop`, each once.

    By `interior`, the frames at the whole parts of i n / (N + 1), i from 1 to N, as VLMEvalKit takes them; by
    `endpoints`, those at the whole parts of i (n - 1) / (N - 1), i from 0 to N - 1, as lmms-eval does.
    """
    frames = stop - first
    if rule == ENDPOINTS:
        found = [i * (frames - 1) // (count - 1) for i in range(count)] if count > 1 else [0]
    else:
        found = [i * frames // (count + 1) for i in range(1, count + 1)]
    return [first + at for at in dict.fromkeys(found)]


def _frame(index: FrameIndex, at: int, zero_us: int, start_us: int, end_us: int, stamps: bool) -> PlannedFrame:
    time_us = index.times.time_of(at) + zero_us
    told = seconds(max(0, time_us - start_us), fine=end_us - start_us < _FINE_BELOW_US)
    return PlannedFrame(at, time_us, told if stamps else "")
