"""`kill -9` while a study and its backup are sealed: each is plain or sealed, the backup first, and says the same."""

import shutil
from pathlib import Path

import pytest

from project.encryption import container as keys
from project.encryption.container import is_sealed
from project.encryption.passphrases import PASSPHRASE_FILE_VARIABLE
from project.integrity.integrity_check import check_study
from project.store.journal import SUBJECT_COLUMNS
from tests.builders.cheap_key import cheap
from tests.faults.killing import greenroom
from tests.faults.kills.conftest import KillOne
from tests.faults.kills.life import RUNS, Lives
from tests.faults.kills.looking import STUDY, alone, rows_of
from tests.faults.kills.marked import CLIP, marked_study

pytestmark = pytest.mark.e2e
VICTIM = "tests.faults.victims.sealing"
SEGMENTS, MAGIC = 200, b"SQLite format 3"


@pytest.fixture(scope="module")
def passphrase(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("passphrase") / "file"
    file.write_text("a long passphrase that nobody guesses\n")
    return file


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = marked_study(tmp_path_factory.mktemp("prepared"), SEGMENTS)
    shutil.copyfile(folder / STUDY, folder / f"{STUDY}.bak-1")
    return folder


@pytest.fixture(scope="module")
def lives(prepared: Path, passphrase: Path, tmp_path_factory: pytest.TempPathFactory) -> Lives:
    lives = Lives("sealing")
    whole = tmp_path_factory.mktemp("whole")
    lives.whole(prepared, whole, VICTIM, "seal", whole / STUDY, "--passphrase-file", passphrase)
    return lives


@pytest.mark.parametrize("number", RUNS)
def test_a_study_is_plain_or_sealed(
    prepared: Path,
    passphrase: Path,
    lives: Lives,
    tmp_path: Path,
    kill_one: KillOne,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
) -> None:
    folder, study = tmp_path / "work", tmp_path / "work" / STUDY
    shutil.copytree(prepared, folder)
    before = rows_of(study, SUBJECT_COLUMNS)
    death = kill_one(lives, number, VICTIM, "seal", study, "--passphrase-file", passphrase)
    assert death.killed or is_sealed(study)
    monkeypatch.setenv(PASSPHRASE_FILE_VARIABLE, str(passphrase))
    monkeypatch.setattr(keys, "_new_kdf_parameters", cheap)
    if not is_sealed(study):
        assert check_study(study) == []
        assert rows_of(study, SUBJECT_COLUMNS) == before
        greenroom("seal", study, "--passphrase-file", passphrase)
    assert greenroom("check", study)["ok"]
    for path in [file for file in folder.rglob("*") if file.is_file()]:
        assert MAGIC not in path.read_bytes(), f"{path.name} is in the clear"
    greenroom("unseal", study, "--passphrase-file", passphrase)
    assert check_study(study) == []
    assert rows_of(study, SUBJECT_COLUMNS) == before
    alone(folder, CLIP)
