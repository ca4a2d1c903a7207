"""Every row mapper knows all columns of its table and writes what it reads; every deletion leaves no row behind."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest

from project import queries
from project.queries.row_mapper import RowMapper, delete_with_dependents
from project.schema.tables import HUMAN_TABLES, TABLES
from project.store.study import Study
from tests.builders import full_study

MODULES = [
    importlib.import_module(f"project.queries.{module.name}") for module in pkgutil.iter_modules(queries.__path__)
]
MAPPERS = {id(value): value for module in MODULES for value in vars(module).values() if isinstance(value, RowMapper)}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    path, _ = full_study.made(tmp_path_factory.mktemp("full"))
    with Study.open(path) as study:
        yield study


@pytest.mark.parametrize("mapper", MAPPERS.values(), ids=lambda mapper: f"{mapper.table} as {mapper.entity.__name__}")
def test_what_is_written_is_read_alike(study: Study, mapper: RowMapper[Any]) -> None:
    names, columns = TABLES[mapper.table].names, mapper.column_list.split(", ")
    rows = study.rows(f"SELECT {mapper.column_list} FROM {mapper.table}")
    entities = mapper.read_all(rows)
    assert rows or mapper.table == "withdrawal"
    for row, entity in zip(rows, entities, strict=True):
        assert mapper.read(row) == entity
        if {*columns} < {*names}:
            continue
        written = dict(zip(names, mapper.cells(entity), strict=True))
        assert mapper.read(tuple(written[column] for column in columns)) == entity


@pytest.mark.parametrize("name", [name for name, table in HUMAN_TABLES.items() if table.key == ("id",)])
def test_what_refers_to_a_deleted_row_goes_with_it_or_stays_without_it_and_undo_brings_all_back(
    study: Study, name: str
) -> None:
    def content() -> dict[str, list[Any]]:
        return {table: sorted(study.rows(f"SELECT * FROM {table}"), key=repr) for table in HUMAN_TABLES}

    before = content()
    with study.step("Delete"):
        delete_with_dependents(study, name, [row[0] for row in study.rows(f"SELECT id FROM {name}")])
    assert study.rows(f"SELECT * FROM {name}") == []
    assert study.rows("PRAGMA foreign_key_check") == []
    study.undo()
    assert content() == before
