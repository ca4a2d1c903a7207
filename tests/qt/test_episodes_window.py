"""Episodes in the real window: put together, played at the keyboard and by judges, gone on from a segment, rated."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from annotate.blinding.reveals import set_blind_first
from annotate.study.people import add_participant
from app.gui.episodes.episodes_window import EpisodesWindow
from app.gui.window.main_window import MainWindow
from benchmark.episodes.episode_ratings import read_judge_ratings
from benchmark.episodes.episode_setup import save_character, save_scenario
from benchmark.episodes.episode_state import read_episode_state
from benchmark.judging.judge_registry import add_judge
from project.entities.roleplay import Act, EpisodeEnd, Relationship, Scenario
from project.entities.study_records import Json, ParticipantRole
from project.queries.episode_rows import all_characters, all_episodes, all_scenarios
from project.session.session import Session
from tests.builders.episodes import ANNA, BRAM, GOALS, SCENE, acts
from tests.builders.main_windows import wait_for_turns
from tests.builders.marked_study import WALK, mark, open_study
from tests.builders.misbehaving_server import Server, misbehaving
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenReused

Open = Callable[[], EpisodesWindow]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        for profile in (ANNA, BRAM):
            save_character(session, profile)
        save_scenario(session, Scenario("", "lamp", SCENE, Relationship.STRANGER, GOALS))
        return session.study.path


@pytest.fixture
def opened(qtbot: QtBot, open_reused: OpenReused, study: Path) -> Callable[[], EpisodesWindow]:
    def show() -> EpisodesWindow:
        main = open_reused(study)
        main.choose_recording(WALK)
        window: EpisodesWindow = main.windows.open_window("episodes")
        wait_for_turns()
        return window

    return show


@pytest.fixture
def session(module_window: MainWindow) -> Callable[[], Session]:
    return lambda: module_window.studio.session


def player(path: Path, server: Server) -> None:
    settings: dict[str, Json] = {"url": server.url, "sees": "text", "tries": 1}
    with Session.open(path, "Ada") as session:
        add_judge(session, "player", "openai", "fake-1", settings)


def play_with(window: EpisodesWindow, *players: str) -> None:
    """Choose who plays whom."""
    for place, name in enumerate(players, 1):
        boxes = window.page.start.findChildren(QComboBox)
        (found,) = (box for box in boxes if box.accessibleName() == f"Who plays number {place}")
        found.setCurrentText(name)


def test_a_person_plays_against_a_judge_and_sees_nothing_of_its_goal(
    qtbot: QtBot, opened: Open, session: Callable[[], Session], study: Path, module_window: MainWindow
) -> None:
    with misbehaving(acts("speak", "Forty."), acts("leave")) as server:
        player(study, server)
        window = opened()
        window.page.new.click()
        assert window.page.is_showing(window.page.start)
        play_with(window, "player", "Person")
        assert window.page.start.agreed.isVisibleTo(window)
        window.page.start.start.click()
        play = window.page.play
        qtbot.waitUntil(lambda: play.turns.texts() == ["Stranger  Forty."])
        qtbot.waitUntil(lambda: play.bar.isVisibleTo(window) and play.bar.isEnabled())
        seen = "\n".join((play.known.toPlainText(), *play.turns.texts(), play.status.text(), play.scene.text()))
        for known in (GOALS[1], BRAM.secret.rstrip("."), BRAM.occupation):
            assert known in seen
        for hidden in (GOALS[0], ANNA.secret.rstrip("."), ANNA.occupation, "Anna"):
            assert hidden not in seen
        play.bar.words.setText("Thirty?")
        play.bar.take.click()
        qtbot.waitUntil(lambda: len(play.turns.texts()) == 3)
        (episode,) = all_episodes(session().study)
        assert episode.ended is EpisodeEnd.LEFT
        qtbot.waitUntil(lambda: ANNA.secret in play.known.toPlainText())
        assert not play.bar.isVisibleTo(window)
        assert "Thirty?" in server.asked[1].body["messages"][-1]["content"]
        module_window.studio.undo()
        qtbot.waitUntil(lambda: len(play.turns.texts()) == 2)


def test_judges_play_among_themselves_can_be_stopped_and_rate(
    qtbot: QtBot, opened: Open, session: Callable[[], Session], study: Path
) -> None:
    with misbehaving(acts("speak", "No."), acts("action", "nods"), acts("leave")) as server:
        player(study, server)
        window = opened()
        window.page.new.click()
        play_with(window, "player", "player")
        assert not window.page.start.agreed.isVisibleTo(window)
        window.page.start.start.click()
        play = window.page.play
        qtbot.waitUntil(lambda: len(play.turns.texts()) == 3)
        (episode,) = all_episodes(session().study)
        played = read_episode_state(session(), episode.recording_id).played_turns
        assert [episode_turn.turn.act for episode_turn in played] == [Act.SPEAK, Act.ACTION, Act.LEAVE]
        assert GOALS[0] in play.known.toPlainText()
        chance, _ = add_judge(session(), "chance", "random")
        window.refresh()
        play.rate.click()
        assert "Choose a judge first" in play.status.text()
        play.judges.set_ticked([chance.id])
        play.rate.click()
        qtbot.waitUntil(lambda: len(read_judge_ratings(session(), episode.recording_id)) == 2)
        window.refresh()
        assert "Rated by" not in play.known.toPlainText()
        assert "played by" not in play.known.toPlainText()
        set_blind_first(session(), False)
        window.refresh()
        assert "Rated by chance" in play.known.toPlainText()
        assert "played by player" in play.known.toPlainText()


def test_two_at_one_keyboard_see_what_they_know_behind_a_curtain(
    qtbot: QtBot, opened: Open, session: Callable[[], Session], study: Path
) -> None:
    window = opened()
    window.page.new.click()
    play_with(window, "Person", "Person")
    window.page.start.start.click()
    play = window.page.play
    for name, goal in (("Anna Berg", GOALS[0]), ("Bram Vos", GOALS[1])):
        assert not play.known.isVisibleTo(window)
        assert not play.bar.isVisibleTo(window)
        assert name in play.raise_curtain.text()
        play.raise_curtain.click()
        assert goal in play.known.toPlainText()
        qtbot.waitUntil(play.bar.isEnabled)
        play.bar.words.setText("Well.")
        play.bar.take.click()
        qtbot.waitUntil(lambda: not play.bar.isVisibleTo(window))
    (first,) = (episode.recording_id for episode in all_episodes(session().study))
    window.page.new.click()
    play_with(window, "Person", "Person")
    window.page.start.start.click()
    assert play.status.text().startswith("0 turns")
    window.show_episode(first)
    qtbot.waitUntil(lambda: play.status.text().startswith("2 turns"))


def test_what_if_goes_on_from_the_selected_segment(
    qtbot: QtBot, opened: Open, session: Callable[[], Session], study: Path, module_window: MainWindow
) -> None:
    with Session.open(study, "Ada") as before:
        add_participant(before, "P01", ParticipantRole.USER, WALK)
        add_participant(before, "R1", ParticipantRole.ROBOT, WALK)
        segment = mark(before, "Ada", 10, 20, correction="Ask how she feels.")
    window = opened()
    module_window.studio.select([segment])
    module_window.menus.actions["what_if"].trigger()
    form = window.page.start
    assert window.page.is_showing(form)
    assert form.does.toPlainText() == "Ask how she feels."
    form.start.click()
    (episode,) = all_episodes(session().study)
    assert (episode.from_recording_id, episode.from_segment_id) == (WALK, segment)
    qtbot.waitUntil(lambda: window.page.play.turns.texts() == ["Agent  Ask how she feels."])


def test_characters_and_scenarios_are_written_and_deleted(opened: Open, session: Callable[[], Session]) -> None:
    def names() -> list[str]:
        return [character.profile.name for character in all_characters(session().study)]

    window = opened()
    window.tabs.setCurrentWidget(window.characters)
    form = window.characters.form
    window.characters.new.click()
    form.save.click()
    assert "needs a name" in form.status.text()
    form.show_texts({"name": "Cleo", "secret": "None."}, known=False, writable=True)
    form.save.click()
    assert "Cleo" in names()
    form.delete.click()
    assert "Cleo" not in names()
    window.tabs.setCurrentWidget(window.scenarios)
    window.scenarios.list.selectRow(0)
    form = window.scenarios.form
    assert form.texts()["goals"].splitlines() == [*GOALS]
    form.show_texts({**form.texts(), "goals": "One goal."}, known=True, writable=True)
    form.save.click()
    assert "two or more" in form.status.text()
    assert all_scenarios(session().study)[0].goals == GOALS


def test_files_of_sotopia_come_in_and_go_out(opened: Open, answers: Answers, tmp_path: Path, shared_data: Path) -> None:
    chosen, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    with (shared_data / "sotopia" / "sotopia_pi_episodes.jsonl").open(encoding="utf-8") as lines:
        chosen.write_text("".join(islice(lines, 2)), "utf-8")
    answers.give(file=chosen, save=out)
    window = opened()
    window.page.bring.click()
    assert len(window.page.list.texts()) == 2
    assert "2 episodes added" in window.page.play.status.text()
    window.page.export.click()
    assert len(out.read_text("utf-8").splitlines()) == 2
