"""Code books out of files of other tools: the tiers of ELAN, the ethogram of BORIS, and tables of labels."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from annotate.interchange.annotation_files import read_file
from annotate.interchange.bounded_files import damaged_file_error, name_cells, read_cells, read_text
from annotate.interchange.document import InterchangeLane
from annotate.interchange.lane_mapping import EntryTarget, ImportMapping, build_own_target, guess_mapping, own_track_key
from annotate.interchange.tier_schemes import make_tier_schemes
from annotate.interchange.tier_texts import code_key
from annotate.study.scheme_draft import make_key
from project.errors import UserError
from project.queries.study_schemes import all_versions
from project.schemes.scheme import Label, Scheme, Track
from project.schemes.scheme_file import load_scheme_file, shipped_names
from project.session.session import Session
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


def read_code_book(session: Session, path: Path) -> Scheme:
    """Return the scheme that a file describes, as a new one, which need not be right yet.

    A file or template of ELAN gives a track for each tier that is no speech, with the labels of its vocabulary; tiers
    of several participants share one. A project of BORIS gives a track for each category, with keys, colours and
    modifiers. A table gives labels, with the columns label, definition, key, colour and track; the first is needed.
    """
    suffix = path.suffix.lower()
    if suffix == ".toml":
        scheme = load_scheme_file(path)
    elif suffix in TABLE_SUFFIXES:
        scheme = _read_table(path)
    else:
        scheme = _read_tiers(session, path)
    taken = {*all_versions(session.study), *shipped_names()}
    return replace(scheme, key=make_key(scheme.name, taken, "scheme"), version=1)


def _read_tiers(session: Session, path: Path) -> Scheme:
    document = read_file(path, "eaf" if path.suffix.lower() == ".etf" else None)
    key = make_key(document.name, {*all_versions(session.study), *shipped_names()}, "scheme")
    guessed, lanes = guess_mapping(session, document), document.lanes_by_name()
    targets = {
        name: replace(build_own_target(session, lanes[name], key), scheme=key, track=_track_of(lanes[name][0]))
        for name, target in guessed.lanes.items()
        if target.becomes is not EntryTarget.UTTERANCES and not all(lane.about_recording for lane in lanes[name])
    }
    if not targets:
        raise UserError(
            f"{escape_unprintable(path.name)} has no tier or behavior to make a track of.", "Choose another file."
        )
    made = make_tier_schemes(session, document, ImportMapping(targets)).schemes[key]
    # It is the lab's own from now on: it does not grow by an import.
    return replace(made, source="", speech_tiers=())


def _track_of(lane: InterchangeLane) -> str:
    """Return the key of the track for a tier: one for the tiers `gaze@A` and `gaze@B` of two participants."""
    key = own_track_key(lane)
    if lane.participant and key.endswith(lane.participant):
        key = key.removesuffix(lane.participant).rstrip("@_-. ") or key
    return key


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
