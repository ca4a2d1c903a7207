"""The versions of schemes that a study keeps, as the TOML text they were."""

from project.store import Study


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
    found: dict[str, dict[int, str]] = {}
    for key, version, text in study.rows("SELECT key, version, text FROM scheme_version ORDER BY key, version"):
        found.setdefault(key, {})[version] = text
    return found


def value_counts(study: Study) -> dict[str, dict[int, int]]:
    """Return scheme key -> version -> how many values were filled in under it."""
    found: dict[str, dict[int, int]] = {}
    for key, version, count in study.rows(
        "SELECT scheme, version, count(*) FROM segment_value GROUP BY scheme, version ORDER BY scheme, version"
    ):
        found.setdefault(key, {})[version] = count
    return found


def segment_counts(study: Study) -> dict[str, int]:
    """Return scheme key -> number of segments."""
    return {row[0]: row[1] for row in study.rows("SELECT scheme, count(*) FROM segment GROUP BY scheme")}


def labels_in_use(study: Study, key: str) -> set[tuple[str, str]]:
    """Return the (track, label) pairs of a scheme that segments have."""
    return {
        (row[0], row[1]) for row in study.rows("SELECT DISTINCT track, label FROM segment WHERE scheme = ?", (key,))
    }
