"""Reports as tables: the same numbers, and no cell that a spreadsheet runs."""

import csv
import io
from pathlib import Path

import pytest

from annotate.agreement.agreement_report import AgreementReport
from annotate.agreement.annotation_arrays import Options
from annotate.agreement.study_agreement import AgreementQuery, build_report_tables, report_agreement
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from project.text_format import to_csv


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> AgreementReport:
    path = tmp_path_factory.mktemp("tables") / "s.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=5, segments=90)
    with Session.open(path, "Ada", read_only=True) as session:
        return report_agreement(session, AgreementQuery(options=Options(samples=50)))


def read(report: AgreementReport, name: str) -> list[dict[str, str]]:
    head, rows = build_report_tables(report)[name]
    return list(csv.DictReader(io.StringIO(to_csv(head, rows))))


def number(text: str) -> float | None:
    return float(text) if text else None


def test_the_table_of_figures_equals_the_report(report: AgreementReport) -> None:
    rows = {row["figure"]: row for row in read(report, "figures")}
    every = {
        **report.main,
        **{f"f1_iou.{level}": statistic_result for level, statistic_result in report.f1_iou.items()},
    }
    for key, figure in every.items():
        row = rows[key]
        assert [number(row[part]) for part in ("value", "low", "high")] == [figure.value, figure.low, figure.high]
        assert (int(row["n"]), row["reason"]) == (figure.n, figure.reason)
    assert rows["third_agreement"]["value"] == ""


def test_the_tables_by_group_equal_the_report(report: AgreementReport) -> None:
    for split, groups in report.rows.items():
        for row, group in zip(read(report, f"by_{split}"), groups, strict=True):
            assert (row["key"], row["name"]) == (group.key, group.name)
            for key, figure in group.figures.items():
                assert (number(row[f"{key}.value"]), int(row[f"{key}.n"])) == (figure.value, figure.n)


def test_the_other_tables(report: AgreementReport) -> None:
    head, rows = build_report_tables(report)["confusion"]
    assert head == ("", "Error", "Competence", "None", "unmatched")
    assert [list(row[1:]) for row in rows] == report.confusion.tolist()
    published = read(report, "published")
    assert [float(row["published"]) for row in published] == [beside.published.value for beside in report.published]
    field = report.fields[0]
    found = [row for row in read(report, "form") if row["field"] == field.key and not row["choice"]]
    assert {row["figure"]: number(row["value"]) for row in found} == {
        key: figure.value for key, figure in field.figures.items()
    }


def test_a_name_is_never_a_formula(tmp_path: Path) -> None:
    text = to_csv(("=1+1", "n"), [("=HYPERLINK(1)", 1), ("+x", -0.25), ("\t@y", None), ('a "b", c', 1e-12)])
    found = list(csv.reader(io.StringIO(text)))
    assert [row[0] for row in found] == ["'=1+1", "'=HYPERLINK(1)", "'+x", "'\t@y", 'a "b", c']
    assert [row[1] for row in found[1:]] == ["1", "-0.25", "", "1e-12"]
