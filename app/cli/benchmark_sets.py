"""The tasks of the benchmark and the item sets of a study on the command line."""

from pathlib import Path

import click

from app.cli.benchmark_make import as_object, left_out_lines
from app.cli.output import json_option, tell
from app.cli.study import STUDY
from project.counted import counted
from project.errors import UserError
from project.names import shown
from project.types import Json


@click.command()
@json_option
def tasks(as_json: bool) -> None:
    """List the tasks of the benchmark, with paper, draws and size.

    \b
    Example:
      greenroom benchmark tasks
      greenroom benchmark tasks --json
    """
    from benchmark.suite.registry import SUITE, entry_of

    lines, told = [], list[Json]()
    for key in SUITE:
        one = entry_of(key)
        size = f"about {one.size}" if one.size else "all there is"
        lines.append(f"{key:14} {one.description} {one.paper}, {one.section}; {counted(one.draws, 'draw')} of {size}.")
        told.append(
            {
                "task": key,
                "name": one.name,
                "description": one.description,
                "paper": one.paper,
                "section": one.section,
                "draws": one.draws,
                "size": one.size,
                "answer": one.answer,
                "metrics": [each.key for each in one.metrics],
            }
        )
    tell(as_json, {"tasks": told}, "\n".join(lines))


@click.command()
@STUDY
@click.argument("name", required=False)
@json_option
def sets(study: Path, name: str | None, as_json: bool) -> None:
    """List the item sets of a study, and whether it has changed since they were made.

    With a name, that set alone, with its rule, its items by draw, and what was left out.

    \b
    Example:
      greenroom benchmark sets my-study.greenroom
      greenroom benchmark sets my-study.greenroom verdict --json
    """
    from app.core.benchmark.sets.standing import changed_since
    from app.core.session import Session
    from project.queries.item_sets import all_sets, items_of, set_called

    lines, told = [], list[Json]()
    with Session.open(study, read_only=True) as session:
        chosen = all_sets(session.study) if name is None else [set_called(session.study, name)]
        for one in chosen:
            if one is None:
                raise UserError(
                    f"There is no item set “{shown(name)}”.", "See which are: greenroom benchmark sets STUDY"
                )
            items = items_of(session.study, one.id)
            changed = changed_since(session, one)
            since = f"; {changed.count:,} changed since" if changed.count else ""
            lines.append(
                f"{one.name}: {one.task}, {counted(len(items), 'item')} in {counted(one.draws, 'draw')}, "
                f"seed {one.seed}, {one.sha256[:12]}{since}"
            )
            found: dict[str, Json] = {**as_object(one, len(items)), "changed": [*changed.items]}
            if name is not None:
                lines += [f"  {key}: {_told(value)}" for key, value in one.rule.items() if value not in ("", [], {})]
                lines += left_out_lines(one)
                found["each_draw"] = [sum(item.draw == draw for item in items) for draw in range(one.draws)]
            told.append(found)
    nothing = "No item set yet. Make one: greenroom benchmark make STUDY --task verdict"
    tell(as_json, {"study": str(study), "sets": told}, "\n".join(lines) or nothing)


def _told(value: Json) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(map(str, value))
        case dict():
            return ", ".join(f"{key} {one}" for key, one in value.items())
        case _:
            return str(value)
