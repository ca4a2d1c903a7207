"""`kill -9` at any change that a withdrawal makes to the disk: it is undone or can be finished, and nothing is left.

The study used everything, has backups, caches, notes and a log, and is in the clear or encrypted.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from models.connection.machine_policy import journal_file
from project.encryption import passphrases
from project.files.temporary_files import PRIVATE_FOLDER_VARIABLE, cache_folder
from project.integrity.integrity_check import check_study
from project.session.job_notes import notes_folder
from project.session.settings import Settings, log_path, save_settings, view_path
from project.store.backups import backup_paths
from project.store.encryption_change import encrypt_study
from project.store.study import Study
from tests.builders.cheap_key import make_keys_cheap
from tests.builders.full_study import NAME, SPOKEN, Full, fill, forms
from tests.builders.waiting import HANG_S
from tests.contract.documentation import ROOT
from tests.faults.disk import Disk, shim
from tests.faults.lives import SEED
from tests.faults.program import Program, _server

PASSPHRASE = "four words that nobody guesses"
OPTIONS = ("P01", "--yes", "--keep-rest", "--delete-beside", "--delete-footage", "--json")
SOAKED, SOAK = 60, [pytest.mark.soak, pytest.mark.timeout(3600)]
"""Moments, of all kinds alike, that `make soak` looks at."""


@dataclass(frozen=True)
class Machine:
    """A study and what this machine keeps beside it."""

    folder: Path
    full: Full

    @property
    def study(self) -> Path:
        return self.folder / "lab" / "study.greenroom"

    def holding(self) -> list[str]:
        """Return the files anywhere on the machine that hold something of theirs."""
        wanted = forms([*self.full.theirs, NAME, SPOKEN])
        return [
            f"{file.relative_to(self.folder)}: {form!r}"
            for file in sorted(self.folder.rglob("*"))
            if file.is_file()
            for form in wanted
            if form in file.read_bytes()
        ]

    def hidden(self) -> list[str]:
        """Return the files beside the study that no person looks at."""
        return [str(path) for path in sorted((self.folder / "lab").rglob(".*"))]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], Machine]:
    """A machine of its own in a folder: home, temporary files, memory."""
    # Its folder of temporary files must be none that a test makes anew.
    _server()
    place = tmp_path / "machine"
    for name in ("config", "cache", "data", "state"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(place / name))
    for name in ("temporary", "memory", "lab"):
        (place / name).mkdir(parents=True)
    monkeypatch.setenv("TMPDIR", str(place / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", str(place / "temporary"))
    monkeypatch.setenv(PRIVATE_FOLDER_VARIABLE, str(place / "memory"))
    make_keys_cheap(monkeypatch)
    passphrases._keys.clear()

    def make(encrypted: bool) -> Machine:
        with Study.create(place / "lab" / "study.greenroom") as study:
            path, full, view = study.path, fill(study), view_path(study.id)
        for number in (1, 2):
            shutil.copyfile(path, path.with_name(f"{path.name}.bak-{number}"))
        if encrypted:
            (place / "passphrase").write_text(PASSPHRASE)
            monkeypatch.setenv(passphrases.PASSPHRASE_FILE_VARIABLE, str(place / "passphrase"))
            encrypt_study(path, PASSPHRASE)
        for file, text in (
            (cache_folder() / "previews" / "a.npz", NAME),
            (cache_folder() / "transcripts" / "tmp1.jsonl", SPOKEN),
            (view, json.dumps({"search": NAME})),
            (notes_folder(path) / "note.json", json.dumps({"title": NAME})),
            (journal_file(), json.dumps({"permission": NAME}) + '\n{"permission": "Bo"}\n'),
            (path.parent / "export.csv", NAME),
        ):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        log_path().write_text(f"an error about {NAME}\nanother error\n")
        save_settings(Settings(recent=(str(path), f"/old/{NAME}.greenroom")))
        return Machine(place, full)

    return make


def withdraw(machine: Machine, fault: str = "") -> tuple[int | None, int]:
    """Run a withdrawal that meets a fault of the disk; return how it ended, and how many changes it made."""
    disk = Disk(machine.folder, machine.folder.with_name("count"))
    handed_on = (PRIVATE_FOLDER_VARIABLE, passphrases.PASSPHRASE_FILE_VARIABLE)
    program = Program(
        "tests.faults.victims.encrypting",
        ("participant", "withdraw", machine.study, *OPTIONS),
        machine.folder.with_name("printed"),
        environment={**{name: os.environ.get(name, "") for name in handed_on}, **disk.environment(fault)},
    )
    assert program.ended_within(HANG_S)
    return program.exit_code, disk.changes


def is_there(machine: Machine) -> bool:
    with Study.open(machine.study) as study:
        assert not study.read_only
        return study.row("SELECT 1 FROM participant WHERE pseudonym = 'P01'") is not None


def require_whole_or_done(machine: Machine) -> None:
    """After a kill: the study is sound, the same command ends the work, and nothing is left anywhere."""
    assert check_study(machine.study) == []
    assert all(check_study(backup_path) == [] for backup_path in backup_paths(machine.study))
    is_there(machine)
    assert withdraw(machine)[0] == 0
    assert not is_there(machine)
    assert machine.holding() == []
    assert machine.hidden() == []
    names = {path.name for path in machine.study.parent.glob("*withdrawal*")}
    assert names == {"study, withdrawal of P01.md", "study, withdrawal of P01.json"}
    fields = json.loads((machine.study.parent / "study, withdrawal of P01.json").read_text())
    assert [file["found"] for file in fields["searched"]] == [0, 0, 0]
    assert log_path().read_text() == "another error\n"
    assert journal_file().read_text() == '{"permission": "Bo"}\n'


@pytest.mark.skipif(shim() is None, reason="needs a C compiler for the library that stands between")
@pytest.mark.parametrize(
    ("moments", "encrypted"),
    [(1, False), *(pytest.param(SOAKED, encrypted, marks=SOAK) for encrypted in (False, True))],
)
def test_it_is_undone_or_can_be_finished(
    machine: Callable[[bool], Machine], moments: int, encrypted: bool, tmp_path: Path
) -> None:
    made, kept = machine(encrypted), tmp_path / "kept"
    shutil.copytree(made.folder, kept)
    ended, changes = withdraw(made)
    assert ended == 0
    assert changes > SOAKED
    assert made.holding() == made.hidden() == []
    for number in sorted(Random(SEED).sample(range(changes), moments)):
        shutil.rmtree(made.folder)
        shutil.copytree(kept, made.folder)
        passphrases._keys.clear()
        assert withdraw(made, f"kill:{number}")[0] == -signal.SIGKILL
        try:
            require_whole_or_done(made)
        except AssertionError as error:
            raise AssertionError(f"killed at change {number} of {changes}; GREENROOM_FAULT_SEED={SEED}") from error


_EDITOR = """
import os, sys
from pathlib import Path
from project.store.study import Study
from tests.builders.cheap_key import make_keys_cheap
make_keys_cheap()
study = Study.open(Path(sys.argv[1]))
with study.step("Comment " + sys.argv[2]):
    study.set_property("vocabulary", [sys.argv[2]])
def die(event, arguments):
    if event in ("os.rename", "os.remove"):
        os.kill(os.getpid(), 9)
if sys.argv[3] == "closing":
    sys.addaudithook(die)
    study.close()
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(
    ("moment", "encrypted"),
    [("closing", True), *(pytest.param("editing", encrypted, marks=pytest.mark.soak) for encrypted in (False, True))],
)
def test_what_a_killed_editor_left_goes_too(machine: Callable[[bool], Machine], moment: str, encrypted: bool) -> None:
    there = machine(encrypted)
    done = subprocess.run(
        [sys.executable, "-c", _EDITOR, str(there.study), NAME, moment], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    require_whole_or_done(there)
