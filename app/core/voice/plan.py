"""What treats the sound of an export, where it is rendered."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from anonymize.sound.cover import Span
from anonymize.sound.kinds import MUTE
from anonymize.sound.plan import SoundPlan, sound_filter
from anonymize.voice.streaming import Speaking
from app.core.voice.choice import KEEP, NONE
from media.lossless import SoundFilter
from project.progress import Progress
from project.types import Json


def filter_of(
    sound: Mapping[str, Json],
    source: Path,
    progress: Progress | None = None,
    near: tuple[int, int | None] = (0, None),
) -> SoundFilter | Literal["keep", "none"]:
    """Return what treats the sound of a file, from what `gather_sound` gave.

    Raises:
        UserError: the file cannot be read.
    """
    if sound["voice"] == NONE:
        return "none"
    plan = plan_of_sound(sound)
    return "keep" if plan.untouched else sound_filter(plan, source, progress, near)


def plan_of_sound(sound: Mapping[str, Json]) -> SoundPlan:
    """Return what is done to sound that stays, from what `gather_sound` gave."""
    name, cover = str(sound["voice"]), str(sound["cover"])
    spans = cast(list[list[int]], sound["spans"])
    speakers = cast(list[list[Any]], sound["speakers"])
    return SoundPlan(
        spans=[Span(start, end) for start, end in spans],
        cover=MUTE if cover == NONE else cover,
        voice=None if name in (KEEP, NONE) else name,
        options=cast(Mapping[str, Any], sound["options"]),
        speakers=[Speaking(start, end, who) for start, end, who in speakers],
        seeds=cast(Mapping[str, str], sound["seeds"]),
    )


def told(sound: Mapping[str, Json]) -> dict[str, Json]:
    """Return what a run keeps of it: the choice, the checksum, how many places are covered; no times, no secrets."""
    found = {key: sound[key] for key in ("voice", "options", "cover", "state")}
    return {**found, "covered": len(cast(list[Json], sound["spans"]))}
