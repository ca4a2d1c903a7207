"""Keys that are derived at once, and a process that remembers none of another test."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from project.encryption import passphrases
from project.files.temporary_files import CACHE_FOLDER_VARIABLE, PRIVATE_FOLDER_VARIABLE
from project.store.study import Study
from tests.builders.cheap_key import make_keys_cheap
from tests.builders.encrypted_study import SECRET


@pytest.fixture(autouse=True)
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of one's own in place of the one in memory, with cheap keys and none that is known."""
    memory = tmp_path / "memory"
    memory.mkdir()
    make_keys_cheap(monkeypatch)
    monkeypatch.setenv(PRIVATE_FOLDER_VARIABLE, str(memory))
    monkeypatch.delenv(CACHE_FOLDER_VARIABLE, raising=False)
    monkeypatch.delenv(passphrases.PASSPHRASE_FILE_VARIABLE, raising=False)
    passphrases._keys.clear()
    passphrases.set_asker(None)
    yield memory
    passphrases._keys.clear()
    passphrases.set_asker(None)
    assert CACHE_FOLDER_VARIABLE not in os.environ, "a study was left open"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A study in the clear, in a folder of its own."""
    (tmp_path / "disk").mkdir()
    with Study.create(tmp_path / "disk" / "a.greenroom") as study, study.step("First"):
        study.set_property("secret", SECRET)
    return tmp_path / "disk" / "a.greenroom"
