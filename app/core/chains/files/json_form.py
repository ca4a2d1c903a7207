"""Chains as our own JSON; docs/causal-chains.md describes it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.core.chains.drawing import one_line
from app.core.chains.files.form import LARGEST_BYTES, MOST_CHAINS, FileChain, FileNode
from app.core.interchange.limits import damaged, read_text
from project.errors import UserError
from project.names import shown
from project.types import Json

FORMAT, VERSION = "greenroom-chains", 1
_LARGEST_TIME = 2**53
"""Larger numbers are not exact in other programs' JSON, and no recording is that long."""


def read(path: Path) -> list[FileChain]:
    """Read a file of chains.

    Raises:
        UserError: it cannot be read, is no such file, or is of a newer version.
    """
    text = read_text(path, LARGEST_BYTES)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise damaged(path, "it is no JSON") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise damaged(path, f"it does not say that its format is {FORMAT}")
    if found.get("version") != VERSION:
        raise UserError(
            f"{path.name} is of version {shown(str(found.get('version')))[:20]}; this program reads version {VERSION}.",
            "Nothing was imported; update Greenroom, or export it again there.",
        )
    try:
        listed = _list(found["chains"])
        if len(listed) > MOST_CHAINS:
            raise _Unfit(f"it holds more than {MOST_CHAINS:,} chains")
        return [_chain(one, at) for at, one in enumerate(listed, 1)]
    except _Unfit as error:
        raise damaged(path, str(error)) from None
    except KeyError as error:
        raise damaged(path, f"something has no “{error.args[0]}”") from None


def write(chains: Sequence[FileChain], path: Path) -> None:
    """Write a file of chains, in UTF-8."""
    listed: list[Json] = [as_json(one) for one in chains]
    whole: dict[str, Json] = {"format": FORMAT, "version": VERSION, "chains": listed}
    path.write_text(json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")


def as_json(one: FileChain) -> dict[str, Json]:
    """Return a chain as it stands in a file."""
    nodes: list[Json] = [
        {
            "id": node.id,
            "kind": node.kind,
            "text": one_line(node.text),
            "start_us": node.start_us,
            "end_us": node.end_us,
            "people": [*node.people],
            "source": node.source,
        }
        for node in one.nodes
    ]
    edges: list[Json] = [{"reason": reason, "result": result} for reason, result in one.edges]
    return {
        "name": one_line(one.name),
        "recording": one_line(one.recording),
        "annotator": one_line(one.annotator),
        "nodes": nodes,
        "edges": edges,
    }


class _Unfit(Exception):
    """Something is not as the format has it; its text is a clause."""


def _chain(one: Any, number: int) -> FileChain:
    if not isinstance(one, dict):
        raise _Unfit(f"chain {number} is no object")
    return FileChain(
        _text(one["name"]),
        _text(one.get("recording", "")),
        _text(one.get("annotator", "")),
        tuple(_node(each) for each in _list(one["nodes"])),
        tuple((_text(_object(each)["reason"]), _text(each["result"])) for each in _list(one["edges"])),
    )


def _node(one: Any) -> FileNode:
    found = _object(one)
    return FileNode(
        _text(found["id"]),
        _text(found["kind"]),
        _text(found["text"]),
        _time(found["start_us"]),
        _time(found["end_us"]),
        tuple(_text(each) for each in _list(found.get("people", []))),
        _text(found.get("source", "")),
    )


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Unfit("a node or an edge is no object")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _Unfit("“chains”, “nodes”, “edges” and “people” are lists")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Unfit("a name, an id or a text is no text")
    return value


def _time(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -_LARGEST_TIME <= value <= _LARGEST_TIME:
        raise _Unfit("a time is no whole number of microseconds")
    return value
