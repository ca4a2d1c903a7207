"""The mode Benchmark in the real window: sets are made, judges are asked, and every number leads to its moment."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from annotate.segments.segment_edits import set_label
from app.gui.benchmark.benchmark_page import TABS, BenchmarkPage
from app.gui.window.main_window import MainWindow
from benchmark.judging.judge_registry import add_judge
from benchmark.runs.run_figures import RunFigures, RunRead, compute_figures
from benchmark.sets.frozen_sets import draw_set
from project.entities.frozen_items import FrozenItem
from project.entities.study_records import Json
from project.queries.item_set_rows import all_sets, answers_of, benchmark_runs, items_of
from project.session.session import Session
from project.store.study import Study
from tests.builders.item_sets import freeze, stretch
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.marked_study import SECOND, WALK, mark, open_study
from tests.builders.waiting import HANG_S

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier
TRAITS: dict[str, Json] = {"labels": ["error", "competence", "none"]}
Open = Callable[..., "Bench"]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path) as made:
        for at in range(12):
            label = "error" if at % 2 else "competence"
            for who in ("Ada", "Bo"):
                mark(made, who, 20 * at, 20 * at + 8, label)
        for name in ("oracle", "random"):
            add_judge(made, name, name)
        yield made


def items(*labels: str) -> list[FrozenItem]:
    return [
        stretch(f"i{at}", 20 * at, 20 * at + 8, label=label, truth={"verdict": {"label": label}}, traits=TRAITS)
        for at, label in enumerate(labels)
    ]


class Bench:
    """The page in the window, for whoever uses it."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self.qtbot = window, qtbot
        window.choose_recording(WALK)
        QTest.keyClick(QApplication.focusWidget() or window, Key.Key_8, CONTROL)
        page = window.workspace.pages.currentWidget()
        assert isinstance(page, BenchmarkPage)
        self.page = page

    @property
    def session(self) -> Session:
        assert self.window.studio.session is not None
        return self.window.studio.session

    def show(self, tab: str) -> None:
        self.page.tabs.setCurrentIndex(TABS.index(tab))

    def make(self) -> None:
        """Make the set that is filled in, and wait until it is there, or is refused."""
        self.page.form.make.click()
        assert not self.page.form.make.isEnabled(), "one set is drawn at a time"
        self.qtbot.waitUntil(self.page.form.make.isEnabled)

    def ask(self, *judges: str) -> None:
        self.show("Run")
        tab = self.page.run
        names = {entry.name: entry.key for entry in tab.judges.entries()}
        tab.judges.set_ticked(names[name] for name in judges)
        tab.run.click()

    def finish(self) -> None:
        self.qtbot.waitUntil(lambda: self.page.run.notes.text() != "")

    def answered(self) -> list[int]:
        return [
            len(answers_of(self.session.study, benchmark_run.id))
            for benchmark_run in benchmark_runs(self.session.study)
        ]


@pytest.fixture
def bench(qtbot: QtBot, open_window: Callable[..., MainWindow], session: Session) -> Open:
    def make(who: str = "Cy") -> Bench:
        path = session.study.path
        session.close()
        window = open_window(path, who)
        qtbot.waitUntil(window.isActiveWindow)
        return Bench(window, qtbot)

    return make


def test_a_set_is_drawn_as_the_form_says(bench: Open) -> None:
    on = bench()
    assert on.page.current_set() == ""
    on.page.new.click()
    form = on.page.form
    form.task.setCurrentIndex(form.task.findData("error"))
    form.name.setText("mine")
    form.seed.setValue(7)
    form.draws.setValue(2)
    form.items.setValue(6)
    on.make()
    (made,) = all_sets(on.session.study)
    assert (made.name, made.task, made.seed, made.draws, made.rule["size"]) == ("mine", "error", 7, 2, 6)
    assert on.page.current_set() == made.id
    assert on.page.tabs.isVisible()
    shown = {row[1]: row[0] for row in on.page.set.left_out.texts()}
    assert shown == {reason: f"{number:,}" for reason, number in made.left_out.items()}
    on.qtbot.waitUntil(lambda: "unchanged" in on.page.set.changed.text())


