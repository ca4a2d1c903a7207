"""Installs Greenroom in the menu of a Linux desktop, with icon and file type, and shows messages without a window."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from platformdirs import user_data_path

from project.errors import UserError
from project.files.atomic_files import explain_os_errors, write_atomically
from resources import resource

_TIMEOUT_S = 30
_ENTRY = Path("applications/greenroom.desktop")
_MIME_TYPE = Path("mime/packages/greenroom.xml")
_ICON = Path("icons/hicolor/scalable/apps/greenroom.svg")


def install() -> list[Path]:
    """Install the desktop entry, file type and icon, replacing earlier ones, and return the files."""
    _require_linux()
    program = _find_program()
    texts = {
        _ENTRY: resource("desktop", "greenroom.desktop")
        .read_text("utf-8")
        .format(program=_quote_argument(program), try_program=_escape_backslashes(str(program))),
        _MIME_TYPE: resource("desktop", "greenroom.xml").read_text("utf-8"),
        _ICON: resource("icons", "greenroom.svg").read_text("utf-8"),
    }
    home = _data_home()
    with explain_os_errors("The desktop's files cannot be written", f"Give yourself the right to write in {home}."):
        for where, text in texts.items():
            _write_file(home / where, text)
    _refresh_desktop(home)
    return [home / where for where in texts]


def remove() -> list[Path]:
    """Remove the program from the desktop's menu and return the deleted files."""
    _require_linux()
    home = _data_home()
    there = installed_files()
    with explain_os_errors("The desktop's files cannot be deleted", f"Give yourself the right to write in {home}."):
        for path in there:
            path.unlink()
    if there:
        _refresh_desktop(home)
    return there


def installed_files() -> list[Path]:
    """Return the installed files."""
    return [place for where in (_ENTRY, _MIME_TYPE, _ICON) if (place := _data_home() / where).is_file()]


def _data_home() -> Path:
    return user_data_path("greenroom", appauthor=False).parent


def _require_linux() -> None:
    if sys.platform != "linux":
        raise UserError("Desktop entries are only supported on Linux.", "Start the program with: greenroom")


def _find_program() -> Path:
    """Return the command that starts the program: the one beside this Python, which survives upgrades."""
    beside = Path(sys.executable).parent / "greenroom"
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("greenroom")
    if found is None:
        raise UserError("The desktop has no command greenroom to start.", "Install it with pipx or pip.")
    return Path(found).absolute()


def _quote_argument(program: Path) -> str:
    r"""Return an argument of `Exec=`: quoted, then escaped like every string of the file, with `%` doubled."""
    inside = re.sub(r'([\\"`$])', r"\\\1", str(program)).replace("%", "%%")
    return _escape_backslashes(f'"{inside}"')


def _escape_backslashes(text: str) -> str:
    return text.replace("\\", "\\\\")


def _write_file(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(place, private=False) as file:
        file.write(text.encode())


def _refresh_desktop(home: Path) -> None:
    """Refresh the desktop's databases; without these programs, that happens at the next login."""
    for command in (
        ["update-desktop-database", str(home / "applications")],
        ["update-mime-database", str(home / "mime")],
        ["gtk-update-icon-cache", "--quiet", "--ignore-theme-index", "--force", str(home / "icons/hicolor")],
    ):
        if shutil.which(command[0]):
            subprocess.run(command, capture_output=True, timeout=_TIMEOUT_S, check=False)


_MESSAGE_PROGRAMS = (
    ("zenity", "--error", "--no-markup", "--title", "Greenroom", "--text"),
    ("kdialog", "--title", "Greenroom", "--error"),
    ("xmessage", "-center"),
    ("notify-send", "Greenroom"),
)


def show_message(text: str) -> bool:
    """Show a text with the first desktop program that works, and return whether one did."""
    return any(_runs_successfully([*command, text]) for command in _MESSAGE_PROGRAMS if shutil.which(command[0]))


def _runs_successfully(command: list[str]) -> bool:
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
