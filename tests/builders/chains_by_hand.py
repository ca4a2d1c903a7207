"""Draws a chain in the real window as a person does: with the mouse, or with keys alone. No command is called."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QPointF

from app.gui.chains.chains_page import ChainsPage
from app.gui.window.main_window import MainWindow
from project.entities.causal_chains import ChainGraph, NodeKind
from project.entities.study_records import Collection, Participant, ParticipantRole, Recording, Utterance
from project.queries.chain_rows import chains_of, read_graph
from project.queries.recording_rows import insert_collection, insert_participant, insert_recording, set_appearance
from project.queries.transcript_rows import insert_utterances
from project.store.study import Study
from tests.builders.mouse_and_keys import ALT, click, drag, press, type_text
from widgets.timeline.lanes import NODES
from widgets.timeline.timeline_layout import HEADER, RULER

SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class Told:
    """A node of the story: kind, whose, from which second to which, and its words."""

    kind: NodeKind
    who: str
    start: int
    end: int
    text: str


STORY: tuple[Told, ...] = (
    Told(NodeKind.EVENT, "Ann", 5, 8, "A phone rings in the bag"),
    Told(NodeKind.BELIEF, "Ann", 9, 11, "The phone is Bob's"),
    Told(NodeKind.DESIRE, "Bob", 12, 14, "He wants to be left in peace"),
    Told(NodeKind.INTENT, "Ann", 15, 18, "She means to bring it to him"),
    Told(NodeKind.EVENT, "Ann", 20, 24, "She holds out the phone"),
    Told(NodeKind.EMOTION, "Bob", 26, 30, "He is annoyed"),
)
"""Six nodes, by time."""
EDGES = ((0, 3), (1, 3), (3, 4), (2, 5), (4, 5))
"""Reason and result as places in the story: three subchains, with the results 3, 4 and 5."""
PEOPLE = {"a": "Ann", "b": "Bob"}
_KEYS = dict(zip(NodeKind, "EBIDM", strict=True))


def study_of_two(path: Path) -> Path:
    """Make a study of one recording of a minute in which two people talk."""
    with Study.create(path) as study, study.without_history():
        insert_collection(study, Collection("c", "C"))
        insert_recording(study, Recording("r", "c", 1, "One", 60 * SECOND))
        for key, name in PEOPLE.items():
            insert_participant(study, Participant(key, name, ParticipantRole.USER))
            set_appearance(study, "r", key, True)
        insert_utterances(study, [Utterance("u", "r", 40 * SECOND, 43 * SECOND, "Leave me alone", "b")])
    return path


def graphs(window: MainWindow) -> list[ChainGraph]:
    """Return the chains that stand in the study."""
    study = window.studio.session.study
    return [read_graph(study, chain) for chain in chains_of(study, "r")]


def page_of(window: MainWindow) -> ChainsPage:
    """Return the page of the mode."""
    page = window.pages.current_view()
    assert isinstance(page, ChainsPage)
    return page


def story_of(graph: ChainGraph) -> list[tuple[str, tuple[str, ...], str]]:
    """Return kind, people and words of the nodes by time."""
    return [(node.kind.value, tuple(PEOPLE[who] for who in node.people), node.text) for node in graph.nodes]


def edges_of(graph: ChainGraph) -> set[tuple[int, int]]:
    """Return the edges as places of the nodes by time."""
    place = {chain_node.id: at for at, chain_node in enumerate(graph.nodes)}
    return {(place[edge.reason_id], place[edge.result_id]) for edge in graph.edges}


def on_lane(window: MainWindow, second: float, row: int = 0) -> QPointF:
    """Return a point of the lane of nodes, scrolled into sight."""
    timeline = window.timeline
    band = next(each_band for each_band in timeline.bands if each_band.lane.key == NODES)
    bar = timeline.verticalScrollBar()
    bar.setValue(max(0, band.bottom + RULER - timeline.viewport().height()))
    top = RULER + band.row_top(row) - bar.value()
    return QPointF(HEADER + timeline.view.time_to_x(second * SECOND), top + band.row_height / 2)


def in_graph(window: MainWindow, node_id: str, rim: bool = False) -> QPointF:
    """Return the middle of a node in the graph, or a point of its rim, from which an edge is drawn."""
    board = page_of(window).graph.board
    box = board.model.box(node_id)
    x, y = box.center
    return QPointF(*board.graph_viewport.to_view(box.right if rim else x, y))


def draw_with_mouse(window: MainWindow, story: Sequence[Told] = STORY) -> ChainGraph:
    """Draw the nodes on the timeline, fill in the form, and draw the edges in the graph."""
    page = page_of(window)
    for told in story:
        drag(window.timeline, on_lane(window, told.start), on_lane(window, told.end), held=ALT)
        type_text(window, told.text)
        click(page.form.kinds.buttons[told.kind])
        who = next(key for key, name in PEOPLE.items() if name == told.who)
        click(page.form.people.buttons[who])
    ids = [node.id for node in graphs(window)[-1].nodes]
    page.graph.board.fit_all()
    for reason, result in EDGES:
        drag(page.graph.board, in_graph(window, ids[reason], rim=True), in_graph(window, ids[result]))
    return graphs(window)[-1]


def draw_with_keys(window: MainWindow) -> ChainGraph:
    """Mark, add, type and join with keys alone."""
    for told in STORY:
        for second, mark in ((told.start, "I"), (told.end, "O")):
            press(window, "Home")
            for _ in range(second):
                press(window, "Shift+Right")
            press(window, mark)
        press(window, "N")
        press(window, _KEYS[told.kind])
        type_text(window, told.text)
        press(window, "Return")
        press(window, str([*PEOPLE.values()].index(told.who) + 1))
        for reason in [STORY[number] for number, result in EDGES if STORY[result] is told]:
            press(window, "R")
            type_text(window, reason.text[:12])
            press(window, "Return")
    return graphs(window)[-1]
