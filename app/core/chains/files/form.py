"""Chains as a file holds them, before anything is known about the study that they come to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from project.errors import UserError
from project.names import shown

LARGEST_BYTES = 32_000_000
"""The largest file of chains that is read."""
MOST_CHAINS = 5_000
"""How many chains are read from one file."""


@dataclass(frozen=True, slots=True)
class FileNode:
    """A node of a file.

    Attributes:
        id: whatever the file calls it; unique in its chain.
        kind: as the file says, known or not.
        start_us: on the recording's axis.
        end_us: on the recording's axis.
        people: pseudonyms.
        source: as `TABLE/ID`, or "".
    """

    id: str
    kind: str
    text: str
    start_us: int
    end_us: int
    people: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class FileChain:
    """A chain of a file.

    Attributes:
        recording: name of the recording; "" where the file does not say.
        annotator: who drew it, for whoever reads the file; whoever imports it is its annotator.
        edges: (id of the reason, id of the result).
    """

    name: str
    recording: str
    annotator: str
    nodes: tuple[FileNode, ...]
    edges: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ChainForm:
    """One format of files.

    Attributes:
        name: for people.
        suffix: of file names, lower case, with the dot.
        read: reads a file of `LARGEST_BYTES` at most; raises `UserError` where it cannot be understood.
        write: writes a file.
    """

    name: str
    suffix: str
    read: Callable[[Path], list[FileChain]]
    write: Callable[[Sequence[FileChain], Path], None]


def forms() -> Mapping[str, ChainForm]:
    """Return key -> format."""
    from app.core.chains.files import graphml, json_form

    return {
        "json": ChainForm("Greenroom chains (.json)", ".json", json_form.read, json_form.write),
        "graphml": ChainForm("GraphML (.graphml)", ".graphml", graphml.read, graphml.write),
    }


def form_of(path: Path, key: str | None = None) -> ChainForm:
    """Return the format of a key, or else the one that a file's name tells.

    Raises:
        UserError: there is none.
    """
    known = forms()
    if key is not None and key in known:
        return known[key]
    for one in known.values():
        if key is None and path.name.lower().endswith(one.suffix):
            return one
    raise UserError(f"{shown(path.name)} is of no format for chains.", f"Choose one of these: {', '.join(known)}.")