def test_finer_rules_are_drawn_by_and_told(bench: Open) -> None:
    on = bench()
    on.page.new.click()
    form, rules = on.page.form, on.page.form.rules
    assert not rules.lane.isVisible()
    rules.fold.click()
    assert rules.lane.isVisible()
    assert {key: box.value() for key, box in rules.shares.items()} == {"error": 50, "competence": 30, "none": 20}
    rules.own_shares.setChecked(True)
    for key, share in {"error": 3, "competence": 1, "none": 0}.items():
        rules.shares[key].setValue(share)
    rules.negatives.setCurrentIndex(rules.negatives.findData("annotated"))
    rules.willing.setChecked(True)
    form.draws.setValue(1)
    form.items.setValue(4)
    on.make()
    assert all_sets(on.session.study) == [], "nobody in this study was asked yet"
    assert form.note.text() != ""
    rules.willing.setChecked(False)
    on.make()
    (made,) = all_sets(on.session.study)
    assert made.rule["shares"] == {"error": 3, "competence": 1, "none": 0}
    assert made.rule["negatives"] == "annotated"
    labels = [item.content["label"] for item in items_of(on.session.study, made.id)]
    assert sorted(map(str, labels)) == ["competence", "error", "error", "error"]
    told = [child.text() for child in on.page.set.findChildren(QLabel)]
    assert "own shares of the labels: error 3, competence 1, none 0; none is: marked as none" in told


def test_rules_that_a_task_does_not_know_are_not_offered(bench: Open) -> None:
    on = bench()
    on.page.new.click()
    form, rules = on.page.form, on.page.form.rules
    rules.fold.click()
    rules.own_shares.setChecked(True)
    for task, segments, by_label in (("verdict", True, True), ("rationale", True, False), ("socialnli", False, False)):
        form.task.setCurrentIndex(form.task.findData(task))
        assert (rules.own_shares.isEnabled(), rules.negatives.isEnabled()) == (by_label, by_label), task
        assert bool(form.values().rules.shares) == by_label
        assert rules.lane.isEnabled() == (segments and rules.lane.count() > 1)


def test_what_cannot_be_drawn_is_said_where_it_was_wished(bench: Open) -> None:
    on = bench()
    on.page.new.click()
    form = on.page.form
    form.task.setCurrentIndex(form.task.findData("socialnli"))
    on.make()
    assert form.isVisible()
    assert form.note.text() != ""
    assert "Drawing" not in form.note.text()
    assert all_sets(on.session.study) == []


def test_that_the_study_changed_since_is_said(bench: Open) -> None:
    on = bench("Ada")
    on.page.new.click()
    on.make()
    items_made = on.page.set
    (made,) = all_sets(on.session.study)
    item = next(each.about for each in items_of(on.session.study, made.id) if each.about)
    on.window.studio.edit(lambda session: set_label(session, [item], "none"))
    assert "edited since" in items_made.changed.text()
    on.show("Run")
    on.show("Set")
    on.qtbot.waitUntil(lambda: "changed in the study since" in items_made.changed.text())


def test_judges_are_asked_and_their_figures_lead_to_items_and_moments(bench: Open, session: Session) -> None:
    freeze(session, items("error", "competence", "none", "error"))
    on = bench()
    on.ask("oracle", "random")
    on.finish()
    assert on.answered() == [4, 4]
    assert [row[4] for row in on.page.run.runs.texts()] == ["4 of 4", "4 of 4"]
    on.show("Results")
    on.qtbot.waitUntil(lambda: "2 runs" in on.page.results.status.text())
    rows = on.page.results.table.texts()
    oracle = next(row for row in rows if row[0].startswith("oracle"))
    assert (oracle[1], oracle[2], oracle[4]) == ("Accuracy", "100.0 %", "4")
    assert any(row[0] == "Chance" for row in rows)
    assert any(row[0] == "Published in SHREC" for row in rows)
    on.page.results.published.setChecked(False)
    assert not any(row[0] == "Published in SHREC" for row in on.page.results.table.texts())
    on.page.results.table.click_row(0)
    assert on.page.tabs.currentIndex() == TABS.index("Items")
    table = on.page.items.table
    assert [row[3] for row in table.texts()] == ["error", "competence", "none", "error"]
    assert {row[4] for row in table.texts()} == {"✓ error", "✓ competence", "✓ none"}
    table.click_row(1)
    table.doubleClicked.emit(table.currentIndex())
    assert on.window.player.loop == (20 * SECOND, 28 * SECOND)


