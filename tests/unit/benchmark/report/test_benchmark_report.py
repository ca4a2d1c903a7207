"""A report of a study: its numbers are the figures, it tells nothing that it must not, and it is whole or not there."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.judging.judge_registry import add_judge
from benchmark.report.benchmark_report import ReportOptions, build_report, gather_report_input, write_report
from benchmark.report.report_data import read_item_texts, set_names
from benchmark.report.report_document import BenchmarkReport, ReportTable, ResultOrigin
from benchmark.runs.run_figures import read_figures
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from project.errors import UserError
from project.progress import Silent
from project.queries.item_set_rows import items_of
from project.queries.judgment_rows import all_judges
from project.queries.recording_rows import set_hold_out
from project.session.session import Session
from project.text_tables import NumberFormat, format_cell
from tests.builders.condition_runs import HOMES, LABELS, asked_study
from tests.builders.item_sets import verdicts
from tests.builders.marked_study import WALK, open_study

TRAITS = [
    {
        "attributes": ["norms", "emotions"][: 1 + at % 2],
        "agreed": at % 3 > 0,
        "collection": ("Family of Grace Hopper", "anna", "error")[at % 3],
    }
    for at in range(len(LABELS))
]
PRIVATE_JUDGE = "made by Ada at /home/ada/models/qwen.gguf"


EVERYTHING = ReportOptions()


@contextmanager
def open_asked(folder: Path) -> Iterator[Session]:
    """Three judges' runs over a set whose name tells where somebody keeps it."""
    with open_study(folder, recordings=3) as session:
        add_judge(session, "oracle", "oracle", "", {})
        add_judge(session, "random", "random", "", {})
        add_judge(session, PRIVATE_JUDGE, "reliable", "", {"right": 0.8})
        frozen, _ = verdicts(session, LABELS, draws=3, recordings=HOMES, traits=TRAITS, name="walks of /home/ada/x")
        run_benchmark(session, BenchmarkRequest([frozen], all_judges(session.study)), Silent())
        yield session


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with open_asked(tmp_path_factory.mktemp("report")) as session:
        yield session


@pytest.fixture(scope="module")
def made(asked: Session) -> BenchmarkReport:
    return report(asked)


def report(session: Session, wish: ReportOptions = EVERYTHING, hidden: frozenset[str] = frozenset()) -> BenchmarkReport:
    return build_report(gather_report_input(session, wish, Silent(), hidden), {})


def tables(made: BenchmarkReport) -> dict[str, ReportTable]:
    return {table.key: table for section in made.sections for table in section.tables}


def everything(made: BenchmarkReport, folder: Path) -> str:
    files = write_report(made, folder, Silent())
    return "\n".join((folder / file).read_text("utf-8-sig") for file in files)


def test_the_numbers_of_the_papers_tables_are_the_figures(asked: Session, made: BenchmarkReport) -> None:
    table, runs = tables(made)["shrec-1"], read_figures(asked)
    own = [row for row in table.rows if row.origin in (ResultOrigin.JUDGE, ResultOrigin.BASELINE)]
    assert len(own) == len(runs) == 3
    places = [column.key for column in table.columns]
    for metric in ("accuracy", "macro_f1"):
        cells = [row.cells[places.index(f"verdict.{metric}")] for row in own]
        figures = [run.row(metric) for run in runs]
        assert {(cell.value, cell.sd, cell.low, cell.high, cell.n) for cell in cells} == {
            (figure.mean, figure.sd, figure.low, figure.high, figure.n) for figure in figures
        }
    chance = next(row for row in table.rows if row.origin is ResultOrigin.CHANCE)
    assert chance.cells[places.index("verdict.accuracy")].value == pytest.approx(1 / 3)


def test_published_rows_stand_below_with_their_source(made: BenchmarkReport) -> None:
    rows = tables(made)["shrec-1"].rows
    published = [row for row in rows if row.origin is ResultOrigin.PUBLISHED]
    assert (len(published), rows[-18:]) == (18, tuple(published))
    human = next(row for row in published if row.name == "Human")
    assert [format_cell(cell, NumberFormat.SHARE) for cell in human.cells[:2]] == ["0.57", "0.45"]
    assert human.source == "SHREC, Table 1"
    assert "Other than in SHREC, verdict" in tables(made)["shrec-1"].note


