"""The command line as a user meets it, run in this process."""

import json
from typing import Any

import pytest

from app.cli.main import run


class Terminal:
    """Runs commands and keeps what they printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object, code: int = 0) -> str:
        self._capsys.readouterr()
        ended = run([str(argument) for argument in arguments])
        printed = self._capsys.readouterr()
        assert ended == code, f"{arguments}: {printed.err}"
        if code == 2 and "check" not in arguments:
            assert printed.err.startswith("greenroom: ")
            assert printed.err.count("\n") == 1, printed.err
        assert "Traceback" not in printed.err + printed.out
        return printed.out if code == 0 else printed.err + printed.out

    def json(self, *arguments: object) -> dict[str, Any]:
        found = json.loads(self(*arguments, "--json"))
        assert isinstance(found, dict)
        return found
