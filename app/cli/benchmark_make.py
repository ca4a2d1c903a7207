"""Making item sets on the command line."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from project.counted import counted
from project.errors import UserError
from project.item_sets import ItemSet
from project.types import Json

_SHARE = "LABEL=WEIGHT"


@click.command()
@STUDY
@click.option("--task", "tasks", multiple=True, required=True, metavar="KEY", help="Which task; again for each.")
@click.option("--name", default="", help="Of the set; the task's key, with a number, when not given.")
@click.option("--seed", default=0, show_default=True, help="The same seed draws the same items.")
@click.option("--draws", type=int, help="How many samples; as many as the task has in its paper when not given.")
@click.option("--size", type=int, help="Items of a sample at most, 0 for all; as in the paper when not given.")
@click.option("--stratify", is_flag=True, help="The same number of items out of each collection.")
@click.option("--include", multiple=True, metavar="WHAT", help="disagreed, reviewed, unreviewed or hold-out; again.")
@click.option("--scheme", default="", help="Whose segments; those of the study's default scheme when not given.")
@click.option("--track", default="", help="Of the scheme; its first when not given.")
@click.option("--share", "shares", multiple=True, metavar=_SHARE, help="How much of a label; again for each.")
@click.option("--negatives", default="both", show_default=True, help="Where none is from: annotated, unmarked or both.")
@click.option("--condition", "conditions", multiple=True, metavar="METHOD", help="Only what has this rendering; again.")
@click.option("--willing", is_flag=True, help="Only recordings in which everybody is willing to be shown to models.")
@json_option
def make(
    study: Path,
    tasks: tuple[str, ...],
    name: str,
    seed: int,
    draws: int | None,
    size: int | None,
    stratify: bool,
    include: tuple[str, ...],
    scheme: str,
    track: str,
    shares: tuple[str, ...],
    negatives: str,
    conditions: tuple[str, ...],
    willing: bool,
    as_json: bool,
) -> None:
    """Draw the items of tasks from a study, and freeze them as sets.

    A set is never changed: every judge and every person is asked the same items. Only segments that two people marked
    and agree on are drawn, never from a recording that is held out, unless --include says otherwise. What could not
    become an item is counted.

    \b
    Example:
      greenroom benchmark make my-study.greenroom --task verdict --task error
      greenroom benchmark make my-study.greenroom --task attributes --include disagreed --name disputed --json
    """
    from app.core.benchmark.sets.making import make_set
    from app.core.benchmark.sets.wishes import Wishes
    from app.core.session import Session
    from project.queries.item_sets import items_of

    if name and len(tasks) > 1:
        raise UserError("One name is for one set.", "Leave --name out, or name one task.")
    wishes = Wishes(include, stratify, scheme, track, _weights(shares), negatives, conditions, willing)
    made: list[ItemSet] = []
    with Session.open(study) as session:
        for task in dict.fromkeys(tasks):
            found, _ = make_set(session, task, name, seed, draws, size, wishes)
            made.append(found)
        sizes = [len(items_of(session.study, one.id)) for one in made]
    lines = [line for one, items in zip(made, sizes, strict=True) for line in _lines(one, items)]
    told: list[Json] = [as_object(one, items) for one, items in zip(made, sizes, strict=True)]
    tell(as_json, {"study": str(study), "sets": told}, "\n".join(lines))


def as_object(one: ItemSet, items: int) -> dict[str, Json]:
    """Return a set as a JSON object."""
    return {
        "set": one.id,
        "name": one.name,
        "task": one.task,
        "seed": one.seed,
        "draws": one.draws,
        "items": items,
        "rule": dict(one.rule),
        "left_out": dict(one.left_out),
        "sha256": one.sha256,
        "at": one.at,
    }


def left_out_lines(one: ItemSet) -> list[str]:
    """Return a line for each reason why something did not become an item, the most frequent first."""
    ordered = sorted(one.left_out.items(), key=lambda pair: (-pair[1], pair[0]))
    return [f"  left out: {number:,}, {reason}" for reason, number in ordered]


def _lines(one: ItemSet, items: int) -> list[str]:
    head = f"{one.name}: {counted(items, 'item')} in {counted(one.draws, 'draw')}, {one.sha256[:12]}"
    return [head, *left_out_lines(one)]


def _weights(shares: tuple[str, ...]) -> dict[str, float]:
    found: dict[str, float] = {}
    for one in shares:
        label, _, weight = one.rpartition("=")
        try:
            found[label] = float(weight)
        except ValueError:
            label = ""
        if not label or not 0 <= found[label] < float("inf"):
            raise UserError(f"“{one}” is no share.", f"Write {_SHARE}, such as error=0.5.")
    return found
