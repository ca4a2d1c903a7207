"""`kill -9`, then one flipped bit in a study or its log: every committed edit is there, or the damage is said.

Either way no file is touched that was not understood, and what is intact can be recovered.
"""

import subprocess
import sys
from pathlib import Path
from random import Random
from typing import TypeAlias

import pytest

from project.encryption import passphrases
from project.encryption.encryption_key import is_encrypted
from project.errors import UserError
from project.files.temporary_files import PRIVATE_FOLDER_VARIABLE
from project.integrity.integrity_check import check_study
from project.recovery.recovery import copy_backup, recover
from project.store.encryption_change import encrypt_study
from project.store.opening import sibling_path
from project.store.study import Study
from tests.contract.documentation import ROOT
from tests.faults.lives import SEED

PASSPHRASE = "four words that nobody guesses"
EDITS, EVERYDAY, FLIPS = 20, 2, 200
Files: TypeAlias = tuple[bytes, bytes, bytes]
PLACES = [pytest.param(n, id=str(n), marks=() if n < EVERYDAY else pytest.mark.soak) for n in range(EVERYDAY + FLIPS)]
_EDITOR = """
import os, sys
from pathlib import Path
from project.store.study import Study
study = Study.open(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    with study.step("Edit"):
        study.set_property(f"edit {number}", "x" * 3_000 * (number % 3))
    print(number, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def passphrase(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("passphrase") / "file"
    file.write_text(PASSPHRASE + "\n")
    return file


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory, passphrase: Path) -> tuple[Files, bytes]:
    """What a killed process left: the encrypted file, its log, and the index of that; and a backup from before."""
    path = tmp_path_factory.mktemp("killed") / "s.greenroom"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(passphrases.PASSPHRASE_FILE_VARIABLE, str(passphrase))
        patch.setenv(PRIVATE_FOLDER_VARIABLE, str(path.parent))
        Study.create(path).close()
        encrypt_study(path, PASSPHRASE)
        backup = path.read_bytes()
        command = [sys.executable, "-c", _EDITOR, str(path), str(EDITS)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    assert done.stdout.split() == [str(number) for number in range(EDITS)]
    return _read(path), backup


@pytest.fixture
def folder(tmp_path: Path, passphrase: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "disk").mkdir()
    monkeypatch.setenv(PRIVATE_FOLDER_VARIABLE, str(tmp_path / "memory"))
    monkeypatch.setenv(passphrases.PASSPHRASE_FILE_VARIABLE, str(passphrase))
    return tmp_path / "disk"


def _edits_in(study: Study) -> int:
    return sum(study.get_property(f"edit {number}") == "x" * 3_000 * (number % 3) for number in range(EDITS))


def _read(path: Path) -> Files:
    study, log, index = (sibling_path(path, ending).read_bytes() for ending in ("", "-wal", "-shm"))
    return study, log, index


def _recover(path: Path, out: Path) -> Path:
    """Save what is left; where the list of the tables was hit, no table is found, and a backup is taken."""
    try:
        return recover(path, out).path
    except UserError as refused:
        if "Nothing can be recovered" not in refused.message:
            raise
    return copy_backup(path, 1, out)


def _flip(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.parametrize("number", PLACES)
def test_one_flipped_bit_loses_no_edit_in_silence(killed: tuple[Files, bytes], folder: Path, number: int) -> None:
    (study, log, index), backup = killed
    chance, in_log = Random(f"{SEED} {number}"), number % 2 == 0
    bit = chance.randrange(8 * len(log if in_log else study))
    study, log = (study, _flip(log, bit)) if in_log else (_flip(study, bit), log)
    path = folder / "s.greenroom"
    path.write_bytes(study)
    sibling_path(path, "-wal").write_bytes(log)
    sibling_path(path, "-shm").write_bytes(index)
    sibling_path(path, ".bak-1").write_bytes(backup)
    print(f"bit {bit} of the {'log' if in_log else 'study'}; GREENROOM_FAULT_SEED={SEED}")

    problems = check_study(path)
    assert _read(path) == (study, log, index)
    try:
        with Study.open(path) as opened:
            left, defect = _edits_in(opened), opened.defect
            if defect is not None:
                with pytest.raises(UserError, match="damaged") as refused, opened.step("Edit"):
                    opened.set_property("more", 1)
                assert "recover" in refused.value.hint
    except UserError as error:
        left, defect = 0, error
    if defect is None:
        assert (left, problems) == (EDITS, [])
        with Study.open(path) as again:
            assert _edits_in(again) == EDITS
        return
    assert "damaged" in defect.message
    assert "passphrase" not in defect.message
    assert "recover" in f"{defect.hint} {problems}"
    assert problems
    assert _read(path) == (study, log, index), "it was not kept"
    saved = _recover(path, folder / "saved")
    assert check_study(saved) == []
    assert is_encrypted(saved)
    for file in (file for file in folder.parent.rglob("*") if file.is_file()):
        assert b"SQLite format 3" not in file.read_bytes(), f"{file.name} is in the clear"
    with Study.open(saved) as recovered:
        assert _edits_in(recovered) >= left
