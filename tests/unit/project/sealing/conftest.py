"""Keys that take no quarter of a second to work out, and a process that remembers none of another test."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from project.encryption import container as keys
from project.encryption import passphrases
from project.files.temporary_files import CACHE_FOLDER_VARIABLE, SEALED_FOLDER_VARIABLE
from project.store.study import Study
from tests.builders.cheap_key import cheap
from tests.builders.encrypted_study import SECRET


@pytest.fixture(autouse=True)
def quick_and_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cheap key, an empty memory, and a folder of one's own in place of the one in memory; returns that folder."""
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(keys, "_new_kdf_parameters", cheap)
    monkeypatch.setenv(SEALED_FOLDER_VARIABLE, str(memory))
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
