"""What a shell completes, and that a key press does not wait for the import of a command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.main import COMPLETION_VARIABLE
from project.files.temporary_files import CACHE_FOLDER_VARIABLE
from tests.builders.command_chain import ROOT
from tests.builders.terminal import Terminal

_PROCESS = """
import atexit, json, sys
from app.cli.main import run
own = "main command command_help command_table console completion"
known = {"app.cli", *(f"app.cli.{name}" for name in own.split())}
def report():
    print(json.dumps([name for name in sys.modules if name.startswith("app.cli") and name not in known]))
atexit.register(report)
run([])
"""


def complete(line: str, folder: Path) -> tuple[list[str], list[str]]:
    """Return what a shell is told, and the commands that were imported for it."""
    words = line.split(" ")
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), COMPLETION_VARIABLE: "bash_complete"}
    done = subprocess.run(
        [sys.executable, "-c", _PROCESS],
        cwd=ROOT,
        env={**os.environ, **asked, CACHE_FOLDER_VARIABLE: str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    *told, imported = done.stdout.splitlines()
    return told, json.loads(imported)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("greenroom seg", ["plain,segment"]),
        ("greenroom recording me", ["plain,meta"]),
        ("greenroom my-st", ["file,my-st"]),
    ],
)
def test_names_are_completed_without_an_import_of_a_command(line: str, told: list[str], tmp_path: Path) -> None:
    assert complete(line, tmp_path) == (told, [])


def test_options_and_values_come_from_the_cache_once_a_command_was_imported_for_them(tmp_path: Path) -> None:
    told, imported = complete("greenroom team review decide study.greenroom --de", tmp_path)
    assert (told, "app.cli.annotate.team_review" in imported) == (["plain,--decision"], True)
    values = complete("greenroom team review decide study.greenroom --decision ", tmp_path)
    assert values == (["plain,agree", "plain,disagree"], [])
    (kept,) = (tmp_path / "completion").iterdir()
    kept.write_text("[]")
    assert complete("greenroom team review decide study.greenroom --de", tmp_path)[0] == told, "it is made again"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_the_shell_is_printed(shell: str, greenroom: Terminal) -> None:
    script = greenroom("setup", "completion", shell)
    assert f"{COMPLETION_VARIABLE}={shell}_complete" in script
