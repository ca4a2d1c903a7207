"""What somebody wants to be run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from app.core.judging.runs.budget import Limits
from app.core.session import Session
from models.judges.options import ModelOptions
from models.judges.registry import options_of
from project.errors import UserError
from project.item_sets import ItemSet, Shown
from project.judging import PERSON, RAW, JudgeEntry
from project.queries.item_sets import all_sets
from project.queries.judges import all_judges
from project.queries.judgments import spent_since
from project.types import Json


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


def wanted_as_json(wanted: Wanted) -> dict[str, Json]:
    """Return what `wanted_from` reads; sets and judges by their ids."""
    return {
        "sets": [one.id for one in wanted.sets],
        "judges": [one.id for one in wanted.judges],
        "variant": wanted.variant,
        "shown": wanted.shown.value if wanted.shown is not None else None,
        "conditions": [*wanted.conditions],
        "seed": wanted.seed,
        "money": wanted.budget.money,
        "tokens": wanted.budget.tokens,
    }


def wanted_from(session: Session, found: Mapping[str, Json], since: str) -> Wanted:
    """Return runs that were interrupted, so that they go on: with the budget that is left, and asking nothing anew.

    Args:
        session: holds the study.
        found: as `wanted_as_json` made it.
        since: when they were begun, as `utc_now` says it.

    Raises:
        UserError: a set or a judge is gone, or the budget is spent.
    """
    values = cast(dict[str, Any], found)
    sets = [one for one in all_sets(session.study) if one.id in values["sets"]]
    judges = [one for one in all_judges(session.study) if one.id in values["judges"]]
    if len(sets) < len(values["sets"]) or len(judges) < len(values["judges"]):
        raise UserError("A set or a judge of these runs is gone.", "Begin new runs in the mode Benchmark.")
    money, tokens = spent_since(session.study, [one.id for one in judges], since)
    return Wanted(
        sets,
        judges,
        str(values["variant"]),
        Shown(values["shown"]) if values["shown"] else None,
        [str(one) for one in values["conditions"]],
        int(values["seed"]),
        Limits(values["money"], values["tokens"]).less(money, tokens),
    )


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
