"""`kill -9`, then one flipped bit in a sealed study or its log: every committed edit is there, or the damage is said.

Either way no file is touched that was not understood, and what is intact can be recovered.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from project.encryption import container as keys
from project.encryption import passphrases
from project.encryption.commit_log import log_path
from project.errors import UserError
from project.files.temporary_files import SEALED_FOLDER_VARIABLE
from project.integrity.integrity_check import check_study
from project.recovery.recovery import recover
from project.store.encryption_change import seal_study
from project.store.study import Study
from tests.builders.cheap_key import cheap
from tests.contract.documentation import ROOT
from tests.faults.lives import SEED

PASSPHRASE = "four words that nobody guesses"
EDITS, EVERYDAY, FLIPS = 20, 2, 200
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
def killed(tmp_path_factory: pytest.TempPathFactory, passphrase: Path) -> tuple[bytes, bytes]:
    """What a killed process left: the sealed file, and its log."""
    path = tmp_path_factory.mktemp("killed") / "s.greenroom"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "_new_kdf_parameters", cheap)
        patch.setenv(passphrases.PASSPHRASE_FILE_VARIABLE, str(passphrase))
        patch.setenv(SEALED_FOLDER_VARIABLE, str(path.parent))
        Study.create(path).close()
        seal_study(path, PASSPHRASE)
        command = [sys.executable, "-c", _EDITOR, str(path), str(EDITS)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    assert done.stdout.split() == [str(number) for number in range(EDITS)]
    return path.read_bytes(), log_path(path).read_bytes()


@pytest.fixture
def folder(tmp_path: Path, passphrase: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "memory").mkdir()
    (tmp_path / "disk").mkdir()
    monkeypatch.setenv(SEALED_FOLDER_VARIABLE, str(tmp_path / "memory"))
    monkeypatch.setenv(passphrases.PASSPHRASE_FILE_VARIABLE, str(passphrase))
    monkeypatch.setattr(keys, "_new_kdf_parameters", cheap)
    passphrases._keys.clear()
    yield tmp_path / "disk"
    passphrases._keys.clear()


def _edits_in(study: Study) -> int:
    return sum(study.get_property(f"edit {number}") == "x" * 3_000 * (number % 3) for number in range(EDITS))


def _flip(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.parametrize("number", PLACES)
def test_one_flipped_bit_loses_no_edit_in_silence(killed: tuple[bytes, bytes], folder: Path, number: int) -> None:
    study, log = killed
    chance, in_log = Random(f"{SEED} {number}"), number % 2 == 0
    bit = chance.randrange(8 * len(log.rstrip(b"\0") if in_log else study))
    study, log = (study, _flip(log, bit)) if in_log else (_flip(study, bit), log)
    path = folder / "s.greenroom"
    path.write_bytes(study)
    log_path(path).write_bytes(log)
    print(f"bit {bit} of the {'log' if in_log else 'study'}; GREENROOM_FAULT_SEED={SEED}")

    problems = check_study(path)
    assert (path.read_bytes(), log_path(path).read_bytes()) == (study, log)
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
    assert (path.read_bytes(), log_path(path).read_bytes()) == (study, log), "it was not kept"
    saved = recover(path, folder / "saved").path
    assert check_study(saved) == []
    with Study.open(saved) as recovered:
        assert _edits_in(recovered) >= left
