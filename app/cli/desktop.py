"""The command that puts the program into the desktop's menu."""

import click

from app.cli.output import json_option, tell


@click.command()
@click.option("--install", "change", flag_value="install", help="Put it there, or renew what is there.")
@click.option("--remove", "change", flag_value="remove", help="Take it away.")
@json_option
def desktop(change: str | None, as_json: bool) -> None:
    """Put Greenroom into the menu of your desktop.

    It has its icon there, and a double click on a study opens it, for this user alone. Without an option, this says
    whether Greenroom is there.

    \b
    Example:
      greenroom desktop --install
    """
    from app.core.machine.desktop import install, installed, remove

    if change == "install":
        files, said = install(), "Greenroom is in the menu now, and a double click on a study opens it."
    elif change == "remove":
        files, said = remove(), "Greenroom is gone from the menu."
    else:
        files = installed()
        said = (
            "Greenroom is in the menu. Take it away with: greenroom desktop --remove"
            if files
            else "Greenroom is not in the menu. Put it there with: greenroom desktop --install"
        )
    tell(as_json, {"installed": bool(installed()), "files": [str(file) for file in files]}, said)
