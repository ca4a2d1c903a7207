"""Annotators: people, and models recorded as such."""

from project.store import Study
from project.types import Annotator

_COLUMNS = "id, name, kind"


def all_annotators(study: Study) -> list[Annotator]:
    """Return every annotator, in the order they came."""
    return [Annotator(*row) for row in study.rows(f"SELECT {_COLUMNS} FROM annotator ORDER BY id")]


def annotator_by_name(study: Study, name: str) -> Annotator | None:
    """Return the annotator of exactly that name, or None."""
    row = study.row(f"SELECT {_COLUMNS} FROM annotator WHERE name = ?", (name,))
    return None if row is None else Annotator(*row)


def insert_annotator(study: Study, new: Annotator) -> None:
    """Add an annotator, whose name is new to the study; inside a step, best one with `undoable=False`."""
    study.write("INSERT INTO annotator VALUES (?, ?, ?)", (new.id, new.name, new.kind))
