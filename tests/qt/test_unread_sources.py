"""PySide reads no source of a module that is imported once it was told to; by itself it reads each."""

import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import linecache, sys
sys.path.insert(0, sys.argv[1])
from app.gui.startup import leave_sources_unread
if sys.argv[2] == "told":
    leave_sources_unread()
import newcomer
print(newcomer.__file__ in linecache.cache)
"""


@pytest.mark.parametrize(("told", "read"), [("told", "False"), ("untold", "True")])
def test_pyside_is_kept_from_reading(tmp_path: Path, told: str, read: str) -> None:
    (tmp_path / "newcomer.py").write_text("import PySide6.QtCore\n")
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(tmp_path), told], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == read
