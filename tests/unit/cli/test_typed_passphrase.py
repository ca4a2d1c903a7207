"""A passphrase typed at the prompt of a real terminal, as keyboards of different systems give it."""

import os
import pty
import select
import sys
import time
import unicodedata
from pathlib import Path

import pytest

from anonymize.local_files.study_encryption import encrypt_study
from project.store.study import Study
from tests.builders.cheap_key import make_keys_cheap

_ROOT = Path(__file__).parents[3]
_PROGRAM = (
    "import sys; from tests.builders.cheap_key import make_keys_cheap; make_keys_cheap(); "
    "from app.cli.main import run; sys.exit(run(sys.argv[1:]))"
)
_HANGS_S = 120.0
TYPED = "Größe für Ünders é"


def typed(lines: list[str], *arguments: str) -> tuple[int, str]:
    """Run a command on its own terminal, type a line at each prompt; returns its exit code and what it showed."""
    environment = {**os.environ, "GREENROOM_PASSPHRASE_FILE": "", "PYTHONUTF8": "1", "PYTHONPATH": str(_ROOT)}
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(sys.executable, [sys.executable, "-c", _PROGRAM, *arguments], environment)
    shown, waiting, end = b"", [*lines], time.monotonic() + _HANGS_S
    answered = 0
    try:
        while time.monotonic() < end:
            if not select.select([terminal], [], [], 0.2)[0]:
                continue
            try:
                more = os.read(terminal, 4096)
            except OSError:
                break
            if not more:
                break
            shown += more
            if waiting and shown[answered:].rstrip(b" ").endswith(b":"):
                os.write(terminal, waiting.pop(0).encode() + b"\n")
                answered = len(shown)
    finally:
        os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode("utf-8", "replace")


def test_a_study_opens_with_what_another_keyboard_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "study.greenroom"
    Study.create(path, "A study").close()
    first, other = (unicodedata.normalize(form, TYPED) for form in ("NFD", "NFC"))
    assert first != other
    make_keys_cheap(monkeypatch)
    encrypt_study(path, lambda: first)
    code, shown = typed(["no such passphrase", other], "info", str(path))
    assert code == 0, shown
    assert "Größe" not in shown
    assert shown.count("is not the passphrase") == 1