def test_every_number_leads_to_a_list_that_is_there_with_the_items_it_is_about(
    asked: Session, made: BenchmarkReport
) -> None:
    parts = {items.key: {"", *(part.key for part in items.parts)} for items in made.lists}
    rows = [row for table in tables(made).values() for row in table.rows]
    targets = [cell.target for row in rows for cell in row.cells if cell.target]
    assert targets
    assert all(part in parts[key] for key, _, part in (target.partition("#") for target in targets))
    for items, figures in zip(made.lists, read_figures(asked, samples=0), strict=True):
        right = [line.outcome == "right" for line in items.lines]
        assert sum(right) == sum(item.right is True for item in figures.items)
        assert [line.number for line in items.lines] == [*range(1, len(LABELS) + 1)]
    cell = tables(made)["agreed-verdict"].rows[0].cells[0]
    list_key, _, part_key = cell.target.partition("#")
    items = next(each for each in made.lists if each.key == list_key)
    part = next(each for each in items.parts if each.key == part_key)
    assert len(part.numbers) == cell.n > 0
    assert all("agreed" in items.lines[number - 1].keys.traits.split(", ") for number in part.numbers)


def test_people_read_what_the_scheme_calls_labels_and_programs_its_keys(made: BenchmarkReport, tmp_path: Path) -> None:
    columns = tables(made)["error-f1-by-attribute-verdict"].columns
    names = {"norms": "Social norms and routines", "emotions": "Emotions"}
    assert {column.key: column.title for column in columns} == names
    line = next(line for line in made.lists[0].lines if line.keys.truth == "none")
    assert line.labels.truth == "None"
    assert "Emotions" in line.labels.traits
    assert "emotions" in line.keys.traits
    written = everything(made, tmp_path / "out")
    assert ">Social norms and routines<" in written
    assert "attributes-norms" in written


def test_a_report_tells_no_name_no_path_and_no_text(asked: Session, made: BenchmarkReport, tmp_path: Path) -> None:
    text = everything(made, tmp_path / "out")
    for secret in ("Grace", "Hopper", "Ada", "/home", "qwen.gguf", "walk", "anna", str(asked.study.folder), "Bo "):
        assert secret not in text, secret
    assert any(f"Judge {number}" in text for number in (1, 2, 3))
    columns = tables(made)["verdict-by-collection"].columns
    assert [column.title for column in columns] == ["Collection 1", "Collection 2", "Collection 3"]
    (run, *_) = read_figures(asked, samples=0)
    for name, told in (("Chosen by Ada", "set 1"), ("kept in /home/ada/x", "set 1"), ("Chosen", "Chosen")):
        named = replace(run, item_set=replace(run.item_set, name=name))
        assert [*set_names(asked, [named]).values()] == [told]


def test_texts_go_in_when_asked_for_and_the_report_says_so_loudly(
    asked: Session, made: BenchmarkReport, tmp_path: Path
) -> None:
    private = report(asked, ReportOptions(include_texts=True))
    assert "Do not pass it on" in private.warning
    write_report(private, tmp_path / "out", Silent())
    for page in ("report.html", f"items/{private.lists[0].key}.html"):
        assert 'class="warning"' in (tmp_path / "out" / page).read_text("utf-8")
    assert made.warning == ""


def test_options_of_what_may_not_leave_or_is_gone_are_left_out(asked: Session) -> None:
    run = read_figures(asked, samples=0)[0]
    item = items_of(asked.study, run.run.set_id)[0]
    for home, withheld, told in ((WALK, [], 1), (WALK, [WALK], 0), ("gone", [], 0)):
        borrowing = replace(item, content={**item.content, "options": ["One.", "Two."], "homes": [home]})
        assert len(read_item_texts(asked, run, {item.id: borrowing}, withheld)) == told


def test_items_of_held_out_recordings_count_and_are_not_listed(tmp_path: Path) -> None:
    with open_asked(tmp_path) as session:
        with session.study.step("Hold out"):
            set_hold_out(session.study, HOMES[0], True)
        held_out = report(session)
    rows = {row.name: row.cells[0] for row in tables(held_out)["shrec-1"].rows}
    assert (rows["(L) oracle"].value, rows["(L) oracle"].n) == (1.0, len(LABELS))
    assert len(held_out.lists) == 3
    for items in held_out.lists:
        assert items.withheld == len(LABELS) // 3
        assert len(items.lines) == len(LABELS) - items.withheld
        assert 1 not in {line.recording for line in items.lines}


