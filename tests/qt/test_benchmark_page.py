"""The mode Benchmark in the real window: sets are made, judges are asked, and every number leads to its moment."""

import shutil
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from annotate.segments.segment_edits import set_label
from app.gui.benchmark.benchmark_page import TABS, BenchmarkPage
from app.gui.window.main_window import MainWindow
from benchmark.judging.judge_registry import add_judge
from benchmark.sets.frozen_sets import draw_set
from project.entities.frozen_items import ItemSet
from project.entities.study_records import Json
from project.queries.item_set_rows import all_sets, answers_of, benchmark_runs, items_of
from project.session.session import Session
from tests.builders.item_sets import freeze, stretch
from tests.builders.main_windows import wait_for_turns
from tests.builders.marked_study import SECOND, WALK, mark, open_study
from tests.builders.mouse_and_keys import press
from tests.builders.waiting import HANG_S
from tests.qt.conftest import OpenWindow
from widgets.table.record_table import TableRow

TRAITS: dict[str, Json] = {"labels": ["error", "competence", "none"]}


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study in which two people marked twelve moments, with two judges."""
    with open_study(tmp_path_factory.mktemp("marked")) as session:
        for at in range(12):
            for who in ("Ada", "Bo"):
                mark(session, who, 20 * at, 20 * at + 8, "error" if at % 2 else "competence")
        for name in ("oracle", "random"):
            add_judge(session, name, name)
        return session.study.path


def with_items(marked: Path, folder: Path, *labels: str) -> Path:
    """Copy the study and freeze a set of items in it."""
    path = Path(shutil.copy(marked, folder / "lab.greenroom"))
    frozen = [
        stretch(f"i{at}", 20 * at, 20 * at + 8, label=label, truth={"verdict": {"label": label}}, traits=TRAITS)
        for at, label in enumerate(labels)
    ]
    with Session.open(path, "Ada") as session:
        freeze(session, frozen)
        add_judge(session, "Far", "openai", "model", {"url": "https://judges.example/v1"})
    return path


class Bench:
    """The page in the window, for whoever uses it."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self.qtbot = window, qtbot
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        window.choose_recording(WALK)
        press(window, "Ctrl+8")
        wait_for_turns()
        self.page: BenchmarkPage = window.pages.current_view()

    @property
    def session(self) -> Session:
        return self.window.studio.session

    def show(self, tab: str) -> None:
        self.page.tabs.setCurrentIndex(TABS.index(tab))

    def make(self) -> ItemSet | None:
        """Make the set that is filled in; return it, or None where it is refused."""
        before = {known.id for known in all_sets(self.session.study)}
        self.page.form.make.click()
        assert not self.page.form.make.isEnabled(), "one set is drawn at a time"
        self.qtbot.waitUntil(self.page.form.make.isEnabled)
        made = [known for known in all_sets(self.session.study) if known.id not in before]
        assert len(made) < 2
        return made[0] if made else None

    def ask(self, *judges: str) -> None:
        self.show("Run")
        names = {entry.name: entry.key for entry in self.page.run.judges.entries()}
        self.page.run.judges.set_ticked(names[name] for name in judges)
        self.page.run.run.click()

    def finish(self) -> None:
        self.qtbot.waitUntil(lambda: self.page.run.notes.text() != "")

    def answered(self) -> list[int]:
        return [len(answers_of(self.session.study, run.id)) for run in benchmark_runs(self.session.study)]

    def item_rows(self) -> list[list[str]]:
        return self.page.items.table.texts()

    def results(self) -> list[list[str]]:
        return self.page.results.table.texts()


@pytest.fixture(scope="module")
def drawing_window(open_shared_window: OpenWindow, marked: Path) -> MainWindow:
    return open_shared_window(marked, "Ada")


@pytest.fixture
def drawing(qtbot: QtBot, drawing_window: MainWindow) -> Bench:
    """The form of a new set; the study has those of other tests."""
    on = Bench(drawing_window, qtbot)
    if on.page.new.isVisible():
        on.page.new.click()
    return on


