"""Brings a study to a format of this program and a made-up next one: `python -m tests.faults.victims.migrating STUDY`.

The next version adds a large table that is filled from the segments, and an index on it.
"""

import sys
from pathlib import Path

from project.schema import format_versions as schema
from project.store.study import Study

NEXT = schema.Version(
    "made up",
    (
        "CREATE TABLE extra (id TEXT PRIMARY KEY, said TEXT NOT NULL) STRICT",
        "INSERT INTO extra SELECT id, hex(randomblob(400)) FROM segment",
        "CREATE INDEX extra_said ON extra (said)",
    ),
)


def main() -> int:
    """Open it, which brings it up to date."""
    schema.VERSIONS = (*schema.VERSIONS, NEXT)
    with Study.open(Path(sys.argv[1])) as study:
        print(study.row("PRAGMA user_version"), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
