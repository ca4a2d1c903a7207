"""The versions of the file format: one entry each, never changed once released. The tables are in `project.tables`."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from project.tables.benchmark import BENCHMARK
from project.tables.chains import CHAINS
from project.tables.episodes import EPISODES
from project.tables.faces import FACES
from project.tables.history import HISTORY
from project.tables.judging import JUDGES, JUDGMENTS, REVEALS
from project.tables.marking import MARKING
from project.tables.meta import META
from project.tables.privacy import PRIVACY
from project.tables.questions import QUESTIONS
from project.tables.recordings import RECORDINGS

APPLICATION_ID = 0x4752_4E52
"""`GRNR` in the file's header tells a study from any other SQLite file."""

_VERSION_1 = (
    *RECORDINGS,
    *MARKING,
    *FACES,
    *PRIVACY,
    *JUDGES,
    *CHAINS,
    *QUESTIONS,
    *META,
    *EPISODES,
    *JUDGMENTS,
    *BENCHMARK,
    *REVEALS,
    *HISTORY,
)


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the file format: what to run on a file of the version before."""

    name: str
    statements: tuple[str, ...]


VERSIONS: tuple[Version, ...] = (Version("first", _VERSION_1),)


def expected_schema(number: int) -> Mapping[tuple[str, str], str]:
    """Return (type, name) -> SQL of everything that a file of version `number` holds."""
    return _schema_after(VERSIONS[:number])


@cache
def _schema_after(versions: tuple[Version, ...]) -> Mapping[tuple[str, str], str]:
    """Return what these versions make; making it costs as much as opening a study."""
    memory = sqlite3.connect(":memory:")
    try:
        for version in versions:
            for statement in version.statements:
                memory.execute(statement)
        return MappingProxyType(schema_of(memory))
    finally:
        memory.close()


def schema_of(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Return (type, name) -> SQL of what a file holds, without SQLite's and the migrations' own tables."""
    found = connection.execute("SELECT type, name, tbl_name, sql FROM main.sqlite_schema").fetchall()
    return {
        (kind, name): sql
        for kind, name, table, sql in found
        if not name.startswith("sqlite_") and table != "_sqlite_migrations"
    }
