"""Conflicts in words: what they are about, and where the two versions differ."""

from dataclasses import dataclass

from app.core.conflict_words import NOTHING, TIMES_OF_WORDS, ConflictWords
from app.core.session import Session
from project.merging.resolving import present_version
from project.queries.conflicts import Conflict
from project.types import Json


@dataclass(frozen=True, slots=True)
class Line:
    """One thing in both versions, in words."""

    name: str
    ours: str
    theirs: str

    @property
    def differs(self) -> bool:
        """Whether the two versions say something else."""
        return self.ours != self.theirs


@dataclass(frozen=True, slots=True)
class Described:
    """A conflict in words.

    Attributes:
        title: what it is about.
        source: whose the other version is.
        lines: both versions side by side; `ours` is what the study has now.
        deleted: `ours` or `theirs` where one side deleted it, else "".
        resolution: `ours` or `theirs`, once somebody chose.
    """

    id: str
    title: str
    source: str
    lines: tuple[Line, ...]
    deleted: str
    resolution: str | None

    @property
    def differing(self) -> tuple[Line, ...]:
        """The lines in which the versions differ."""
        return tuple(line for line in self.lines if line.differs)

    def as_json(self) -> Json:
        """Return it as an object."""
        return {
            "id": self.id,
            "about": self.title,
            "source": self.source,
            "deleted": self.deleted or None,
            "resolution": self.resolution,
            "differences": [{"name": one.name, "ours": one.ours, "theirs": one.theirs} for one in self.differing],
        }


def described(session: Session, conflict: Conflict, *, keys: bool = False) -> Described:
    """Put a conflict into words; a program is told the `keys` of labels, fields and choices instead of their names."""
    words = ConflictWords(session, keys=keys)
    ours = present_version(session.study, conflict) if conflict.resolution is None else conflict.ours
    theirs = conflict.theirs
    left, right = words.of(ours), words.of(theirs)
    if left.get("text") != right.get("text"):
        # Other words have other times: that says nothing more.
        for side in (left, right):
            side.pop(TIMES_OF_WORDS, None)
    lines = tuple(Line(name, left.get(name, NOTHING), right.get(name, NOTHING)) for name in {**left, **right})
    deleted = "ours" if ours is None else "theirs" if theirs is None else ""
    return Described(
        conflict.id,
        words.title(conflict, ours, theirs),
        conflict.source,
        lines,
        deleted,
        conflict.resolution,
    )