def test_figures_are_computed_beside_the_window_and_said_to_be(
    bench: Open, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    freeze(session, items("error", "competence", "none", "error"))
    on = bench()
    on.ask("oracle")
    on.finish()
    go, threads = Event(), []

    def held(read: RunRead, *, parts: bool) -> RunFigures:
        threads.append(current_thread())
        assert go.wait(HANG_S)
        return compute_figures(read, parts=parts)

    monkeypatch.setattr("app.gui.benchmark.benchmark_mode.compute_figures", held)
    tab = on.page.results
    on.show("Results")
    assert "Computing" in tab.status.text()
    assert not any(row[0].startswith("oracle") for row in tab.table.texts())
    on.show("Items")
    assert len(on.page.items.table.texts()) == 4, "what needs no figures is shown meanwhile"
    go.set()
    on.qtbot.waitUntil(lambda: any("oracle" in row[0] for row in tab.table.texts()))
    # The last answers of the run may be told of meanwhile: they are read again first.
    on.qtbot.waitUntil(lambda: "Computing" not in tab.status.text())
    assert main_thread() not in threads
    tab.everything.setChecked(True)
    assert len(threads) == 1, "figures of the same answers are not computed again"


def test_figures_of_a_study_that_was_closed_are_dropped(
    bench: Open, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    freeze(session, items("error", "competence"))
    on = bench()
    on.ask("oracle")
    on.finish()
    began, go, done = Event(), Event(), Event()

    def held(read: RunRead, *, parts: bool) -> RunFigures:
        began.set()
        assert go.wait(HANG_S)
        done.set()
        return compute_figures(read, parts=parts)

    monkeypatch.setattr("app.gui.benchmark.benchmark_mode.compute_figures", held)
    on.show("Results")
    on.qtbot.waitUntil(began.is_set)
    on.window.close_study()
    go.set()
    assert done.wait(HANG_S)
    on.window.background.close()
    QApplication.processEvents()
    assert not any(row[0].startswith("oracle") for row in on.page.results.table.texts())


def test_a_study_that_is_opened_in_this_mode_is_read_once_and_nothing_of_the_one_before_is_seen(
    bench: Open, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    freeze(session, items("error", "competence"))
    on = bench()
    path = on.session.study.path
    Study.create(tmp_path / "other.greenroom", "Other").close()
    assert on.window.open_study(tmp_path / "other.greenroom")
    on.window.set_mode("benchmark")
    on.qtbot.waitUntil(lambda: on.page.current_set() == "")
    read: list[str] = []

    def noted(study: Study, set_id: str) -> list[FrozenItem]:
        read.append(set_id)
        return items_of(study, set_id)

    monkeypatch.setattr("app.gui.benchmark.item_sets.items_of", noted)
    assert on.window.open_study(path)
    assert on.page.isVisible()
    assert not on.page.updatesEnabled()
    on.qtbot.waitUntil(on.page.updatesEnabled)
    assert read == ["set"]
    assert on.page.current_set() == "set"


def test_nothing_is_written_of_a_set_that_was_cancelled(bench: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    on = bench()
    go, done = Event(), Event()

    def held(*args: Any) -> object:
        assert current_thread() is not main_thread()
        assert go.wait(HANG_S)
        found = draw_set(*args)
        done.set()
        return found

    monkeypatch.setattr("app.gui.benchmark.item_sets.draw_set", held)
    on.page.new.click()
    on.page.form.make.click()
    assert "Drawing" in on.page.form.note.text()
    on.page.form.cancel.click()
    go.set()
    assert done.wait(HANG_S)
    on.window.background.close()
    QApplication.processEvents()
    assert all_sets(on.session.study) == []
    assert on.page.form.make.isEnabled()


def test_a_run_that_was_stopped_goes_on(bench: Open, session: Session) -> None:
    freeze(session, items(*["error"] * 30))
    on = bench()
    on.ask("oracle")
    on.page.run.progress.cancel.click()
    on.finish()
    assert "Stopped" in on.page.run.notes.text()
    assert on.page.run.run.isEnabled()
    (run,) = benchmark_runs(on.session.study)
    on.page.run.judges.set_ticked(())
    on.page.run.runs.row_chosen.emit(run.id, 0)
    on.page.run.run.click()
    on.finish()
    on.qtbot.waitUntil(lambda: on.answered() == [30])
    assert benchmark_runs(on.session.study) == [run], "an equal run is taken up"


def test_a_run_ends_with_the_study_that_it_is_about(bench: Open, session: Session) -> None:
    freeze(session, items(*["error", "none"] * 20))
    on = bench()
    on.ask("oracle")
    on.window.close_study()
    on.qtbot.waitUntil(lambda: not on.window.jobs.busy)
    assert not on.page.run.progress.isVisible()
    assert not on.page.run.progress.isVisibleTo(on.page.run)


def test_where_a_judge_would_send_something_is_said_before(bench: Open, session: Session) -> None:
    add_judge(session, "Far", "openai", "model", {"url": "https://judges.example/v1"})
    freeze(session, items("error"))
    on = bench()
    on.show("Run")
    far = next(entry.key for entry in on.page.run.judges.entries() if entry.name == "Far")
    on.page.run.judges.set_ticked([far])
    assert "Far" in on.page.run.ways.text()
    on.page.run.judges.set_ticked([])
    assert on.page.run.ways.text() == ""
    assert not on.page.run.run.isEnabled()


def test_items_are_filtered_by_what_a_judge_made_of_them(bench: Open, session: Session) -> None:
    freeze(session, items("error", "competence", "none", "error", "competence", "none"))
    on = bench()
    on.ask("random")
    on.finish()
    on.show("Items")
    on.qtbot.waitUntil(lambda: len(on.page.items.table.texts()[0]) == 5)
    assert len(on.page.items.table.texts()) == 6
    (run,) = benchmark_runs(on.session.study)
    numbers = {}
    for which, sign in (("right", "✓"), ("wrong", "✗")):
        on.page.items.select_filter(which, run.id)
        numbers[which] = len(on.page.items.table.texts())
        assert all(row[4].startswith(sign) for row in on.page.items.table.texts())
    assert sum(numbers.values()) == 6
    on.page.items.select_filter("unparsed", run.id)
    assert on.page.items.table.texts() == []


def test_what_is_chosen_comes_back_and_everything_has_a_name(bench: Open, session: Session) -> None:
    freeze(session, items("error", "none"))
    on = bench()
    on.show("Run")
    on.page.run.seed.setValue(5)
    looks = on.page.save_state()
    on.page.run.seed.setValue(0)
    on.show("Set")
    on.page.restore_state(looks)
    assert (on.page.run.seed.value(), on.page.tabs.currentIndex()) == (5, TABS.index("Run"))
    for tab in TABS:
        on.show(tab)
        assert nameless(on.page) == []
        assert unexplained(on.page) == []
    on.page.show_form()
    assert nameless(on.page) == []


def test_a_run_that_was_interrupted_is_offered_at_the_next_opening_and_goes_on(
    bench: Open, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    freeze(session, items(*["error"] * 30))
    on = bench()
    path = on.session.study.path
    on.ask("oracle", "random")
    on.qtbot.waitUntil(lambda: on.window.jobs.busy)
    (title,) = on.window.jobs.titles()
    assert "2 judges" in title, "one plan, whichever of its jobs runs"
    on.window.close_study()
    on.qtbot.waitUntil(lambda: not on.window.jobs.busy)
    assert on.window.open_study(path)
    on.qtbot.waitUntil(lambda: on.window.messages.message() == "1 job was interrupted.")
    runs = benchmark_runs(on.session.study)
    assert len(runs) == 2
    on.window.interrupted.acts["resume_interrupted"]()
    on.qtbot.waitUntil(lambda: on.answered() == [30, 30])
    on.qtbot.waitUntil(lambda: not on.window.jobs.titles())
    assert benchmark_runs(on.session.study) == runs, "they go on, and are not begun anew"
    assert on.window.interrupted.list_jobs() == []
