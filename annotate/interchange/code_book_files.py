"""Code books out of files of other tools: the tiers of ELAN, the ethogram of BORIS, and tables of labels."""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from annotate.interchange.annotation_files import read_file
from annotate.interchange.bounded_files import damaged_file_error, name_cells, read_cells, read_text
from annotate.interchange.lane_mapping import (
    EntryTarget,
    ImportMapping,
    LaneTarget,
    find_speech,
    guess_own_kind,
    shared_track_key,
)
from annotate.interchange.tier_schemes import make_tier_schemes
from annotate.interchange.tier_texts import code_key
from annotate.study.scheme_draft import make_key
from project.errors import UserError
from project.schemes.label_keys import WINDOW_KEYS, assign_keys
from project.schemes.scheme import Label, Scheme, Track
from project.schemes.scheme_file import load_scheme_file, scheme_text, shipped_names, write_scheme
from project.text_format import escape_unprintable

TABLE_SUFFIXES = (".csv", ".tsv")
CODE_BOOK_SUFFIXES = (".eaf", ".etf", ".boris", *TABLE_SUFFIXES, ".toml")
"""How the names of files end that a code book is made from."""
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "name": ("label", "name", "code", "behavior", "behaviour"),
    "definition": ("definition", "description", "meaning"),
    "shortcut": ("key", "shortcut"),
    "colour": ("colour", "color"),
    "track": ("track", "tier", "category"),
}
"""What a column is -> the titles that it can have, in any case."""
_COLOUR = re.compile("#[0-9a-fA-F]{6}")
_MAX_LABELS = 2_000
_KEY = "scheme"
"""Key of a scheme until it gets its own."""


def read_code_book(path: Path, taken: Collection[str] = (), keys_in_use: Collection[str] = WINDOW_KEYS) -> Scheme:
    """Return the scheme that a file describes, as a new one, which need not be right yet.

    A file or template of ELAN gives a track for each tier that is no speech, with the labels of its vocabulary; tiers
    of several participants share one. A project of BORIS gives a track for each category, with keys, colours and
    modifiers. A table gives labels, with the columns label, definition, key, colour and track; the first is needed.

    Args:
        path: of the file.
        taken: keys of schemes that it cannot have, beside those of the schemes that are shipped.
        keys_in_use: keys that no label gets, in upper case.
    """
    suffix = path.suffix.lower()
    if suffix == ".toml":
        scheme = load_scheme_file(path)
    elif suffix in TABLE_SUFFIXES:
        scheme = assign_keys(_read_table(path), None, keys_in_use)
    else:
        scheme = _read_tiers(path, keys_in_use)
    return replace(scheme, key=make_key(scheme.name, {*taken, *shipped_names()}, "scheme"), version=1)


def code_book_text(path: Path) -> str:
    """Return the text of the scheme of a file: of a scheme file as it is, else as `read_code_book` makes it."""
    return scheme_text(path) if path.suffix.lower() == ".toml" else write_scheme(read_code_book(path))


def _read_tiers(path: Path, keys_in_use: Collection[str]) -> Scheme:
    document = read_file(path, "eaf" if path.suffix.lower() == ".etf" else None)
    lanes, speech = document.lanes_by_name(), find_speech(document)
    targets = {
        name: LaneTarget(EntryTarget.UTTERANCES)
        if name in speech
        else LaneTarget(
            guess_own_kind(same), scheme=_KEY, track=shared_track_key(same[0]), participant=same[0].participant
        )
        for name, same in lanes.items()
        if not all(lane.about_recording for lane in same)
    }
    if not targets.keys() - {*speech}:
        raise UserError(
            f"{escape_unprintable(path.name)} has no tier or behavior to make a track of.", "Choose another file."
        )
    made = make_tier_schemes(lambda _key: None, document, ImportMapping(targets), keys_in_use).schemes[_KEY]
    # It is the lab's own from now on: it does not grow by an import.
    return replace(made, source="", speech_tiers=())


def _read_table(path: Path) -> Scheme:
    text = read_text(path)
    first = next((line for line in text.splitlines() if line.strip()), "")
    rows = iter(read_cells(text, first, path))
    titles = [title.strip().casefold() for title in next(rows, (0, [""]))[1]]
    columns = {
        attribute: next((place for place, title in enumerate(titles) if title in names), None)
        for attribute, names in _COLUMNS.items()
    }
    if columns["name"] is None:
        raise damaged_file_error(path, "no column is called “label”")
    tracks: dict[str, dict[str, Label]] = {}
    for line, cells in rows:
        found = name_cells(titles, cells, path, line)
        row = {a: " ".join(found[titles[at]].split()) for a, at in columns.items() if at is not None}
        if not row["name"]:
            continue
        labels = tracks.setdefault(code_key(row.get("track", "")) if row.get("track") else "", {})
        if len(labels) >= _MAX_LABELS:
            raise damaged_file_error(path, f"it has more than {_MAX_LABELS:,} labels", line)
        colour = row.get("colour", "")
        key = make_key(row["name"], labels, "label")
        labels[key] = Label(
            key,
            code_key(row["name"]),
            row.get("definition", ""),
            colour if _COLOUR.fullmatch(colour) else "",
            row.get("shortcut", "").upper(),
        )
    made: dict[str, Track] = {}
    for name, labels in tracks.items():
        key = make_key(name, made, "track")
        made[key] = Track(key, name or "Behaviour", tuple(labels.values()))
    if not made:
        raise damaged_file_error(path, "it has no label")
    return Scheme("", path.stem, 1, tuple(made.values()), ())
