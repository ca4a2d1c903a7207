"""A Whisper that a lab brings itself: used by its name, and never taken for a damaged one of the catalogue."""

from pathlib import Path

import pytest

from models.speech.whisper_models import default_model, inspect_folder, list_whisper_models, resolve_model
from models.weights import installed_weights as weights
from models.weights import weights_catalogue as catalogue
from models.weights.adding import add_weights
from models.weights.weights_catalogue import Edition, EditionFile, Weights
from project.errors import UserError
from project.files.fingerprints import file_sha256
from tests.builders.tiny_whisper import write_tiny_whisper


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model as large as one of the catalogue, as a finetuned one is."""
    made = write_tiny_whisper(tmp_path / "mine")
    know(monkeypatch, made, "0" * 64)
    return made


def know(monkeypatch: pytest.MonkeyPatch, model: Path, sha256: str) -> None:
    """Put a model of a size into the catalogue, with a checksum."""
    file = model / "model.bin"
    edition = Edition("hub", "other", (EditionFile("model.bin", file.stat().st_size, sha256),), is_folder=True)
    entry = Weights("whisper-other", "tests", "MIT", (edition,), use="speech")
    monkeypatch.setitem(catalogue.WEIGHTS, "whisper-other", entry)


def test_it_is_listed_and_used_once_it_was_added(mine: Path) -> None:
    assert default_model() is None
    assert "whisper" not in [whisper_model.name for whisper_model in list_whisper_models()]
    add_weights("whisper", mine, "MIT, finetuned by us")
    assert default_model() == "whisper"
    name, folder = resolve_model("whisper")
    assert (name, folder) == ("whisper", weights.verified_path("whisper"))
    assert inspect_folder(folder).name == "whisper"


def test_one_that_was_not_added_and_is_as_large_as_a_known_one_is_taken_for_damaged(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match="that of whisper-other is another one") as raised:
        inspect_folder(mine)
    assert file_sha256(mine / "model.bin") in raised.value.message
    assert raised.value.hint.endswith("greenroom models add whisper FOLDER")
    know(monkeypatch, mine, file_sha256(mine / "model.bin"))
    assert inspect_folder(mine).name == "whisper-other"
    know(monkeypatch, mine, "0" * 64)
    add_weights("whisper", mine, "MIT")
    assert inspect_folder(mine).name == "whisper"


def test_a_change_to_it_is_found(mine: Path) -> None:
    add_weights("whisper", mine, "MIT")
    (weights.weights_location("whisper") / "model.bin").write_bytes(b"damaged")
    with pytest.raises(UserError, match="damaged"):
        resolve_model("whisper")
    assert weights.sha256s("whisper")["model.bin"] != ""
    assert weights.sha256s("whisper-tiny") == {}
