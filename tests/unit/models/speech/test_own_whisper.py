"""A Whisper that a lab brings itself: used by its name, and never taken for a damaged one of the catalogue."""

from pathlib import Path

import pytest

from models.speech.whisper_models import examine, place_of, usual, whisper_models
from models.weights import installed_weights as weights
from models.weights import weights_catalogue as catalogue
from models.weights.adding import add
from models.weights.editions import EditionFile, Hub, Weights, folder_of
from project.errors import UserError
from tests.fakes.tiny_whisper import write_tiny_whisper


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model as large as one of the catalogue, as a finetuned one is."""
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    made = write_tiny_whisper(tmp_path / "mine")
    part = EditionFile(
        "model.bin", Hub("lab/other", "model.bin", "0" * 40), (made / "model.bin").stat().st_size, "0" * 64
    )
    entry = Weights("whisper-other", "tests", "MIT", (folder_of("hub", "other", [part]),), use="speech")
    monkeypatch.setitem(catalogue.WEIGHTS, "whisper-other", entry)
    return made


def test_it_is_listed_and_used_once_it_was_added(mine: Path) -> None:
    assert usual() is None
    assert "whisper" not in [one.name for one in whisper_models()]
    add("whisper", mine, "MIT, finetuned by us")
    assert usual() == "whisper"
    name, folder = place_of("whisper")
    assert (name, folder) == ("whisper", weights.path("whisper"))
    assert examine(folder).name == "whisper"


def test_one_that_was_not_added_and_is_as_large_as_a_known_one_is_taken_for_damaged(mine: Path) -> None:
    with pytest.raises(UserError, match="that of whisper-other is another one") as raised:
        examine(mine)
    assert raised.value.hint.endswith("greenroom models add whisper FOLDER")
    add("whisper", mine, "MIT")
    assert examine(mine).name == "whisper"


def test_a_change_to_it_is_found(mine: Path) -> None:
    add("whisper", mine, "MIT")
    (weights.place("whisper") / "model.bin").write_bytes(b"damaged")
    with pytest.raises(UserError, match="damaged"):
        place_of("whisper")
    assert weights.sha256s("whisper")["model.bin"] != ""
    assert weights.sha256s("whisper-tiny") == {}