def test_items_that_somebody_still_answers_are_not_shown(asked: Session) -> None:
    (set_id,) = {run.run.set_id for run in read_figures(asked, samples=0)}
    hidden = frozenset(item.id for item in items_of(asked.study, set_id)[:4])
    assert [items.withheld for items in report(asked, hidden=hidden).lists] == [4, 4, 4]


def test_beside_an_earlier_report_a_change_beyond_noise_is_called_one(
    asked: Session, made: BenchmarkReport, tmp_path: Path
) -> None:
    write_report(made, tmp_path / "before", Silent())
    table = tables(report(asked, ReportOptions(compare_with=str(tmp_path / "before"))))["earlier"]
    assert len(table.rows) == 6
    assert {(row.cells[2].value, row.cells[-1].value) for row in table.rows} == {(0.0, "within noise")}
    path = tmp_path / "before" / "results.json"
    results = json.loads(path.read_text())
    for run in results["runs"]:
        run["right"] = dict.fromkeys(run["right"], False)
        for figure in run["figures"]:
            figure["mean"], figure["interval"] = 0.0, [0.0, 0.0]
    path.write_text(json.dumps(results))
    rows = {row.name: row for row in tables(report(asked, ReportOptions(compare_with=str(path))))["earlier"].rows}
    oracle = rows["Verdict: (L) oracle, accuracy"]
    assert oracle.cells[-1].value == "better"
    assert [cell.value for cell in oracle.cells[4:6]] == [0.0, float(len(LABELS))]
    random = next(run for run in read_figures(asked, samples=0) if run.judge == "random")
    beside = tables(report(asked, ReportOptions(compare_with=random.run.id)))["earlier"].rows
    assert "Verdict: (L) oracle" in {row.name.split(" beside (L) random of ")[0] for row in beside}


def test_a_report_is_whole_in_an_empty_folder_or_not_there(
    asked: Session, made: BenchmarkReport, tmp_path: Path, session: Session
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "results.json").write_text("[]")
    with pytest.raises(UserError, match="not empty"):
        write_report(made, out, Silent())
    for named, says in ((str(out), "not contain the results of a report"), ("nowhere", "no run")):
        with pytest.raises(UserError, match=says):
            report(asked, ReportOptions(compare_with=named))
    assert [path.name for path in out.iterdir()] == ["results.json"]
    broken = replace(made, lists=(*made.lists, replace(made.lists[0], key="../outside")))
    with pytest.raises(ValueError, match="name of a file"):
        write_report(broken, tmp_path / "new", Silent())
    assert not (tmp_path / "new").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".greenroom")]
    with pytest.raises(UserError, match="no benchmark runs yet"):
        report(session)


def test_conditions_stand_beside_raw_with_their_tests_and_people_under_a_code(tmp_path: Path) -> None:
    with asked_study(tmp_path) as session:
        by_key = tables(report(session))
    values = by_key["conditions-accuracy"]
    assert [column.title for column in values.columns][:2] == ["Raw", "Blur"]
    (own,) = [row for row in values.rows if row.origin is not ResultOrigin.PUBLISHED]
    raw, blur = own.cells[:2]
    assert raw.value == 1.0
    assert blur.value < 0.7
    (tested,) = by_key["against-raw-accuracy"].rows
    assert tested.name.endswith("oracle: blur")
    assert tested.cells[0].value == pytest.approx(blur.value - raw.value)
    assert tested.cells[-1].value in ("different", "open")
    published = [row for row in by_key["conditions-macro-f1"].rows if row.origin is ResultOrigin.PUBLISHED]
    assert [row.name for row in published] == ["(L+V) GPT-4o", "(L+V) Gemma-3", "(L+V) LLaVA-Next"]
    rows = by_key["shrec-1"].rows
    (person,) = [row for row in rows if row.origin is ResultOrigin.PERSON]
    assert (person.name, person.cells[0].value) == ("(L) Person A01", 1.0)
    order = [row.origin for row in rows]
    assert order.index(ResultOrigin.PERSON) < order.index(ResultOrigin.CHANCE) < order.index(ResultOrigin.PUBLISHED)
