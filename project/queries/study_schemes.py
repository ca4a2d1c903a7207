"""The scheme versions that a study keeps as TOML text, and the schemes in use."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from project.entities.study_records import Json
from project.errors import UserError
from project.schemes.scheme import Scheme
from project.schemes.scheme_file import load_scheme, parse_scheme, shipped_text
from project.store.study import Row, Study


def newest_versions(study: Study) -> dict[str, tuple[int, str]]:
    """Return scheme key -> (version, text) of the newest version that the study keeps."""
    rows = study.rows("SELECT key, version, text FROM scheme_version ORDER BY key, version")
    return {key: (version, text) for key, version, text in rows}


def version_text(study: Study, key: str, version: int) -> str | None:
    """Return the text of one version, or None where the study does not keep it."""
    row = study.row("SELECT text FROM scheme_version WHERE key = ? AND version = ?", (key, version))
    return None if row is None else str(row[0])


def insert_version(study: Study, key: str, version: int, text: str) -> None:
    """Keep a version that the study does not have yet; inside a step."""
    study.write("INSERT INTO scheme_version VALUES (?, ?, ?)", (key, version, text))


def all_versions(study: Study) -> dict[str, dict[int, str]]:
    """Return scheme key -> version -> text of everything that the study keeps, the oldest version first."""
    return _by_version(study.rows("SELECT key, version, text FROM scheme_version ORDER BY key, version"))


def value_counts(study: Study) -> dict[str, dict[int, int]]:
    """Return scheme key -> version -> how many values were filled in under it."""
    return _by_version(
        study.rows(
            "SELECT scheme, version, count(*) FROM segment_value GROUP BY scheme, version ORDER BY scheme, version"
        )
    )


def fields_with_values(study: Study, key: str) -> set[str]:
    """Return the keys of the fields of a scheme that have a value, in any version."""
    return {row[0] for row in study.rows("SELECT DISTINCT field FROM segment_value WHERE scheme = ?", (key,))}


def _by_version(rows: Sequence[Row]) -> dict[str, dict[int, Any]]:
    found: dict[str, dict[int, Any]] = {}
    for key, version, value in rows:
        found.setdefault(key, {})[version] = value
    return found


def scheme_segment_counts(study: Study) -> dict[str, int]:
    """Return scheme key -> number of segments."""
    return dict(study.rows("SELECT scheme, count(*) FROM segment GROUP BY scheme"))


def label_counts(study: Study, key: str) -> dict[tuple[str, str], int]:
    """Return (track, label) -> number of segments, for those of a scheme that segments have."""
    rows = study.rows("SELECT track, label, count(*) FROM segment WHERE scheme = ? GROUP BY track, label", (key,))
    return {(track, label): count for track, label, count in rows}


DEFAULT_SCHEME = "shrec"
SCHEMES_PROPERTY = "schemes"
"""The property with the keys of the schemes in use; the first one is the default."""


class StudySchemes:
    """The schemes of one study. What the study keeps comes before what the program ships."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._used: dict[str, Scheme] = {}
        self._others: dict[str, Scheme | None] = {}
        self.reload()

    def reload(self) -> None:
        """Reload which schemes are in use."""
        kept = newest_versions(self._study)
        self._used, self._others = {key: _load(key, kept) for key in schemes_in_use(self._study)}, {}

    @property
    def default(self) -> Scheme:
        """The scheme that a segment is made under when nobody names another."""
        return next(iter(self._used.values()))

    def is_in_use(self, key: str) -> bool:
        """Tell whether a scheme is in use."""
        return key in self._used

    def find(self, key: str) -> Scheme | None:
        """Return a scheme whether it is in use or not; None where its text is nowhere or cannot be read."""
        if key in self._used:
            return self._used[key]
        if key not in self._others:
            self._others[key] = None
            with suppress(UserError):
                self._others[key] = _load(key, newest_versions(self._study))
        return self._others[key]

    def __iter__(self) -> Iterator[Scheme]:
        return iter(self._used.values())

    def get(self, key: str | None = None) -> Scheme:
        """Return a scheme in use, by default the study's default one."""
        if key is None:
            return self.default
        if key not in self._used:
            raise UserError(
                f"The scheme “{key}” is not in this study.", f"Add it first, or choose one of {', '.join(self._used)}."
            )
        return self._used[key]

    def store_text(self, scheme: Scheme) -> None:
        """Keep the text of a scheme in use, so that its values can be read for ever; inside a step."""
        if version_text(self._study, scheme.key, scheme.version) is None:
            insert_version(self._study, scheme.key, scheme.version, shipped_text(scheme.key))


def _load(key: str, kept: Mapping[str, tuple[int, str]]) -> Scheme:
    if key not in kept:
        return load_scheme(key)
    version, text = kept[key]
    return parse_scheme(text, f"{key}, version {version}")


def schemes_in_use(study: Study) -> list[str]:
    """Return the keys of the schemes in use, the default one first."""
    found: Json = study.get_property(SCHEMES_PROPERTY)
    keys = [str(key) for key in found] if isinstance(found, list) else []
    return keys or [DEFAULT_SCHEME]
