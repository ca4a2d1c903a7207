"""The command that says whether the program finds what it needs on this machine."""

import click

from app.cli.output import json_option, progress_bar, tell
from app.core.machine.doctor import Report, examine


@click.command()
@json_option
def doctor(as_json: bool) -> int:
    """Say what works on this machine and what is missing.

    It can be pasted into a bug report: it holds no paths and no names.

    Exits with 2 when something has to be put right.

    \b
    Example:
      greenroom doctor
    """
    with progress_bar("Looking") as bar:
        found = examine(bar)
    tell(as_json, found.as_json(), _text(found))
    return 2 if found.problems else 0


def _text(found: Report) -> str:
    wide = max(len(name) for lines in found.sections.values() for name in lines)
    shown: list[str] = []
    for title, lines in found.sections.items():
        shown += [title, *(f"  {name.ljust(wide)}  {value}" for name, value in lines.items()), ""]
    if not found.problems:
        return "\n".join([*shown, "Everything that was looked at works."])
    shown.append("To put right")
    for at, one in enumerate(found.problems, 1):
        shown += [f"  {at}. {one.what}", f"     {one.todo}"]
    return "\n".join(shown)
