"""Brings a study file to the newest version of the format. Apart, because sqlite-utils takes 0.1 s to import."""

import sqlite3
from collections.abc import Iterable

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from project import schema


def migrate(connection: sqlite3.Connection, versions: Iterable[schema.Version]) -> None:
    """Apply those of all versions that the file lacks, each in one transaction together with its `user_version`.

    Each changes the file wholly or not at all. Plugins of sqlite-utils that happen to be installed stay outside.
    """
    migrations = Migrations("greenroom")
    for number, version in enumerate(versions, start=1):
        migrations(name=version.name)(_Statements(number, version))
    migrations.apply(Database(connection, execute_plugins=False))


class _Statements:
    """One version as sqlite-utils wants it: a named function."""

    def __init__(self, number: int, version: schema.Version) -> None:
        self.__name__ = version.name
        self._number = number
        self._version = version

    def __call__(self, db: Database, /) -> None:
        for statement in self._version.statements:
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {self._number}")
