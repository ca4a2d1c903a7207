"""The catalogue as a person looks at it."""

from pathlib import Path

import pytest

from models.weights import weights_catalogue as catalogue
from models.weights.fetching import HUB_VARIABLE, MIRROR_VARIABLE
from models.weights.installed_weights import describe_damage
from models.weights.model_list import download_access, list_models
from models.weights.weights_catalogue import USES, WEIGHTS
from project.errors import UserError
from tests.builders.wheels import PACKED, PLAIN, joined, toy


@pytest.fixture(autouse=True)
def known(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    monkeypatch.setitem(catalogue.WEIGHTS, "toy", toy())


def test_every_entry_is_there_once_and_those_of_one_use_stand_together() -> None:
    listed = list_models()
    assert sorted(each.name for each in listed) == sorted(weights.name for weights in WEIGHTS.values())
    uses = [each.use for each in listed]
    assert [use for place, use in enumerate(uses) if use not in uses[:place]] == [*USES]
    assert uses == sorted(uses, key=[*USES].index)


def test_what_is_there_what_has_arrived_and_what_is_not(folder: Path) -> None:
    def shown() -> tuple[bool, int, int]:
        found = next(each for each in list_models() if each.name == "toy")
        return found.installed, found.on_disk, found.arrived

    assert shown() == (False, 0, 0)
    (folder / "toy.task.part").mkdir()
    (folder / "toy.task.part" / "packed.bin.part").write_bytes(bytes(1000))
    assert shown() == (False, 0, 1000)
    whole = joined(PACKED, PLAIN)
    (folder / "toy.task").write_bytes(whole)
    assert shown() == (True, len(whole), 0)


def test_damage_is_said_with_the_file_and_its_hash(folder: Path) -> None:
    with pytest.raises(UserError, match="not installed"):
        describe_damage("toy")
    (folder / "toy.task").write_bytes(joined(PACKED, PLAIN))
    assert describe_damage("toy") == ""
    (folder / "toy.task").write_bytes(b"else")
    assert "toy.task is wrong (sha256 " in describe_damage("toy")


def test_whom_a_fetch_would_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://ada:secret@index.invalid/simple")
    assert download_access().hosts == ("index.invalid", "huggingface.co")
    assert not download_access().mirrored
    monkeypatch.setenv(HUB_VARIABLE, "https://hub.invalid/")
    assert (download_access().hosts, download_access().mirrored) == (("index.invalid", "hub.invalid"), True)
    monkeypatch.setenv(MIRROR_VARIABLE, "https://lab.invalid/weights")
    assert (download_access().hosts, download_access().offline) == (("lab.invalid",), "")
    monkeypatch.setenv("GREENROOM_OFFLINE", "1")
    assert download_access().offline == "GREENROOM_OFFLINE"
