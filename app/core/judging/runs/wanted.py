"""What somebody wants to be asked of whom."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.core.judging.runs.budget import Limits
from app.core.judging.seeing.sight import SightSettings
from project.judging import RAW, JudgeEntry


@dataclass(frozen=True, slots=True)
class AskRequest:
    """What is asked of whom.

    Attributes:
        judges: entries of the study.
        about: ids of segments, or keys of other things (`project.judging.About.key`).
        task: key of `benchmark/tasks/registry.py`.
        variant: of the prompt.
        condition: `RAW`, the id of the run that made a rendering, or a method: each recording's newest rendering by it.
        seed: of the sampling; another one draws another answer.
        sight: how much of a segment is seen; what a judge sees at all, and how many frames, is a setting of the judge.
        frames: in the place of the number that each judge is set to; None for that.
        budget: that the run may not pass.
        again: ask again what was refused or could not be read.
        fresh: ask again also what was answered.
    """

    judges: Sequence[JudgeEntry]
    about: Sequence[str]
    task: str = "assess"
    variant: str = "plain"
    condition: str = RAW
    seed: int = 0
    sight: SightSettings = field(default_factory=SightSettings)
    frames: int | None = None
    budget: Limits = field(default_factory=Limits)
    again: bool = False
    fresh: bool = False
