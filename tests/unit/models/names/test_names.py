"""Models that find names: a spaCy pipeline that a lab brings goes before the one of the catalogue."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from models.names.name_finders import (
    create_name_finder,
    default_finders,
    describe_finders,
    finder_languages,
    finders_fingerprint,
)
from models.names.spacy_names import SpacyNames
from models.weights import installed_weights as weights
from models.weights.adding import add_weights
from project.errors import UserError
from tests.builders.listed_names import write_pipeline


@pytest.fixture
def german(tmp_path: Path) -> Path:
    """A German pipeline that knows two names, as spaCy saves it."""
    return write_pipeline(tmp_path / "german", "de", "PER", "Jürgen", {"Köln": "LOC"})


def test_it_is_used_once_it_was_added(german: Path) -> None:
    assert default_finders() is None
    with pytest.raises(UserError, match="not installed"):
        create_name_finder("own")
    add_weights("ner", german, "CC0-1.0")
    assert default_finders() == "own"
    text = "Gestern kam Jürgen aus Köln."
    ((person, place),) = create_name_finder("own").find_all([text])
    assert [(text[name_span.start : name_span.end], name_span.kind) for name_span in (person, place)] == [
        ("Jürgen", "person"),
        ("Köln", "place"),
    ]


def test_a_pipeline_that_finds_no_persons_is_no_model_of_names_and_hides_none_that_does(tmp_path: Path) -> None:
    add_weights("ner", write_pipeline(tmp_path / "places", "de", "LOC"), "CC0-1.0")
    assert default_finders() is None
    assert finder_languages("own") == frozenset()
    add_weights("ner-german", write_pipeline(tmp_path / "persons", "de", "PER"), "CC0-1.0")
    assert default_finders() == "own-german"
    assert finder_languages(default_finders()) == {"de"}
    assert describe_finders(default_finders()) == ["ner-german (de_pipeline 0.0.0)"]


def test_another_pipeline_under_the_same_name_is_told_apart(tmp_path: Path) -> None:
    assert finders_fingerprint(default_finders()) == ""
    add_weights("ner", write_pipeline(tmp_path / "first"), "CC0-1.0")
    first = finders_fingerprint(default_finders())
    assert first == finders_fingerprint(default_finders()) != ""
    add_weights("ner", write_pipeline(tmp_path / "second", name="Somebody Else"), "CC0-1.0")
    assert finders_fingerprint(default_finders()) != first


def test_a_wheel_as_spacys_makers_publish_them_is_added_without_being_installed(german: Path, tmp_path: Path) -> None:
    wheel = tmp_path / "de_tiny-1.0.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("de_tiny/__init__.py", "raise SystemExit")
        made.writestr("de_tiny/meta.json", "{}")
        for file in german.rglob("*"):
            if file.is_file():
                made.write(file, f"de_tiny/de_tiny-1.0.0/{file.relative_to(german)}")
    add_weights("ner-german", wheel, "MIT")
    assert finder_languages(default_finders()) == {"de"}
    assert not list(weights.weights_folder().rglob("*.py"))
    assert [path.name for path in weights.weights_folder().iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a/config.cfg", "a/meta.json", "a/tokenizer"], "has no folder"),
        (["a/config.cfg", "a/meta.json", "a/tokenizer", "a/vocab/strings.json", "a/../../b"], "leads out"),
        (["a/config.cfg", "a/meta.json", "a/tokenizer", "a/vocab/strings.json", "a/code.py"], "run code"),
    ],
)
def test_a_wheel_that_is_none_is_refused(tmp_path: Path, names: list[str], said: str) -> None:
    with zipfile.ZipFile(tmp_path / "odd.whl", "w") as made:
        for name in names:
            made.writestr(name, "{}")
    with pytest.raises(UserError, match=said):
        add_weights("ner-german", tmp_path / "odd.whl", "MIT")
    assert not weights.is_installed("ner-german")


def test_a_pipeline_of_a_lab_is_used_by_its_labels(tmp_path: Path) -> None:
    finder = SpacyNames(write_pipeline(tmp_path / "own", "de", "PER", "Annegret", {"Jena": "LOC", "Brot": "MISC"}))
    texts = ["Annegret wohnt in Jena", "", "Brot", "  ", "x " * 60_000 + "Annegret"]
    found = finder.find_all(texts)
    assert [
        [(name_span.kind, text[name_span.start : name_span.end]) for name_span in each]
        for text, each in zip(texts, found, strict=True)
    ] == [
        [("person", "Annegret"), ("place", "Jena")],
        [],
        [],
        [],
        [("person", "Annegret")],
    ]


def test_the_small_english_model_finds_names(real_weights: Callable[[str], Path]) -> None:
    finder = SpacyNames(real_weights("ner-english"))
    found = finder.find_all(["Yesterday Barbara Jones flew from London to Boston."])[0]
    assert {name_span.kind for name_span in found} == {"person", "place"}
    assert finder.parameters["version"] == "3.8.0"
