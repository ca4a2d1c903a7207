"""Saying something to a user who started the program from a menu, when its own window cannot open."""

import shutil
import subprocess

_PROGRAMS = (
    ("zenity", "--error", "--no-markup", "--title", "Greenroom", "--text"),
    ("kdialog", "--title", "Greenroom", "--error"),
    ("xmessage", "-center"),
    ("notify-send", "Greenroom"),
)


def tell(text: str) -> bool:
    """Show a text by the first program of the desktop that is there and can, and return whether one did."""
    return any(_shown([*command, text]) for command in _PROGRAMS if shutil.which(command[0]))


def _shown(command: list[str]) -> bool:
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
