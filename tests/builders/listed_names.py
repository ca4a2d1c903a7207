"""A model of names that is real and small: spaCy's blank pipeline of a language, which knows a few names by a list."""

from collections.abc import Mapping
from pathlib import Path

LISTED = "Ruprecht Falkenrath"
"""A name that it finds; no rule does where it stands in small letters and nothing announces it."""


def write_pipeline(
    folder: Path, language: str = "en", label: str = "PERSON", name: str = LISTED, more: Mapping[str, str] | None = None
) -> Path:
    """Write a pipeline that labels a name, and more labels by name, as a lab would bring it; return its folder."""
    import spacy
    from spacy.pipeline import EntityRuler

    made = spacy.blank(language)
    ruler = made.add_pipe("entity_ruler")
    assert isinstance(ruler, EntityRuler)
    ruler.add_patterns(
        [
            {"label": label, "pattern": [{"LOWER": part.lower()} for part in name.split()]}
            for name, label in {name: label, **(more or {})}.items()
        ]
    )
    made.to_disk(folder)
    return folder
