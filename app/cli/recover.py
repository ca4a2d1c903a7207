"""Saving what can be read of a damaged study."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.recovery import report_lines
from project.counted import counted
from project.errors import UserError
from project.names import shown
from project.recovering.report import Recovered
from project.sizes import size_text
from project.types import Json


@click.command()
@STUDY
@click.option("--out", type=click.Path(path_type=Path), help="The new study; an existing file is never overwritten.")
@click.option("--backup", type=click.IntRange(min=1), help="Take this backup, by its number, instead of what is left.")
@json_option
def recover(study: Path, out: Path | None, backup: int | None, as_json: bool) -> None:
    """Save what is left of a damaged study into a new one.

    Or copy a backup of it: a study has up to five beside it.

    Without --out, the backups are listed. The damaged file is only read, and the footage stays where it is: put the new
    study into the folder of the old one, so that its recordings are found.

    \b
    Example:
      greenroom recover my-study.greenroom
      greenroom recover my-study.greenroom --out saved.greenroom
      greenroom recover my-study.greenroom --backup 2 --out saved.greenroom
    """
    from project.recovering.recover import copy_backup
    from project.recovering.recover import recover as save

    if out is None:
        if backup is not None:
            raise UserError("Say where the copy goes.", "Add --out NEW.greenroom.")
        _list(study, as_json)
        return
    if backup is not None:
        place = copy_backup(study, backup, out)
        tell(as_json, {"study": str(place), "backup": backup}, f"Copied backup {backup} to {place}")
        return
    found = save(study, out)
    tell(as_json, _object(found), "\n".join(report_lines(found)))


def _list(study: Path, as_json: bool) -> None:
    from project.backups import list_backups

    found = list_backups(study)
    if not found and not study.exists():
        raise UserError(f"There is neither a study “{shown(study)}” nor a backup of it.", "See where it lies.")
    lines = [
        f"{one.number}  {one.made.astimezone():%Y-%m-%d %H:%M}  {size_text(one.size):>9}  {one.path}" for one in found
    ]
    total = sum(one.size for one in found)
    head = f"{counted(len(found), 'backup')}, {size_text(total)}, the newest first:" if found else "There is no backup."
    hint = "Add --out NEW.greenroom to save what can be read" + (
        ", or --backup N to take one of these." if found else "."
    )
    tell(
        as_json,
        {
            "backups": [
                {"number": one.number, "path": str(one.path), "made": one.made.isoformat(), "bytes": one.size}
                for one in found
            ]
        },
        "\n".join([head, *lines, hint]),
    )


def _object(found: Recovered) -> dict[str, Json]:
    return {
        "study": str(found.path),
        "history_whole": found.whole_history,
        "foreign": list(found.foreign),
        "unlike_history": found.unlike_history,
        "log_damage": found.log_damage,
        "backup": str(found.backup[0]) if found.backup else None,
        "problems": [*found.problems],
        "tables": {
            one.name: {
                "saved": one.saved,
                "from_history": one.from_history,
                "loose": one.loose,
                "from_backup": one.from_backup,
                "made_up": one.made_up,
                "pages_lost": one.bad_pages,
                "rows_unreadable": one.bad_rows,
                "left_out": one.left_out,
                "only_in_backup": one.only_in_backup,
            }
            for one in found.tables
        },
    }
