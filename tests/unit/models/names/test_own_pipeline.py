"""A spaCy pipeline that a lab brings finds names, and goes before the one of the catalogue."""

from pathlib import Path

import pytest
import spacy

from models import weights
from models.names.registry import name_finder, usual
from models.weights.adding import add
from project.errors import UserError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def german(tmp_path: Path) -> Path:
    """A German pipeline that knows two names, as spaCy saves it."""
    made = spacy.blank("de")
    ruler = made.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PER", "pattern": "Jürgen"}, {"label": "LOC", "pattern": "Köln"}])  # type: ignore[attr-defined]
    made.to_disk(tmp_path / "german")
    return tmp_path / "german"


def test_it_is_used_once_it_was_added(german: Path) -> None:
    assert usual() is None
    with pytest.raises(UserError, match="not installed"):
        name_finder("own")
    add("ner", german, "CC0-1.0")
    assert usual() == "own"
    text = "Gestern kam Jürgen aus Köln."
    ((person, place),) = name_finder("own").find_all([text])
    assert [(text[one.start : one.end], one.kind) for one in (person, place)] == [
        ("Jürgen", "person"),
        ("Köln", "place"),
    ]
