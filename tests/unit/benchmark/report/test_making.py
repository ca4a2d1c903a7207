"""A report of a study: its numbers are the figures, it tells nothing that it must not, and it is whole or not there."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.judging.judge_registry import add_judge
from benchmark.report.benchmark_report import ReportOptions, build_report, gather_report_input, write_report
from benchmark.report.report_document import BenchmarkReport, NumberFormat, ReportTable, ResultOrigin, format_cell
from benchmark.runs.run_figures import RunFigures, read_figures
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from project.entities.frozen_items import ItemSet
from project.errors import UserError
from project.progress import Silent
from project.queries.item_set_rows import items_of
from project.queries.judgment_rows import all_judges
from project.queries.recording_rows import set_hold_out
from project.session.session import Session
from tests.builders.item_sets import verdicts
from tests.builders.marked_study import open_study

LABELS = ("error", "none", "competence", "error", "none", "error") * 5
HOMES = ("walk", "walk 2", "walk 3")
TRAITS = [
    {
        "attributes": ["norms", "emotions"][: 1 + at % 2],
        "agreed": at % 3 > 0,
        "collection": ("Family of Grace Hopper", "anna", "error")[at % 3],
    }
    for at in range(len(LABELS))
]
PRIVATE_JUDGE = "made by Ada at /home/ada/models/qwen.gguf"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=3) as opened:
        add_judge(opened, "oracle", "oracle", "", {})
        add_judge(opened, "random", "random", "", {})
        add_judge(opened, PRIVATE_JUDGE, "reliable", "", {"right": 0.8})
        yield opened


@pytest.fixture
def item_set(session: Session) -> ItemSet:
    return verdicts(session, LABELS, draws=3, recordings=HOMES, traits=TRAITS, name="walks of /home/ada/x")[0]


@pytest.fixture
def asked(session: Session, item_set: ItemSet) -> list[RunFigures]:
    run_benchmark(session, BenchmarkRequest([item_set], all_judges(session.study)), Silent())
    return read_figures(session)


EVERYTHING = ReportOptions()


def report(session: Session, wish: ReportOptions = EVERYTHING, hidden: frozenset[str] = frozenset()) -> BenchmarkReport:
    return build_report(gather_report_input(session, wish, Silent(), hidden), {})


def tables(made: BenchmarkReport) -> dict[str, ReportTable]:
    return {table.key: table for section in made.sections for table in section.tables}


def everything(made: BenchmarkReport, folder: Path) -> str:
    files = write_report(made, folder, Silent())
    return "\n".join((folder / file).read_text("utf-8-sig") for file in files)


def test_the_numbers_of_the_papers_tables_are_the_figures(session: Session, asked: list[RunFigures]) -> None:
    table = tables(report(session))["shrec-1"]
    own = [row for row in table.rows if row.origin in (ResultOrigin.JUDGE, ResultOrigin.BASELINE)]
    assert len(own) == len(asked) == 3
    places = [column.key for column in table.columns]
    for metric in ("accuracy", "macro_f1"):
        cells = [row.cells[places.index(f"verdict.{metric}")] for row in own]
        figures = [run_figures.row(metric) for run_figures in asked]
        assert {(cell.value, cell.sd, cell.low, cell.high, cell.n) for cell in cells} == {
            (figure.mean, figure.sd, figure.low, figure.high, figure.n) for figure in figures if figure is not None
        }
    chance = next(row for row in table.rows if row.origin is ResultOrigin.CHANCE)
    assert chance.cells[places.index("verdict.accuracy")].value == pytest.approx(1 / 3)


def test_published_rows_stand_below_with_their_source(session: Session, asked: list[RunFigures]) -> None:
    rows = tables(report(session))["shrec-1"].rows
    published = [row for row in rows if row.origin is ResultOrigin.PUBLISHED]
    assert len(published) == 18
    assert rows[-18:] == tuple(published)
    human = next(row for row in published if row.name == "Human")
    assert [format_cell(cell, NumberFormat.SHARE) for cell in human.cells[:2]] == ["0.57", "0.45"]
    assert human.source == "SHREC, Table 1"


def test_every_number_leads_to_a_list_that_is_there(session: Session, asked: list[RunFigures]) -> None:
    made = report(session)
    parts = {
        report_item_list.key: {"", *(part.key for part in report_item_list.parts)} for report_item_list in made.lists
    }
    targets = [
        cell.target for table in tables(made).values() for row in table.rows for cell in row.cells if cell.target
    ]
    assert targets
    assert all(target.part in parts[target.list] for target in targets)
    for report_item_list, figures in zip(
        made.lists, (gather_report_input(session, ReportOptions(), Silent()).runs.runs), strict=True
    ):
        right = [line.outcome == "right" for line in report_item_list.lines]
        assert sum(right) == sum(item.right is True for item in figures.figures.items)
        assert [line.number for line in report_item_list.lines] == [*range(1, len(LABELS) + 1)]


def test_parts_hold_the_items_that_the_figure_is_about(session: Session, asked: list[RunFigures]) -> None:
    made = report(session)
    table = tables(made)["agreed-verdict"]
    cell = table.rows[0].cells[0]
    report_item_list = next(each for each in made.lists if each.key == cell.target.list)
    part = next(each for each in report_item_list.parts if each.key == cell.target.part)
    assert len(part.numbers) == cell.n
    assert all("agreed" in report_item_list.lines[number - 1].keys.traits.split(", ") for number in part.numbers)


def test_people_read_what_the_scheme_calls_labels_and_programs_its_keys(
    session: Session, asked: list[RunFigures], tmp_path: Path
) -> None:
    made = report(session)
    columns = tables(made)["error-f1-by-attribute-verdict"].columns
    assert {column.key: column.name for column in columns} == {
        "norms": "Social norms and routines",
        "emotions": "Emotions",
    }
    line = next(line for line in made.lists[0].lines if line.keys.truth == "none")
    assert line.labels.truth == "None"
    assert "Emotions" in line.labels.traits
    assert "emotions" in line.keys.traits
    written = everything(made, tmp_path / "out")
    assert ">Social norms and routines<" in written
    assert "attributes-norms" in written


def test_a_report_tells_no_name_no_path_and_no_text(session: Session, asked: list[RunFigures], tmp_path: Path) -> None:
    text = everything(report(session), tmp_path / "out")
    for secret in ("Grace", "Hopper", "Ada", "/home", "qwen.gguf", "walk", "anna", str(session.study.folder), "Bo "):
        assert secret not in text, secret
    assert "Judge 3" in text or "Judge 1" in text or "Judge 2" in text
    assert "Collection 1" in text
    assert [column.name for column in tables(report(session))["verdict-by-collection"].columns] == [
        *("Collection 1", "Collection 2", "Collection 3")
    ]


def test_texts_go_in_when_asked_for_and_the_report_says_so_loudly(
    session: Session, asked: list[RunFigures], tmp_path: Path
) -> None:
    made = report(session, ReportOptions(include_texts=True))
    assert "Do not pass it on" in made.warning
    text = (tmp_path / "out" / "report.html", tmp_path / "out" / "items" / f"{made.lists[0].key}.html")
    write_report(made, tmp_path / "out", Silent())
    assert all('class="warning"' in path.read_text("utf-8") for path in text)
    assert report(session).warning == ""


def test_items_of_held_out_recordings_count_and_are_not_listed(session: Session, asked: list[RunFigures]) -> None:
    before = tables(report(session))["shrec-1"].rows[0].cells
    with session.study.step("Hold out"):
        set_hold_out(session.study, HOMES[0], True)
    made = report(session)
    assert tables(made)["shrec-1"].rows[0].cells == before
    for report_item_list in made.lists:
        assert report_item_list.withheld == len(LABELS) // 3
        assert len(report_item_list.lines) == len(LABELS) - report_item_list.withheld
        assert 1 not in {line.recording for line in report_item_list.lines}


def test_items_that_somebody_still_answers_are_not_shown(
    session: Session, item_set: ItemSet, asked: list[RunFigures]
) -> None:
    hidden = frozenset(item.id for item in items_of(session.study, item_set.id)[:4])
    assert all(report_item_list.withheld == 4 for report_item_list in report(session, hidden=hidden).lists)


def test_the_same_judges_beside_an_earlier_report_have_changed_nothing(
    session: Session, asked: list[RunFigures], tmp_path: Path
) -> None:
    write_report(report(session), tmp_path / "before", Silent())
    table = tables(report(session, ReportOptions(compare_with=str(tmp_path / "before"))))["earlier"]
    assert len(table.rows) == 6
    assert {row.cells[2].value for row in table.rows} == {0.0}
    assert {row.cells[-1].text for row in table.rows} == {"within noise"}


def test_a_change_beyond_noise_is_called_one(session: Session, asked: list[RunFigures], tmp_path: Path) -> None:
    write_report(report(session), tmp_path / "before", Silent())
    path = tmp_path / "before" / "results.json"
    found = json.loads(path.read_text())
    for one in found["runs"]:
        one["right"] = dict.fromkeys(one["right"], False)
        for figure in one["figures"]:
            figure["mean"], figure["interval"] = 0.0, [0.0, 0.0]
    path.write_text(json.dumps(found))
    rows = tables(report(session, ReportOptions(compare_with=str(path))))["earlier"].rows
    says = {row.name: row.cells[-1].text for row in rows}
    assert says["Verdict: (L) oracle, accuracy"] == "better"
    oracle = next(row for row in rows if row.name == "Verdict: (L) oracle, accuracy")
    assert [cell.value for cell in oracle.cells[4:6]] == [0.0, float(len(LABELS))]


def test_runs_are_compared_with_one_of_this_study(session: Session, asked: list[RunFigures]) -> None:
    random = next(run_figures for run_figures in asked if run_figures.judge == "random")
    table = tables(report(session, ReportOptions(compare_with=random.run.id)))["earlier"]
    assert all("beside (L) random of " in row.name for row in table.rows)
    assert {row.name.split(" beside ")[0] for row in table.rows} >= {"Verdict: (L) oracle"}


def test_what_is_no_earlier_report_is_refused_in_one_line(
    session: Session, asked: list[RunFigures], tmp_path: Path
) -> None:
    (tmp_path / "results.json").write_text("[]")
    with pytest.raises(UserError, match="not the results of a report"):
        report(session, ReportOptions(compare_with=str(tmp_path)))
    with pytest.raises(UserError, match="no run"):
        report(session, ReportOptions(compare_with="nowhere"))


def test_a_folder_that_holds_anything_is_refused_and_nothing_is_left(
    session: Session, asked: list[RunFigures], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine").write_text("x")
    with pytest.raises(UserError, match="not empty"):
        write_report(report(session), out, Silent())
    assert [path.name for path in out.iterdir()] == ["mine"]


def test_a_report_that_cannot_be_made_whole_is_not_there(
    session: Session, asked: list[RunFigures], tmp_path: Path
) -> None:
    made = report(session)
    broken = replace(made, lists=(*made.lists, replace(made.lists[0], key="../outside")))
    with pytest.raises(ValueError, match="name of a file"):
        write_report(broken, tmp_path / "out", Silent())
    assert not (tmp_path / "out").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".greenroom")]


def test_a_study_in_which_nothing_was_asked_says_what_to_do(session: Session) -> None:
    with pytest.raises(UserError, match="asked yet"):
        report(session)
