"""Installs an optional part into the environment of the program: by uv where it is there, else by pip.

Both are programs of their own and connect by themselves: the authority is asked about the package index before.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from models.connection.guard import Authority
from models.connection.machine_policy import MachineAuthority
from models.weights.fetching import download_request, index_address, offline_variable
from project.errors import UserError
from project.files.atomic_files import explain_os_errors
from project.progress import Progress
from project.session.optional_parts import OptionalPart
from project.version import __version__
from resources import resource

_POLL_S = 0.1
_CLOSING_S = 5
_MAX_TEXT_CHARS = 80


def install_part(part: OptionalPart, progress: Progress, authority: Authority | None = None) -> Path:
    """Install the packages of a part, in the versions that this release was tested with; returns their folder.

    The authority decides whether the package index may be asked; the machine's own where there is none. Progress is in
    lines that the installer printed.
    """
    require_installable(part)
    (authority or MachineAuthority()).permit(download_request(index_address()))
    command = install_command(part)
    with (
        explain_os_errors(f"{command[0]} cannot be started", _by_hand_hint(part)),
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=_installer_environment(),
        ) as process,
    ):
        lines = _watch(process, progress)
    if process.returncode != 0:
        problem = f"The optional part “{part.name}” was not installed: {_first_error(lines)}"
        raise UserError(problem, _by_hand_hint(part))
    return packages_folder()


def require_installable(part: OptionalPart) -> None:
    """Return quietly where packages can be installed."""
    if variable := offline_variable():
        raise UserError(f"Nothing is downloaded while {variable} is set.", f"Unset it. {_by_hand_hint(part)}")
    if not os.access(packages_folder(), os.W_OK):
        raise UserError("This Python environment cannot be written.", _by_hand_hint(part))


def packages_folder() -> Path:
    """Return the folder of the packages of the program's environment."""
    return Path(sysconfig.get_path("purelib"))


def install_command(part: OptionalPart) -> list[str]:
    """Return the command that installs a part; it can be run by hand too."""
    pins = ["--constraint", str(resource("constraints", f"{__version__}.txt")), *part.packages]
    uv = [sys.executable, "-m", "uv"] if find_spec("uv") else [found] if (found := shutil.which("uv")) else []
    if uv:
        return [*uv, "pip", "install", "--python", sys.executable, *pins]
    return [sys.executable, "-m", "pip", "install", "--no-input", "--disable-pip-version-check", *pins]


def _installer_environment() -> dict[str, str]:
    """Return the environment in which uv asks the index, and trusts the certificates, that pip is set up with."""
    chosen = {"UV_DEFAULT_INDEX": index_address()}
    if certificates := os.environ.get("PIP_CERT"):
        chosen["SSL_CERT_FILE"] = certificates
    return {**os.environ, **chosen}


def _watch(process: subprocess.Popen[str], progress: Progress) -> list[str]:
    """Wait for an installer and return the lines that it printed; it ends with the job."""
    lines: list[str] = []

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.strip())

    reader = threading.Thread(target=read, name="installer-output", daemon=True)
    reader.start()
    try:
        while process.poll() is None:
            progress.check_cancelled()
            progress.progress(len(lines), 0, lines[-1][:_MAX_TEXT_CHARS] if lines else "")
            with suppress(subprocess.TimeoutExpired):
                process.wait(_POLL_S)
    finally:
        if process.poll() is None:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_CLOSING_S)
            process.kill()
    reader.join()
    return [line for line in lines if line]


def _first_error(lines: list[str]) -> str:
    """Return the line in which an installer says what is wrong."""
    errors = [line for line in lines if line.lower().startswith("error")]
    return (errors or lines[-1:] or ["it said nothing."])[0]


def _by_hand_hint(part: OptionalPart) -> str:
    return f"By hand: {shlex.join(install_command(part))}"