@pytest.fixture(scope="module")
def asked_window(open_shared_window: OpenWindow, marked: Path, tmp_path_factory: pytest.TempPathFactory) -> MainWindow:
    labels = ("error", "competence", "none", "error", "competence", "none")
    return open_shared_window(with_items(marked, tmp_path_factory.mktemp("asked"), *labels), "Cy")


@pytest.fixture
def asked(qtbot: QtBot, asked_window: MainWindow) -> Bench:
    """The page after two judges were asked about six items."""
    on = Bench(asked_window, qtbot)
    if not on.answered():
        on.ask("oracle", "random")
        on.finish()
    return on


def test_a_set_is_drawn_as_the_form_says(drawing: Bench) -> None:
    form = drawing.page.form
    form.task.setCurrentIndex(form.task.findData("error"))
    form.name.setText("mine")
    form.seed.setValue(7)
    form.draws.setValue(2)
    form.items.setValue(6)
    made = drawing.make()
    assert (made.name, made.task, made.seed, made.draws, made.rule["size"]) == ("mine", "error", 7, 2, 6)
    assert drawing.page.current_set() == made.id
    assert drawing.page.tabs.isVisible()
    shown = {row[1]: row[0] for row in drawing.page.set.left_out.texts()}
    assert shown == {reason: f"{number:,}" for reason, number in made.left_out.items()}
    drawing.qtbot.waitUntil(lambda: "unchanged" in drawing.page.set.changed.text())
    item = next(frozen.about for frozen in items_of(drawing.session.study, made.id) if frozen.about)
    drawing.window.studio.edit(lambda session: set_label(session, [item], "none"))
    assert "edited since" in drawing.page.set.changed.text()
    drawing.show("Run")
    drawing.show("Set")
    drawing.qtbot.waitUntil(lambda: "changed in the study since" in drawing.page.set.changed.text())
    drawing.window.menus.actions["undo"].trigger()


def test_finer_rules_are_drawn_by_and_told(drawing: Bench) -> None:
    form, rules = drawing.page.form, drawing.page.form.rules
    form.task.setCurrentIndex(form.task.findData("verdict"))
    rules.fold.setChecked(False)
    assert not rules.lane.isVisible()
    rules.fold.click()
    assert rules.lane.isVisible()
    assert {key: box.value() for key, box in rules.shares.items()} == {"error": 50, "competence": 30, "none": 20}
    rules.own_shares.setChecked(True)
    for key, share in {"error": 3, "competence": 1, "none": 0}.items():
        rules.shares[key].setValue(share)
    rules.negatives.setCurrentIndex(rules.negatives.findData("annotated"))
    rules.willing.setChecked(True)
    form.name.setText("finer")
    form.draws.setValue(1)
    form.items.setValue(4)
    assert drawing.make() is None, "nobody in this study was asked yet"
    assert form.isVisible()
    assert form.note.text() not in ("", "Drawing")
    rules.willing.setChecked(False)
    made = drawing.make()
    assert made.rule["shares"] == {"error": 3, "competence": 1, "none": 0}
    assert made.rule["negatives"] == "annotated"
    labels = [item.content["label"] for item in items_of(drawing.session.study, made.id)]
    assert sorted(map(str, labels)) == ["competence", "error", "error", "error"]
    assert drawing.page.current_set() == made.id
    told = "own shares of the labels: error 3, competence 1, none 0; none is: marked as none"
    drawing.qtbot.waitUntil(lambda: told in [label.text() for label in drawing.page.set.findChildren(QLabel)])


