"""Which interchange formats there are, and which one a file is of."""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import cast

from app.core.interchange.base import Format
from app.core.interchange.limits import head_of
from project.errors import UserError
from project.names import shown

FORMATS: dict[str, str] = {
    "eaf": "app.core.interchange.elan.format:Eaf",
    "jsonl": "app.core.interchange.lossless.format:Jsonl",
    "csv": "app.core.interchange.csv_table:Table",
    "textgrid": "app.core.interchange.praat.format:TextGrid",
    "boris": "app.core.interchange.boris.project:Boris",
    "boris-csv": "app.core.interchange.boris.table:BorisTable",
    "datavyu": "app.core.interchange.datavyu.format:Datavyu",
    "webvtt": "app.core.interchange.captions.webvtt:WebVtt",
    "webvtt-segments": "app.core.interchange.captions.webvtt:WebVttSegments",
    "srt": "app.core.interchange.captions.srt:Srt",
    "srt-plain": "app.core.interchange.captions.srt:SrtPlain",
    "srt-segments": "app.core.interchange.captions.srt:SrtSegments",
}
"""Key -> `module:class`. Where a file fits several by its name, the first that recognises its content is meant."""


@cache
def format_called(key: str) -> Format:
    """Return one format.

    Raises:
        UserError: there is none of that key.
    """
    if key not in FORMATS:
        raise UserError(f"There is no format “{shown(key)}”.", f"Choose one of {', '.join(FORMATS)}.")
    module, name = FORMATS[key].split(":")
    return cast(Format, getattr(import_module(module), name)())


def kinds_of_files() -> dict[tuple[str, ...], list[str]]:
    """Return how the names of files end that can be imported, and which tools write them, such as `ELAN`."""
    kinds: dict[tuple[str, ...], list[str]] = {}
    for key in FORMATS:
        file_format = format_called(key)
        tools = kinds.setdefault(file_format.suffixes, [])
        tool = file_format.name.split(" (")[0].split(",")[0]
        if tool not in tools:
            tools.append(tool)
    return kinds


def suffixes() -> tuple[str, ...]:
    """Return how the names of all files end that can be imported, in lower case, such as `.eaf`."""
    return tuple(dict.fromkeys(suffix for endings in kinds_of_files() for suffix in endings))


def guess(path: Path) -> Format:
    """Return the format of a file, by the end of its name and what it begins with.

    Raises:
        UserError: the file cannot be read, or is of no known format.
    """
    head = head_of(path)
    formats = [format_called(key) for key in FORMATS]
    named = [one for one in formats if path.name.lower().endswith(one.suffixes)]
    for one in named + [other for other in formats if other not in named]:
        if one.recognises(head):
            return one
    if named:
        raise UserError(
            f"{shown(path.name)} is of another format than {named[0].name}, or damaged.",
            "Export it again, or choose another.",
        )
    raise UserError(f"{shown(path.name)} is of no known format.", f"Choose one of these: {', '.join(suffixes())}.")
