"""Chains of several people in the real window: read-only for others, reviewed, copied, agreed on; and as files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotate.chains.chain_edits import add_chain, add_edge, add_node
from app.gui.chains.chains_page import ChainPageTab
from app.gui.window.main_window import MainWindow
from project.entities.causal_chains import ChainDecision, NodeKind
from project.queries.chain_rows import chain_reviews
from project.session.session import Session
from tests.builders.chains_by_hand import SECOND, graphs, in_graph, on_lane, page_of, study_of_two
from tests.builders.mouse_and_keys import click, drag, press, type_text
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenReused
from widgets.timeline.lanes import NODES

OpenAs = Callable[[str], MainWindow]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = study_of_two(tmp_path / "lab.greenroom")
    with Session.open(path, "Ada") as session:
        chain, _ = add_chain(session, "r", "The bag")
        reason, _ = add_node(session, chain, NodeKind.EVENT, "A phone rings", 5 * SECOND, 8 * SECOND, ["a"])
        result, _ = add_node(session, chain, NodeKind.EMOTION, "She is startled", 9 * SECOND, 12 * SECOND, ["a"])
        add_edge(session, reason, result)
    return path


@pytest.fixture
def open_as(qtbot: QtBot, study: Path, open_reused: OpenReused) -> OpenAs:
    def make(name: str) -> MainWindow:
        window = open_reused(study, name)
        window.choose_recording("r")
        qtbot.waitUntil(window.isActiveWindow)
        window.set_mode("chains")
        return window

    return make


def said(window: MainWindow) -> list[tuple[ChainDecision, str]]:
    reviews = chain_reviews(window.studio.session.study, graphs(window)[0].chain.id)
    return [(chain_review.decision, chain_review.note) for chain_review in reviews]


def test_another_persons_chain_is_read_only(open_as: OpenAs) -> None:
    window = open_as("Bob")
    page, before = page_of(window), graphs(window)
    nodes = before[0].nodes
    drag(window.timeline, on_lane(window, 6), on_lane(window, 20))
    drag(window.timeline, on_lane(window, 30), on_lane(window, 40))
    click(window.timeline, on_lane(window, 10))
    assert page.form.words.toPlainText() == "She is startled"
    assert page.form.words.isReadOnly()
    assert not any(button.isEnabled() for button in page.form.people.buttons.values())
    page.graph.board.fit_all()
    drag(page.graph.board, in_graph(window, nodes[0].id, rim=True), in_graph(window, nodes[1].id))
    window.timeline.setFocus()
    press(window, "Del")
    assert "drawn by somebody else" in window.messages.message()
    window.messages.dismiss()
    window.menus.actions["node_reason"].trigger()
    assert "drawn by somebody else" in window.messages.message()
    assert page.picker.isHidden()
    window.studio.select_nodes(())
    window.menus.actions["node_result"].trigger()
    assert "No node is selected" in window.messages.message()
    assert graphs(window) == before
    assert window.timeline.model.lanes[-1].subtitle == "Ada"
    assert not window.timeline.model.lanes[-1].editable


def test_a_second_expert_says_what_they_think_and_takes_it_back(open_as: OpenAs, study: Path) -> None:
    with Session.open(study, "Ada") as session:
        add_chain(session, "r", "Another")
    window = open_as("Bob")
    page = page_of(window)
    press(window, "K")
    assert page.current_tab() is ChainPageTab.REVIEW
    assert QApplication.focusWidget() is page.review.note
    type_text(window, "Why is she startled?")
    press(window, "Return")
    assert QApplication.focusWidget() is window.timeline
    press(window, "V")
    assert page.bar.combo.currentText().startswith("Another")
    assert page.review.note.text() == "", "a note that is being typed stays with its chain"
    press(window, "V")
    assert page.bar.combo.currentText().startswith("The bag")
    type_text(window, "")
    page.review.note.setText("Why is she startled?")
    click(page.review.buttons[ChainDecision.DISCUSS])
    assert said(window) == [(ChainDecision.DISCUSS, "Why is she startled?")]
    line = page.review.said.item(0).text()
    assert line.startswith("Bob wants to discuss: “Why is she startled?” (")
    assert page.review.buttons[ChainDecision.DISCUSS].isChecked()
    window.timeline.setFocus()
    press(window, "Y")
    assert said(window) == [(ChainDecision.AGREE, "Why is she startled?")]
    assert page.review.buttons[ChainDecision.AGREE].isChecked()
    press(window, "W")
    assert said(window) == []
    press(window, "Ctrl+Z")
    assert said(window) == [(ChainDecision.AGREE, "Why is she startled?")]


def test_ones_own_version_is_changed_and_agreed_on(open_as: OpenAs) -> None:
    window = open_as("Bob")
    page = page_of(window)
    press(window, "X")
    click(page.review.copy)
    first, copy = graphs(window)
    assert copy.chain.based_on == first.chain.id
    assert window.chains.chosen.id == copy.chain.id, "one goes on with one's own version"
    assert window.timeline.model.lanes[-1].editable
    click(window.timeline, on_lane(window, 10))
    press(window, "Return")
    type_text(window, "She is frightened")
    press(window, "Return")
    assert [node.text for node in graphs(window)[0].nodes] == ["A phone rings", "She is startled"]
    page.show_tab(ChainPageTab.REVIEW)
    click(page.review.agreed)
    assert [node.text for node in graphs(window)[2].nodes] == ["A phone rings", "She is frightened"]
    assert window.chains.chosen.is_agreed
    assert page.bar.combo.currentText().startswith("The bag   agreed version")
    assert not page.review.copy.isEnabled() or not window.chains.chosen.is_editable
    press(window, "V")
    assert window.chains.chosen.id == first.chain.id
    assert window.timeline.model.track(NODES).items[1].id == first.nodes[1].id


def test_a_chain_is_saved_read_renamed_and_deleted(open_as: OpenAs, answers: Answers, tmp_path: Path) -> None:
    window = open_as("Ada")
    answers.give(save=tmp_path, file=tmp_path / "The-bag.json", text="The phone in the bag")
    for key in ("chain_svg", "chain_png", "chain_json", "chain_graphml"):
        window.menus.actions[key].trigger()
        assert window.messages.message().startswith("Saved The-bag.")
    saved = [tmp_path / f"The-bag.{kind}" for kind in ("svg", "png", "json", "graphml")]
    assert [asked.question for asked in answers.asked] == [path.name for path in saved]
    assert saved[0].read_text("utf-8").count("A phone rings") > 0
    assert saved[1].read_bytes().startswith(b"\x89PNG")
    assert json.loads(saved[2].read_text("utf-8"))["chains"][0]["name"] == "The bag"
    window.menus.actions["chain_import"].trigger()
    first, second = graphs(window)
    assert [node.text for node in second.nodes] == [node.text for node in first.nodes]
    assert window.chains.chosen.id == second.chain.id
    saved[2].write_text("{}")
    window.menus.actions["chain_import"].trigger()
    assert "greenroom-chains" in window.messages.message()
    assert len(graphs(window)) == 2
    page = page_of(window)
    press(window, "F2")
    assert page.bar.combo.currentText().startswith("The phone in the bag   Ada, 2 nodes")
    assert window.timeline.model.lanes[-1].title == "The phone in the bag"
    click(page.bar.buttons["chain_delete"])
    click(page.bar.buttons["chain_delete"])
    assert graphs(window) == []
    assert all(lane.key != NODES for lane in window.timeline.model.lanes)
    press(window, "Ctrl+Z", "Ctrl+Z")
    assert graphs(window)[0] == first
    assert len(window.timeline.model.track(NODES)) == 2
