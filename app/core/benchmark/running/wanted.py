"""What somebody wants to be run."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.core.judging.runs.budget import Limits
from models.judges.options import ModelOptions
from models.judges.registry import options_of
from project.errors import UserError
from project.item_sets import ItemSet, Shown
from project.judging import PERSON, RAW, JudgeEntry


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which sets are asked of whom, and how.

    Attributes:
        judges: entries of the study; people answer in the window.
        variant: of the prompts.
        shown: what of the items; None for what each judge sees (`usually_shown`).
        conditions: each a run of its own: `RAW`, a method, or the id of a rendering.
        seed: of the judges' sampling.
        budget: that all of it together may not pass.
        again: begin a new run, and ask again what was refused or could not be read.
        fresh: begin a new run, and ask everything anew.
    """

    sets: Sequence[ItemSet]
    judges: Sequence[JudgeEntry]
    variant: str = "plain"
    shown: Shown | None = None
    conditions: Sequence[str] = (RAW,)
    seed: int = 0
    budget: Limits = field(default_factory=Limits)
    again: bool = False
    fresh: bool = False


def usually_shown(entry: JudgeEntry) -> Shown:
    """Return what of an item a judge is shown where nothing else is wished: words and pictures, if it sees any.

    Raises:
        UserError: its settings do not fit.
    """
    options = _options(entry)
    return Shown.BOTH if options is not None and options.sees != "text" else Shown.WORDS


def require_sees(entry: JudgeEntry, shown: Shown) -> None:
    """Check that a judge can be shown something; baselines, which see nothing, can be shown anything.

    Raises:
        UserError: pictures are to be shown to a judge that is set to see none, or its settings do not fit.
    """
    options = _options(entry)
    if shown is not Shown.WORDS and options is not None and options.sees == "text":
        raise UserError("It is set to see no pictures.", "Ask it with --shown L, or set what it sees.")


def _options(entry: JudgeEntry) -> ModelOptions | None:
    if entry.backend == PERSON:
        return None
    options = options_of(entry.backend, entry.settings)
    return options if isinstance(options, ModelOptions) else None
