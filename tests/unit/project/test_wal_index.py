"""A write-ahead log that was damaged after a kill: what was saved is there, or the damage is said."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.recovery.recovery import recover
from project.store.opening import sibling_path
from project.store.study import Study
from project.store.wal_index import WalIndex, is_log_shortened
from tests.contract.documentation import ROOT

_EDITOR = """
import os, sys
from pathlib import Path
from project.store.study import Study
study = Study.open(Path(sys.argv[1]))
for number in range(6):
    with study.step("Edit"):
        study.set_property("word", number)
os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def killed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study whose last six edits are in its log."""
    path = tmp_path_factory.mktemp("killed") / "a.greenroom"
    Study.create(path).close()
    subprocess.run([sys.executable, "-c", _EDITOR, str(path)], cwd=ROOT)
    return path.parent


@pytest.fixture
def killed(killed_once: Path, tmp_path: Path) -> Path:
    """A copy of that study."""
    return Path(shutil.copytree(killed_once, tmp_path / "killed"), "a.greenroom")


def _flip(log: Path, place: int) -> None:
    content = bytearray(log.read_bytes())
    content[place] ^= 1
    log.write_bytes(content)


HARM: dict[str, Callable[[Path], None]] = {
    "a bit of the number of its generation": lambda log: _flip(log, 19),
    "cut off between two pages": lambda log: os.truncate(log, log.stat().st_size - 4096 - 24),
    "taken away": Path.unlink,
}


@pytest.mark.parametrize("harm", HARM)
def test_damage_to_the_log_is_said_and_the_study_is_read_only(killed: Path, harm: str) -> None:
    HARM[harm](sibling_path(killed, "-wal"))
    before = {path.name: path.read_bytes() for path in killed.parent.iterdir()}
    assert any("write-ahead log" in line and "damaged" in line for line in check_study(killed))
    with Study.open(killed) as study:
        assert study.defect is not None
        assert study.get_property("word") in (None, *range(5))
        with pytest.raises(UserError, match="read-only") as refused, study.step("Edit"):
            study.set_property("word", 7)
        assert "recover" in refused.value.hint
    before.pop(f"{killed.name}.lock", None)
    assert {path.name: path.read_bytes() for path in killed.parent.iterdir()} == before
    saved = recover(killed, killed.with_name("saved"))
    assert saved.log_damaged
    assert check_study(saved.path) == []


def test_an_intact_log_is_taken_up_also_without_its_index(killed: Path) -> None:
    assert check_study(killed) == []
    _flip(sibling_path(killed, "-shm"), 17)
    with Study.open(killed) as study:
        assert (study.defect, study.get_property("word")) == (None, 5)


def test_an_index_of_an_older_log_makes_no_damage() -> None:
    older = WalIndex(frames=9, generation=4, nonce=b"aaaa", moved=3)
    for found in (WalIndex(2, 5, b"bbbb", 0), WalIndex(0, 5, b"bbbb", 0), WalIndex(9, 4, b"aaaa", 0)):
        assert not is_log_shortened(older, found)
    moved = WalIndex(frames=9, generation=4, nonce=b"aaaa", moved=9)
    assert not is_log_shortened(moved, None)
    for found in (WalIndex(8, 4, b"aaaa", 0), WalIndex(0, 4, b"aaaa", 0), WalIndex(9, 3, b"bbbb", 0), None):
        assert is_log_shortened(older, found)
