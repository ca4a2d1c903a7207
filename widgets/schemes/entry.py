"""One line of the list of schemes."""

from dataclasses import dataclass
from enum import StrEnum

from project.schemes.scheme import Scheme
from resources.translation import later


class Group(StrEnum):
    """Where a scheme stands; the value is the heading."""

    USED = later("In use")
    KEPT = later("Kept from before")
    SHIPPED = later("Comes with Greenroom")
    FILE = later("From a file")


@dataclass(frozen=True, slots=True)
class SchemeEntry:
    """A scheme, and what the study has of it.

    Attributes:
        scheme: what to show; None where its text cannot be read.
        default: new segments are made under it at first.
        versions: that the study keeps.
        segments: made with it.
        values: filled in under it.
        orphans: what its newest version has no place for.
        file: the path of the file that it was read from, where one is known.
        taken: its shortcuts that do not work, because the window uses these keys itself.
    """

    group: Group
    key: str
    name: str
    scheme: Scheme | None
    default: bool = False
    versions: tuple[int, ...] = ()
    segments: int = 0
    values: int = 0
    orphans: int = 0
    file: str = ""
    taken: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Tell the entry from every other."""
        return f"{self.group.name} {self.key}"