def test_nothing_is_written_of_a_set_that_was_cancelled(drawing: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    go = Event()

    def held(*args: Any) -> object:
        assert current_thread() is not main_thread()
        assert go.wait(HANG_S)
        return draw_set(*args)

    monkeypatch.setattr("app.gui.benchmark.item_sets.draw_set", held)
    form = drawing.page.form
    form.task.setCurrentIndex(form.task.findData("verdict"))
    form.rules.own_shares.setChecked(False)
    form.rules.negatives.setCurrentIndex(0)
    form.name.setText("cancelled")
    form.make.click()
    assert "Drawing" in form.note.text()
    form.cancel.click()
    go.set()
    assert form.make.isEnabled()
    drawing.page.new.click()
    form.name.setText("after it")
    drawing.make()
    names = [known.name for known in all_sets(drawing.session.study)]
    assert "after it" in names
    assert "cancelled" not in names


def test_judges_are_asked_and_their_figures_lead_to_items_and_moments(asked: Bench) -> None:
    assert asked.answered() == [6, 6]
    assert [row[4] for row in asked.page.run.runs.texts()] == ["6 of 6", "6 of 6"]
    asked.show("Results")
    asked.qtbot.waitUntil(lambda: "2 runs" in asked.page.results.status.text())
    oracle = next(row for row in asked.results() if row[0].startswith("oracle"))
    assert (oracle[1], oracle[2], oracle[4]) == ("Accuracy", "100.0 %", "6")
    asked.page.results.table.click_row(0)
    assert asked.page.tabs.currentIndex() == TABS.index("Items")
    assert [row[3] for row in asked.item_rows()] == ["error", "competence", "none"] * 2
    assert {row[4] for row in asked.item_rows()} == {"✓ error", "✓ competence", "✓ none"}
    table = asked.page.items.table
    table.click_row(1)
    table.doubleClicked.emit(table.currentIndex())
    assert asked.window.player.loop == (20 * SECOND, 28 * SECOND)


def test_what_is_chosen_comes_back_and_where_a_judge_sends_something_is_said_before(asked: Bench) -> None:
    asked.show("Run")
    run = asked.page.run
    run.seed.setValue(5)
    looks = asked.page.save_state()
    run.seed.setValue(0)
    asked.show("Set")
    asked.page.restore_state(looks)
    assert (run.seed.value(), asked.page.tabs.currentIndex()) == (5, TABS.index("Run"))
    run.judges.set_ticked([entry.key for entry in run.judges.entries() if entry.name == "Far"])
    assert "Far" in run.ways.text()
    run.judges.set_ticked([])
    assert run.ways.text() == ""
    assert not run.run.isEnabled()


def test_a_run_that_was_stopped_or_interrupted_goes_on(
    qtbot: QtBot, open_window: OpenWindow, marked: Path, tmp_path: Path
) -> None:
    path = with_items(marked, tmp_path, *["error"] * 30)
    on = Bench(open_window(path, "Cy"), qtbot)
    on.ask("oracle")
    on.page.run.progress.cancel.click()
    on.finish()
    assert "Stopped" in on.page.run.notes.text()
    assert on.page.run.run.isEnabled()
    (stopped,) = benchmark_runs(on.session.study)
    on.page.run.judges.set_ticked(())
    on.page.run.runs.chosen.emit(TableRow(stopped.id, ()))
    on.page.run.run.click()
    qtbot.waitUntil(lambda: on.answered() == [30])
    qtbot.waitUntil(lambda: not on.window.jobs.busy)
    assert benchmark_runs(on.session.study) == [stopped], "an equal run is taken up"

    on.page.run.seed.setValue(1)
    on.ask("oracle", "random")
    qtbot.waitUntil(lambda: on.window.jobs.busy)
    (title,) = on.window.jobs.titles()
    assert "2 judges" in title, "one plan, whichever of its jobs runs"
    on.window.close_study()
    qtbot.waitUntil(lambda: not on.window.jobs.busy)
    assert not on.page.run.progress.isVisibleTo(on.page.run)
    assert on.window.open_study(path)
    qtbot.waitUntil(lambda: on.window.messages.message() == "1 job was interrupted.")
    runs = benchmark_runs(on.session.study)
    assert len(runs) == 3
    on.window.interrupted.acts["resume_interrupted"]()
    qtbot.waitUntil(lambda: on.answered() == [30, 30, 30])
    qtbot.waitUntil(lambda: not on.window.jobs.titles())
    assert benchmark_runs(on.session.study) == runs, "they go on, and are not begun anew"
    assert on.window.interrupted.list_jobs() == []
