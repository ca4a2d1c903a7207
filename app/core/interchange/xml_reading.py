"""Reads XML without ever following what it declares: a document type, and so any entity, is refused."""

import io
from collections.abc import Callable, Collection
from pathlib import Path
from xml.parsers import expat

from app.core.interchange.limits import damaged, read_bytes

DEEPEST = 32
_CHUNK = 65_536
Start = Callable[[str, dict[str, str]], None]
End = Callable[[str, str], None]


class _Refused(Exception):
    """Something in the file is not allowed; its text says what."""


def parse(path: Path, largest: int, start: Start, end: End, starts: Collection[str], ends: Collection[str]) -> None:
    """Read a file of `largest` bytes at most.

    Args:
        path: of the file.
        largest: bytes.
        start: called with the name and the attributes of each element that `starts` names, and of the root.
        end: called with the name of each element that `ends` names, and the text since its last child or its start.
        starts: names of elements whose start matters.
        ends: names of elements whose end matters.

    Raises:
        UserError: the file cannot be read, is larger, is not well-formed, declares a document type or entities, or is
            nested more than `DEEPEST` elements deep.
    """
    content = io.BytesIO(read_bytes(path, largest))
    parser = expat.ParserCreate()
    parser.buffer_text = True
    pieces: list[str] = []
    depth = 0

    def refuse(*_: object) -> None:
        raise _Refused("it declares a document type, which is refused for safety")

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise _Refused("its elements are nested too deeply")
        pieces.clear()
        if name in starts or depth == 1:
            start(name, attributes)

    def finish(name: str) -> None:
        nonlocal depth
        depth -= 1
        if name in ends:
            end(name, "".join(pieces))
        pieces.clear()

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = begin
    parser.EndElementHandler = finish
    parser.CharacterDataHandler = pieces.append
    try:
        while chunk := content.read(_CHUNK):
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise damaged(path, expat.ErrorString(error.code), error.lineno) from None
    except _Refused as error:
        raise damaged(path, str(error), parser.CurrentLineNumber) from None
    except (LookupError, UnicodeError, ValueError) as error:
        # An encoding that Python does not know, or that expat cannot use.
        raise damaged(path, str(error) or "its encoding is not known") from None
