"""Collections: sub-studies with the agent's own context."""

from project.errors import UserError
from project.store import Study
from project.types import Collection

_COLUMNS = "id, name, agent_context"


def all_collections(study: Study) -> list[Collection]:
    """Return every collection, in the order they were made."""
    return [Collection(*row) for row in study.rows(f"SELECT {_COLUMNS} FROM collection ORDER BY id")]


def insert_collection(study: Study, collection: Collection) -> None:
    """Add a collection; inside a step."""
    study.write("INSERT INTO collection VALUES (?, ?, ?)", (collection.id, collection.name, collection.agent_context))


def update_collection(study: Study, collection: Collection) -> None:
    """Replace the collection of the same id; inside a step."""
    study.write(
        "UPDATE collection SET name = ?, agent_context = ? WHERE id = ?",
        (collection.name, collection.agent_context, collection.id),
    )


def delete_collection(study: Study, collection_id: str) -> None:
    """Remove a collection; inside a step.

    Raises:
        UserError: it still holds recordings.
    """
    if study.row("SELECT 1 FROM recording WHERE collection_id = ? LIMIT 1", (collection_id,)):
        raise UserError("This collection still holds recordings.", "Move or delete them first.")
    study.write("DELETE FROM collection WHERE id = ?", (collection_id,))
