"""The plan of how the sound of a recording is treated: changed voices and covers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonymize.sound.sound_cover import CoverFilter, measure_room
from anonymize.sound.voice_methods import COVERS, MUTE, SILENCE, create_voice
from anonymize.sound.voice_stream import UNKNOWN_SPEAKER, VoiceFilter, VoiceSpan
from media.sound import Samples, SoundFilter, stream_original
from project.errors import UserError
from project.progress import Progress
from project.timebase import Interval


@dataclass(frozen=True, slots=True)
class SoundPlan:
    """What is done to the sound of one recording.

    Attributes:
        covered: where `cover` is heard instead.
        cover: one of `COVERS`.
        voice: key of `VOICES`; None leaves the voices as they are.
        options: of that method, by name.
        speakers: who is heard when.
        seeds: identity -> secret that its alias follows from; with a voice method it must hold `UNKNOWN_SPEAKER`.
        muted: where nothing is heard.
    """

    covered: tuple[Interval, ...] = ()
    cover: str = MUTE
    voice: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    speakers: tuple[VoiceSpan, ...] = ()
    seeds: Mapping[str, str] = field(default_factory=dict)
    muted: tuple[Interval, ...] = ()

    def __post_init__(self) -> None:
        if self.cover not in COVERS:
            raise UserError(f"There is no cover “{self.cover}”.", f"Choose one of {', '.join(COVERS)}.")

    @property
    def is_unchanged(self) -> bool:
        """Whether it leaves the sound as it is."""
        return self.voice is None and not self.covered and not self.muted


def sound_filter(
    plan: SoundPlan,
    source: Path,
    progress: Progress | None = None,
    near: tuple[int, int | None] = (0, None),
    *,
    track: int = 0,
) -> SoundFilter:
    """Return what treats the sound of a file as planned.

    What is covered or muted is taken away before the voices are changed, so that nothing of it is smeared over what is
    heard, and again afterwards.

    Args:
        plan: what is done.
        source: whose sound it is.
        progress: told while the file is read.
        near: start and end of what is read for the tone of the room, on the file's own axis; all of it when not given.
        track: which sound track of the file, from 1.
    """
    mute = [CoverFilter(plan.muted)] if plan.muted else []
    steps: list[SoundFilter] = [*mute]
    if plan.voice is not None:
        if not plan.seeds.get(UNKNOWN_SPEAKER):
            raise ValueError("without a seed, voices would be changed alike in every study")
        if plan.covered:
            steps.append(CoverFilter(plan.covered))
        steps.append(VoiceFilter(create_voice(plan.voice, **plan.options), plan.seeds, plan.speakers))
    if plan.covered:
        tone = None
        if plan.cover == SILENCE:
            own = stream_original(source, *near, progress, track=track)
            tone = measure_room(own.blocks, own.rate)
        steps.append(CoverFilter(plan.covered, plan.cover, tone))
    return Treatments((*steps, *mute))


@dataclass(frozen=True, slots=True)
class Treatments:
    """Several filters, one after the other."""

    steps: tuple[SoundFilter, ...]

    def treat(self, blocks: Iterator[Samples], rate: int, start_us: int) -> Iterator[Samples]:
        """Yield the blocks as the last of the filters gives them."""
        for step in self.steps:
            blocks = step.treat(blocks, rate, start_us)
        return blocks
