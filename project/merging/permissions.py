"""What lets more of a study out than before, and is therefore never taken from a copy before a person decides about it.

A merge keeps the stricter of two versions and lists the other one as a conflict: consents, waivers, words that are
personal nowhere, limits of the release, what was read before a release, recordings that are not held out any more.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from project.merging.shape import Row

PROPERTIES = frozenset(
    {"privacy_limits", "release_plan", "release_texts", "question_texts", "question_texts_unverified"}
)
"""Facts about a study that say what may leave and what was read before: of these, none counts as the stricter one."""
_ROBOT = "robot"


def _grants(row: Row | None) -> bool:
    return row is not None and bool(row["granted"])


def _is_robot(row: Row | None) -> bool:
    return row is not None and row["role"] == _ROBOT


def _keeps(row: Row | None) -> bool:
    return row is not None and row["decision"] == "keep"


_LOOSENS: Mapping[str, Callable[[Row | None, Row | None], bool]] = MappingProxyType(
    {
        "consent": lambda ours, theirs: _grants(theirs) and not _grants(ours),
        "waiver": lambda ours, theirs: theirs is not None and theirs != ours,
        "public_word": lambda ours, theirs: theirs is not None and ours is None,
        "private_word": lambda ours, theirs: theirs is None and ours is not None,
        "hold_out": lambda ours, theirs: theirs is None and ours is not None,
        # A robot is not asked, and who is not said to appear is not asked either.
        "participant": lambda ours, theirs: ours is not None and _is_robot(theirs) and not _is_robot(ours),
        "appearance": lambda ours, theirs: theirs is None and ours is not None,
        "pii_decision": lambda ours, theirs: (
            ours is not None and not _keeps(ours) and (theirs is None or _keeps(theirs))
        ),
    }
)


def is_permission(table: str, key: object) -> bool:
    """Tell whether rows of a table, or the property of a key, say what may leave."""
    return table in _LOOSENS or (table == "property" and key in PROPERTIES)


def loosens(table: str, ours: Row | None, theirs: Row | None) -> bool:
    """Tell whether more could leave a study if its version of a row became the other one; None: there is none."""
    if ours == theirs:
        return False
    if table == "property":
        return True
    return _LOOSENS[table](ours, theirs)
