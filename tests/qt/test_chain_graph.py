"""The graph of a chain: drawn, moved in, and edited with mouse and keys."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from project.errors import UserError
from tests.builders.graphs import graph, node
from tests.builders.mouse_and_keys import CTRL, SHIFT, drag, press
from widgets import theme
from widgets.graph.graph_layout import HEIGHT, WIDTH
from widgets.graph.graph_model import node_tooltip
from widgets.graph.graph_view import ChainGraphView, write_picture
from widgets.graph.node_painter import _FILLS, chain_colours
from widgets.labels import KIND_LOOKS, NodePerson, contrast, mix

NODES = [("p", 0, "a"), ("q", 3, "b"), ("r", 8, "a"), ("s", 11, "b"), ("t", 16, "a"), ("u", 20, "")]
SHOWN = graph([node(*row) for row in NODES], "p>r q>r r>s s>t")
PEOPLE = {"a": NodePerson("Anna", "#4f8fd6"), "b": NodePerson("Ben", "#cf7a2c")}


@pytest.fixture
def view(qtbot: QtBot) -> ChainGraphView:
    view = ChainGraphView()
    qtbot.addWidget(view)
    view.resize(1000, 480)
    view.show_graph(SHOWN, PEOPLE, {"u": "Its reason is missing."})
    view.show()
    qtbot.waitExposed(view)
    view.board.fit_all()
    view.setFocus()
    return view


def middle(view: ChainGraphView, name: str, across: float = 0.5) -> QPointF:
    box = view.model.box(name)
    return QPointF(*view.board.graph_viewport.to_view(box.x + WIDTH * across, box.y + HEIGHT / 2))


def test_dragging_from_the_rim_of_a_reason_to_a_result_asks_for_an_edge(qtbot, view):
    start, end = middle(view, "p", 0.99), middle(view, "t")
    with qtbot.waitSignal(view.edge_requested) as asked:
        drag(view.board, start, start + QPointF(20, 20), end)
    assert asked.args == ["p", "t"]
    assert view.board.link is None
    with qtbot.assertNotEmitted(view.edge_requested):
        drag(view.board, start, start + QPointF(-20, 220))
        assert (view.board.link, view.board.hint) == (None, "")
        drag(view.board, middle(view, "t", 0.99), middle(view, "s"), middle(view, "p"))
    assert "circle" in view.board.hint


def test_a_chain_that_is_read_only_draws_no_edges(qtbot, view):
    view.set_editable(False)
    with qtbot.assertNotEmitted(view.edge_requested), qtbot.assertNotEmitted(view.node_removal_requested):
        drag(view.board, middle(view, "p", 0.99), middle(view, "t"))
        view.select(["p"])
        press(view.board, "Del", "E", "Return")


def test_an_edge_is_drawn_and_removed_with_keys_alone(qtbot, view):
    press(view.board, "Tab", "Tab")
    assert view.selected() == ("q",)
    press(view.board, "E")
    assert "Enter" in view.board.hint
    with qtbot.waitSignal(view.edge_requested) as asked:
        press(view.board, "Right", "Down", "Return")
    assert asked.args == ["q", "u"]
    assert view.selected() == ("q",)
    view.select(["r"])
    press(view.board, "E", "Ctrl+Right")
    assert "already" in view.board.hint
    with qtbot.waitSignal(view.edge_removal_requested) as asked:
        press(view.board, "Del")
    assert asked.args == ["r", "s"]
    view.select(["s"])
    press(view.board, "E", "Ctrl+Left")
    with qtbot.assertNotEmitted(view.edge_requested):
        press(view.board, "Return")
    assert "circle" in view.board.hint
    press(view.board, "Esc")
    assert view.board.link is None


def test_a_hint_is_read_to_its_end_in_a_narrow_view(view):
    view.resize(420, 300)
    pictures = []
    for last in ("draws it", "leaves"):
        view.board.show_hint(f"New node: E event, B belief, I intent, D desire, M emotion. Esc {last}.")
        pictures.append(view.board.viewport().grab().toImage())
    assert pictures[0] != pictures[1]


def test_n_and_the_key_of_a_kind_ask_for_a_node(qtbot, view):
    for key, kind in zip("EBIDM", KIND_LOOKS, strict=True):
        with qtbot.waitSignal(view.node_add_requested) as asked:
            press(view.board, "N", key)
        assert asked.args == [str(kind)]
        assert view.board.hint == ""
    view.show_graph(graph([]), PEOPLE)
    assert view.board.isVisible()
    assert "N" in view.board.placeholder[1]
    view.setFocus()
    with qtbot.waitSignal(view.node_add_requested):
        press(view.board, "N", "B")


def test_clicks_select_and_emit_and_select_emits_nothing(qtbot, view):
    with qtbot.waitSignal(view.selection_changed) as chosen:
        drag(view.board, middle(view, "q"))
    assert chosen.args == [("q",)]
    with qtbot.waitSignal(view.selection_changed) as chosen:
        drag(view.board, middle(view, "s"), held=CTRL)
    assert chosen.args == [("q", "s")]
    with qtbot.assertNotEmitted(view.selection_changed):
        view.select(["t", "not there"])
    assert view.selected() == ("t",)
    with qtbot.waitSignal(view.selection_changed):
        drag(view.board, QPointF(600, 440))
    assert view.selected() == ()


def test_an_edge_is_selected_by_a_click_and_removed(qtbot, view):
    picture = view.model.picture
    at = [(edge.reason_id, edge.result_id) for edge in picture.graph.edges].index(("r", "s"))
    x, y = picture.samples[at, 8]
    drag(view.board, QPointF(*view.board.graph_viewport.to_view(x, y)))
    with qtbot.waitSignal(view.edge_removal_requested) as asked:
        press(view.board, "Del")
    assert asked.args == ["r", "s"]


def test_a_node_that_is_dragged_stays_there_and_its_time_does_not_change(qtbot, view):
    before = dict(view.model.picture.layout.boxes)
    with qtbot.assertNotEmitted(view.edge_requested):
        drag(view.board, middle(view, "r"), middle(view, "r") + QPointF(90, 8), middle(view, "r") + QPointF(90, 30))
    box = view.model.box("r")
    assert box.x == before["r"].x
    assert box.y > before["r"].y
    view.show_graph(graph(SHOWN.nodes, "p>r"), PEOPLE)
    assert view.model.box("r") == box
    press(view.board, "T")
    assert view.model.box("r") == before["r"]


def test_the_ground_is_dragged_to_pan_and_shift_draws_a_frame(qtbot, view):
    view.board.zoom(2.0)
    before = view.board.graph_viewport
    drag(view.board, QPointF(500, 440), QPointF(460, 430))
    assert (view.board.graph_viewport.x, view.board.graph_viewport.y) == (before.x - 40, before.y - 10)
    view.board.fit_all()
    first, last = middle(view, "p", 0) - QPointF(12, 40), middle(view, "q", 1) + QPointF(12, 40)
    drag(view.board, first, last, held=SHIFT)
    assert {"p", "q"} <= {*view.selected()}


def test_a_screen_reader_hears_the_node_its_people_and_its_problem(view):
    view.select(["r"])
    said = view.board.accessibleDescription()
    assert said.startswith("Event of Anna: what r tells, 0:00:08.000 to 0:00:09.000, 2 reasons, 1 result.")
    assert view.board.viewport().accessibleName() == said
    view.select(["u"])
    assert "Its reason is missing." in view.board.accessibleDescription()


def test_what_was_written_in_a_node_is_plain_text_in_its_tooltip(view):
    bad = node("x", 1)
    object.__setattr__(bad, "text", "<img src=x> & <b>")
    view.show_graph(graph([bad]), {"a": NodePerson("<i>Anna</i>")})
    assert "<img" not in node_tooltip(view.model, bad)
    assert "<i>Anna" not in node_tooltip(view.model, bad)


@pytest.mark.parametrize("shade", ["light", "dark"])
def test_texts_are_readable_on_every_kind_and_state(shade):
    look = chain_colours(theme.load(shade))
    for kind in KIND_LOOKS:
        for share in _FILLS.values():
            ground = mix(look.kind_colour(kind), look.colours.field, share)
            assert contrast(look.colours.text, ground) >= 4.5


def test_pictures_are_written_whole_as_svg_and_png(view, tmp_path: Path):
    for dark in (False, True):
        view.export_picture(tmp_path / "chain.svg", dark)
        view.export_picture(tmp_path / "chain.PNG", dark)
        text = (tmp_path / "chain.svg").read_text("utf-8")
        assert all(f"what {node.id} tells" in re.sub(r"\s+", " ", text) for node in SHOWN.nodes)
        assert "Anna" in text
        image = QImage(str(tmp_path / "chain.PNG"))
        ground = theme.load("dark").field if dark else Qt.GlobalColor.white
        assert image.pixelColor(1, 1) == ground


def test_a_picture_that_cannot_be_written_is_refused_in_words(tmp_path: Path):
    with pytest.raises(UserError, match="neither SVG nor PNG"):
        write_picture(SHOWN, PEOPLE, tmp_path / "chain.gif")
    with pytest.raises(UserError, match="no nodes"):
        write_picture(graph([]), PEOPLE, tmp_path / "chain.svg")
    with pytest.raises(UserError, match="cannot be written"):
        write_picture(SHOWN, PEOPLE, tmp_path / "not there" / "chain.svg")
