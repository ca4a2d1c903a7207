"""The mode Chains in the real window: a chain is drawn with the mouse, and another with keys alone."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from annotate.study.people import add_participant
from app.gui.chains.chains_page import ChainPageTab
from app.gui.window.main_window import MainWindow
from project.entities.causal_chains import Edge, NodeKind
from project.entities.study_records import ParticipantRole
from project.queries.recording_rows import participants_in
from tests.builders.chains_by_hand import (
    EDGES,
    SECOND,
    STORY,
    draw_with_keys,
    draw_with_mouse,
    edges_of,
    graphs,
    in_graph,
    on_lane,
    page_of,
    story_of,
    study_of_two,
)
from tests.builders.mouse_and_keys import click, drag, press, type_text
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenReused

EXPECTED = [(told.kind.value, (told.who,), told.text) for told in STORY]


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, open_reused: OpenReused) -> MainWindow:
    made = open_reused(study_of_two(tmp_path / "lab.greenroom"))
    made.choose_recording("r")
    qtbot.waitUntil(made.isActiveWindow)
    return made


def begin(window: MainWindow) -> None:
    """Open the mode and begin a chain with the mouse."""
    click(window.workspace.modes._buttons["chains"])
    (new,) = [child for child in page_of(window).findChildren(QPushButton) if child.text() == "New chain"]
    click(new)


def test_a_chain_is_drawn_with_the_mouse(window: MainWindow) -> None:
    begin(window)
    graph = draw_with_mouse(window)
    assert story_of(graph) == EXPECTED
    assert edges_of(graph) == {*EDGES}
    assert len(graph.subchains) == 3
    for node, told in zip(graph.nodes, STORY, strict=True):
        assert node.start_us == pytest.approx(told.start * SECOND, abs=SECOND // 4)
        assert node.end_us == pytest.approx(told.end * SECOND, abs=SECOND // 4)
    page = page_of(window)
    assert page.current_tab() is ChainPageTab.NODE
    assert [problem for problem in window.chains.chosen.problems if not problem.warning] == []

    # Graph, timeline, form and player are one selection.
    second, last = graph.nodes[1], graph.nodes[5]
    click(window.timeline, on_lane(window, 10))
    assert page.graph.selected() == (second.id,) == window.studio.selected_nodes
    assert page.form.words.toPlainText() == second.text
    assert window.player.position_us == second.start_us
    click(page.graph.board, in_graph(window, last.id))
    assert window.timeline.selection() == [last.id]
    assert page.form.words.toPlainText() == last.text
    assert window.player.position_us == last.start_us
    reasons = page.form.reasons.list
    shown = [reasons.item(row).text().split("  ")[1] for row in range(reasons.count())]
    assert shown == [STORY[2].text, STORY[4].text]
    reasons.setCurrentRow(1)
    reasons.setFocus()
    press(window, "Return")
    assert window.timeline.selection() == [graph.nodes[4].id] == [*page.graph.selected()]
    page.graph.board.setFocus()
    press(window, "Esc")
    assert window.timeline.selection() == []
    assert page.graph.selected() == ()

    window.chains.drawing.add_edge(last.id, graph.nodes[0].id)
    assert "create a cycle" in window.messages.message()
    assert len(graphs(window)[0].edges) == len(EDGES), "a circle is refused"

    # What is wrong is said, and leads there.
    drag(window.timeline, on_lane(window, 40), on_lane(window, 44))
    press(window, "Esc")
    click(page.tabs.buttons[ChainPageTab.CHECKS])
    assert page.tabs.buttons[ChainPageTab.CHECKS].text() == "Checks 2"
    found = [page.checks.item(row).text() for row in range(page.checks.count())]
    assert any("neither a reason nor a result" in text for text in found)
    click(page.graph.board, in_graph(window, graph.nodes[0].id))
    click(page.checks, QPointF(page.checks.visualItemRect(page.checks.item(0)).center()))
    assert page.current_tab() is ChainPageTab.NODE
    assert window.studio.selected_nodes == (graphs(window)[0].nodes[6].id,)


def test_another_is_drawn_with_keys_alone_and_each_step_is_undone_and_redone(window: MainWindow) -> None:
    press(window, "Ctrl+6", "Ctrl+Shift+N")
    graph = draw_with_keys(window)
    assert story_of(graph) == EXPECTED
    assert edges_of(graph) == {*EDGES}
    assert len(graph.subchains) == 3
    spans = [(node.start_us, node.end_us) for node in graph.nodes]
    assert spans == [(told.start * SECOND, told.end * SECOND) for told in STORY]
    page = page_of(window)
    undone = 0
    while graphs(window):
        press(window, "Ctrl+Z")
        undone += 1
        assert undone < 100
    assert page.graph.model.picture is None
    for _ in range(undone):
        press(window, "Ctrl+Shift+Z")
    assert graphs(window) == [graph]
    assert page.graph.model.picture is not None
    assert len(window.timeline.model.track(window.timeline.bands[-1].lane.key)) == len(STORY)

    # Kind, people, span and edges are changed by keys.
    window.studio.select_nodes([graph.nodes[5].id])
    press(window, "Alt+3", "1")
    node = graphs(window)[0].nodes[5]
    assert (node.kind, node.people) == (NodeKind.INTENT, ("a", "b"))
    press(window, "Home", "Shift+Right", "[")
    assert graphs(window)[0].nodes[0].start_us == SECOND
    problems = window.chains.chosen.problems
    assert any(problem.node_id == node.id for problem in problems), "its reasons start after it now"
    press(window, "Ctrl+Z")
    reasons = page.form.reasons.list
    reasons.setFocus()
    reasons.setCurrentRow(0)
    press(window, "Del")
    assert len(graphs(window)[0].edges) == len(EDGES) - 1, "Del in the list takes the reason out, not the node"
    assert len(graphs(window)[0].nodes) == len(STORY)
    press(window, "G", "Del")
    assert len(graphs(window)[0].nodes) == len(STORY) - 1
    assert window.studio.selected_nodes, "the nearest node is selected next"


def test_nodes_edges_and_characters_are_made_by_keys_right_after_a_new_chain(
    window: MainWindow, answers: Answers
) -> None:
    window.studio.edit(lambda session: add_participant(session, "Zoë", ParticipantRole.USER)[1])
    window.set_mode("chains")
    press(window, "Y", "X", "K")
    assert window.messages.message() == "", "there is no chain to review"
    begin(window)
    page = page_of(window)
    press(window, "N", "M")
    assert QApplication.focusWidget() is page.form.words
    assert "Return" in page._help.text()
    assert "keeps it" in page._help.text()
    type_text(window, "She is glad")
    press(window, "Return")
    assert "keeps it" not in page._help.text()
    (node,) = graphs(window)[0].nodes
    assert (node.kind, node.text) == (NodeKind.EMOTION, "She is glad")

    press(window, "3")
    assert graphs(window)[0].nodes[0].people == ()
    assert "No participant of this recording has the key 3" in window.messages.message()
    elsewhere = next(action for action in page.form.people.more.menu().actions() if "Zoë" in action.text())
    assert elsewhere.text() == "Zoë, not in this recording yet"
    elsewhere.trigger()
    assert "Zoë appears in it" in window.messages.message()
    answers.give(text="New one")
    press(window, "P")
    study = window.studio.session.study
    here = {participant.pseudonym: participant.id for participant in participants_in(study, "r")}
    assert {*graphs(window)[0].nodes[0].people} == {here["Zoë"], here["New one"]}

    press(window, "R")
    type_text(window, "The phone rings")
    assert page.picker.list.count() == 1
    press(window, "Return")
    reason, glad = sorted(graphs(window)[0].nodes, key=lambda chain_node: chain_node.text == "She is glad")
    assert reason.text == "The phone rings"
    assert reason.end_us <= max(glad.start_us, 2 * SECOND)
    assert graphs(window)[0].edges == (Edge(reason.id, glad.id),)
    assert window.studio.selected_nodes == (reason.id,)


def test_typing_is_one_step_and_what_is_typed_is_never_lost(window: MainWindow) -> None:
    begin(window)
    drag(window.timeline, on_lane(window, 5), on_lane(window, 8))
    page = page_of(window)
    type_text(window, "Half a sen")
    drag(window.timeline, on_lane(window, 20), on_lane(window, 24))
    assert graphs(window)[0].nodes[0].text == "Half a sen"
    click(window.timeline, on_lane(window, 6))
    assert page.form.words.toPlainText() == "Half a sen"
    press(window, "Return")
    type_text(window, "Another")
    press(window, "Return")
    assert graphs(window)[0].nodes[0].text == "Another"
    press(window, "Ctrl+Z")
    assert graphs(window)[0].nodes[0].text == page.form.words.toPlainText() == "Half a sen"

    # Esc leaves the choice of a kind and the list of reasons, and nothing else.
    for other in ("Esc", "U"):
        press(window, "N", other, "M")
        assert len(graphs(window)[0].nodes) == 2, "M mutes, as in other modes"
    press(window, "R")
    assert QApplication.focusWidget() is page.picker.field
    press(window, "Esc")
    assert page.picker.isHidden()
    assert QApplication.focusWidget() is window.timeline
    assert window.studio.selected_nodes

    press(window, "G", "Home", "E", "Right", "Return")
    assert edges_of(graphs(window)[0]) == {(0, 1)}, "an edge is drawn with arrows in the graph"
    click(window.timeline, on_lane(window, 6))
    press(window, "Return")
    type_text(window, "Half a word")
    click(page.bar.buttons["chain_delete"])
    assert "Deleted Chain 1" in window.messages.message()
    press(window, "Ctrl+Z")
    assert graphs(window)[0].nodes[0].text == "Half a word"
