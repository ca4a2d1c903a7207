"""What a finder of names is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from project.types import Json

PERSON_LABELS = frozenset({"PERSON", "PER"})
"""What pipelines call the name of a person: English ones the first, those of other languages the second."""


@dataclass(frozen=True, slots=True)
class Named:
    """A stretch of a text that a model takes for a name.

    Attributes:
        start: first character.
        end: after the last character.
        kind: `person`, `place` or `organisation`.
        score: 0 to 1; what the model is worth where it says no score itself.
        source: key of the model, where several are asked; "" where there is one.
    """

    start: int
    end: int
    kind: str
    score: float
    source: str = ""


class NameFinder(Protocol):
    """Finds names in texts.

    Attributes:
        key: its name in the registry.
    """

    key: str

    @property
    def parameters(self) -> Mapping[str, Json]:
        """What its answers depend on."""
        ...

    def find_all(self, texts: Sequence[str]) -> list[list[Named]]:
        """Return the names in each of some texts."""
        ...
