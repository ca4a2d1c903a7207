"""The plan of how the sound of a recording is treated: changed voices and covers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonymize.sound.sound_cover import CoverFilter, TimeSpan, measure_room
from anonymize.sound.voice_methods import COVERS, MUTE, SILENCE, create_voice
from anonymize.sound.voice_stream import UNKNOWN_SPEAKER, VoiceFilter, VoiceSpan
from media.sound import Samples, SoundFilter, stream_original
from project.errors import UserError
from project.progress import Progress


@dataclass(frozen=True, slots=True)
class SoundPlan:
    """What is done to the sound of one recording.

    Attributes:
        spans: what is covered.
        cover: one of `COVERS`.
        voice: key of `VOICES`; None leaves the voices as they are.
        options: of that method, by name.
        speakers: who is heard when.
        seeds: identity -> secret that its alias follows from; with a voice method it must hold `UNKNOWN_SPEAKER`.
    """

    spans: Sequence[TimeSpan] = ()
    cover: str = MUTE
    voice: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    speakers: Sequence[VoiceSpan] = ()
    seeds: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.cover not in COVERS:
            raise UserError(f"There is no cover “{self.cover}”.", f"Choose one of {', '.join(COVERS)}.")
        if self.voice is not None and not self.seeds.get(UNKNOWN_SPEAKER):
            raise ValueError("without a seed, voices would be changed alike in every study")

    @property
    def is_unchanged(self) -> bool:
        """Whether it leaves the sound as it is."""
        return self.voice is None and not self.spans


def sound_filter(
    plan: SoundPlan,
    source: Path,
    progress: Progress | None = None,
    near: tuple[int, int | None] = (0, None),
    *,
    track: int = 0,
) -> SoundFilter:
    """Return what treats the sound of a file as planned.

    What is covered is taken away before the voices are changed, so that nothing of it is smeared beside the cover, and
    covered afterwards.

    Args:
        plan: what is done.
        source: whose sound it is.
        progress: told while the file is read.
        near: start and end of what is read for the tone of the room, on the file's own axis; all of it when not given.
        track: which sound track of the file, from 1.
    """
    steps: list[SoundFilter] = []
    if plan.voice is not None:
        if plan.spans:
            steps.append(CoverFilter(plan.spans))
        steps.append(VoiceFilter(create_voice(plan.voice, **plan.options), plan.seeds, plan.speakers))
    if plan.spans:
        tone = None
        if plan.cover == SILENCE:
            own = stream_original(source, *near, progress, track=track)
            tone = measure_room(own.blocks, own.rate)
        steps.append(CoverFilter(plan.spans, plan.cover, tone))
    return Treatments(tuple(steps))


@dataclass(frozen=True, slots=True)
class Treatments:
    """Several filters, one after the other."""

    steps: tuple[SoundFilter, ...]

    def treat(self, blocks: Iterator[Samples], rate: int, start_us: int) -> Iterator[Samples]:
        """Yield the blocks as the last of the filters gives them."""
        for step in self.steps:
            blocks = step.treat(blocks, rate, start_us)
        return blocks
