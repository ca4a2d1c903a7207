"""A model of names that is real and small: spaCy's blank pipeline of a language, which knows a few names by a list."""

from pathlib import Path
from typing import Any

LISTED = "Ruprecht Falkenrath"
"""A name that it finds; no rule does where it stands in small letters and nothing announces it."""


def write_pipeline(folder: Path, language: str = "en", label: str = "PERSON", name: str = LISTED) -> Path:
    """Write a pipeline as a lab would bring it, and return its folder."""
    import spacy

    made = spacy.blank(language)
    patterns = [{"label": label, "pattern": [{"LOWER": part.lower()} for part in name.split()]}]
    ruler: Any = made.add_pipe("entity_ruler")
    ruler.add_patterns(patterns)
    made.to_disk(folder)
    return folder
