"""Vouch for texts that the ladder writes: what a model answered, and what is asked about its answer."""

from models.connection.guard import Guard
from models.connection.parcel import current


def clear(guard: Guard | None, text: str) -> None:
    """Let a text pass the guard under the condition of the question that is being asked.

    What a model answered says no more of a study than the question that it was asked.

    Args:
        guard: that the next request goes through, also where another model is asked; None where none goes anywhere.
        text: all of it, as it will stand in a message.
    """
    parcel = current()
    if guard is not None and parcel is not None:
        guard.cleared.add_text(text, parcel.condition)
