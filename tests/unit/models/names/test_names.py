"""Models that find names."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from models.names import name_finders as registry
from models.names.spacy_names import SpacyNames
from models.runtime.native_libraries import without_heavy_packages
from project.errors import UserError
from tests.builders.listed_names import write_pipeline


def test_without_weights_there_is_none() -> None:
    assert registry.default_finders() is None
    with pytest.raises(UserError, match="not installed"):
        registry.create_name_finder("spacy")
    with pytest.raises(UserError, match="no finder of names"):
        registry.create_name_finder("nonsense")


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


def test_heavy_packages_are_hidden_only_meanwhile() -> None:
    before = "stanza" in sys.modules
    with without_heavy_packages(), pytest.raises(ImportError):
        import stanza  # type: ignore[import-not-found]  # noqa: F401
    assert ("stanza" in sys.modules) == before
