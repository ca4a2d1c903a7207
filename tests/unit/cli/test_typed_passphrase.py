"""A passphrase typed at the prompt of a real terminal, as keyboards of different systems give it."""

import os
import pty
import select
import sys
import time
import unicodedata
from pathlib import Path
from typing import Literal

import pytest

from project.encryption.encryption_key import is_encrypted
from project.store.study import Study

_PROGRAM = Path(__file__).parents[3] / "greenroom.py"
_HANGS_S = 120.0
_Form = Literal["NFC", "NFD"]
TYPED = "Größe für Ünders é"


def typed(folder: Path, lines: list[str], *arguments: str) -> tuple[int, str]:
    """Run a command on its own terminal, type a line at each prompt; returns its exit code and what it showed."""
    homes = {f"XDG_{name}_HOME": str(folder / name) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
    environment = {**os.environ, **homes, "GREENROOM_PASSPHRASE_FILE": "", "PYTHONUTF8": "1"}
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(sys.executable, [sys.executable, str(_PROGRAM), *arguments], environment)
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


@pytest.mark.parametrize(("encrypted", "opened"), [("NFD", "NFC"), pytest.param("NFC", "NFD", marks=pytest.mark.soak)])
def test_a_study_opens_with_what_another_keyboard_types(tmp_path: Path, encrypted: _Form, opened: _Form) -> None:
    path = tmp_path / "study.greenroom"
    Study.create(path, "A study").close()
    first, other = unicodedata.normalize(encrypted, TYPED), unicodedata.normalize(opened, TYPED)
    assert first != other
    code, shown = typed(tmp_path, [first, first], "encrypt", str(path))
    assert (code, is_encrypted(path)) == (0, True), shown
    assert "Größe" not in unicodedata.normalize("NFC", shown)
    code, shown = typed(tmp_path, ["no such passphrase", other], "info", str(path))
    assert code == 0, shown
    assert shown.count("is not the passphrase") == 1
