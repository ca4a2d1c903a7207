"""Conditions beside raw footage, and people beside judges, as a report tells of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.report.benchmark_report import ReportOptions, build_report, gather_report_input
from benchmark.report.report_document import BenchmarkReport, ResultOrigin
from project.progress import Silent
from project.session.session import Session
from tests.builders.condition_runs import asked_study


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with asked_study(tmp_path) as opened:
        yield opened


def report(session: Session) -> BenchmarkReport:
    return build_report(gather_report_input(session, ReportOptions(), Silent()), {})


def test_each_condition_stands_beside_raw_with_its_tests(session: Session) -> None:
    tables = {table.key: table for section in report(session).sections for table in section.tables}
    values = tables["conditions-accuracy"]
    assert [column.name for column in values.columns][:2] == ["Raw", "Blur"]
    (own,) = [row for row in values.rows if row.origin is not ResultOrigin.PUBLISHED]
    raw, blur = own.cells[:2]
    assert raw.value == 1.0
    assert blur.value is not None
    assert blur.value < 0.7
    (tested,) = tables["against-raw-accuracy"].rows
    assert tested.name.endswith("oracle: blur")
    assert tested.cells[0].value == pytest.approx(blur.value - raw.value)
    assert tested.cells[-1].text in ("different", "open")
    published = [row for row in tables["conditions-macro-f1"].rows if row.origin is ResultOrigin.PUBLISHED]
    assert [row.name for row in published] == ["(L+V) GPT-4o", "(L+V) Gemma-3", "(L+V) LLaVA-Next"]


def test_people_are_measured_rows_under_a_code(session: Session) -> None:
    (table,) = [table for section in report(session).sections for table in section.tables if table.key == "shrec-1"]
    (person,) = [row for row in table.rows if row.origin is ResultOrigin.PERSON]
    assert person.name == "(L) Person A01"
    assert person.cells[0].value == 1.0
    order = [row.origin for row in table.rows]
    assert order.index(ResultOrigin.PERSON) < order.index(ResultOrigin.CHANCE) < order.index(ResultOrigin.PUBLISHED)
