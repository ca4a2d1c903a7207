"""Kills one life in a test, and writes down how it ended where `GREENROOM_FAULT_LOG` names a file."""

import json
import os
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from tests.faults.kills.life import Death, Lives

pytest.register_assert_rewrite("tests.faults.kills.looking")

DEATH = pytest.StashKey[Death]()
KillOne = Callable[..., Death]


@pytest.fixture
def kill_one(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KillOne:
    """See `Lives.cut_short`; temporary files of the life, and of what looks after it, go to a folder of their own."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    def kill(lives: Lives, number: int, module: str, *arguments: object) -> Death:
        death = lives.cut_short(number, tmp_path, module, *arguments)
        request.node.stash[DEATH] = death
        return death

    return kill


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add a line for a run that was made."""
    report = yield
    log, death = os.environ.get("GREENROOM_FAULT_LOG"), item.stash.get(DEATH, None)
    if log and death is not None and call.when == "call":
        line = {
            "kind": death.kind,
            "seed": death.seed,
            "at_s": round(death.at_s, 4),
            "life_s": round(death.life_s, 4),
            "cold": death.cold,
            "killed": death.killed,
            "fault": "" if report.passed else repr(call.excinfo.value) if call.excinfo else "failed",
        }
        with Path(log).open("a") as file:
            file.write(json.dumps(line) + "\n")
    return report
