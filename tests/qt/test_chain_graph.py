"""The graph of a chain: drawn, moved in, and edited with mouse and keys."""

import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QKeyEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from project.errors import UserError
from tests.builders.graphs import graph, node
from tests.builders.mouse_and_keys import CTRL, NONE, SHIFT, drag, press
from widgets import theme
from widgets.graph.graph_layout import HEIGHT, WIDTH
from widgets.graph.graph_model import node_tooltip
from widgets.graph.graph_painter import HEADER, RULER, time_ticks
from widgets.graph.graph_view import ChainGraphView, write_picture
from widgets.graph.node_painter import _FILLS, cached_font, chain_colours, node_outline, wrap_text
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


def test_a_graph_that_nobody_has_moved_is_in_sight_as_a_whole(qtbot):
    view = ChainGraphView()
    qtbot.addWidget(view)
    view.resize(690, 430)
    view.show()
    nodes = [node(f"n{at}", second, "bbaabaaabb"[at]) for at, second in enumerate((1, 4, 6, 8, 11, 13, 15, 17, 20))]
    for count in range(1, len(nodes) + 1):
        view.show_graph(graph(nodes[:count]), PEOPLE)
        view.select([nodes[count - 1].id])
        assert in_sight(view), f"{count} nodes at {view.board.graph_viewport.zoom}"
    view.resize(420, 190)
    assert not in_sight(view)
    view.resize(1200, 700)
    assert in_sight(view)
    view.board.pan(60, 0)
    moved = view.board.graph_viewport
    view.show_graph(graph([*nodes, node("later", 23)]), PEOPLE)
    assert view.board.graph_viewport == moved
    view.resize(1000, 600)
    assert (view.board.graph_viewport.x, view.board.graph_viewport.zoom) == (moved.x, moved.zoom)


def test_the_texts_of_a_small_graph_keep_a_size_that_can_be_read(view):
    words, width = "The robot takes her pause for the end of the turn.", 101
    lines = wrap_text(words, width, 11, 3)
    assert len(lines) == 3
    assert all(QFontMetricsF(cached_font(11)).horizontalAdvance(line) <= width for line in lines)
    assert " ".join(lines).startswith("The robot takes her pause")
    assert wrap_text("", width) == ()


def test_no_time_before_the_recording_is_marked(view):
    view.show_graph(graph([node("only", 1)]), PEOPLE)
    assert view.board.graph_viewport.area[0] < 0
    marked = [time for time, _ in time_ticks(view.model.picture.layout.axis, view.board.graph_viewport)]
    assert marked
    assert min(marked) >= 0


def in_sight(view: ChainGraphView) -> bool:
    sight = view.board.graph_viewport
    corners = [view.model.box(node.id) for node in view.model.picture.graph.nodes]
    left, top = sight.to_view(min(corner.x for corner in corners), min(corner.y for corner in corners))
    right, bottom = sight.to_view(max(corner.right for corner in corners), max(corner.bottom for corner in corners))
    return left >= HEADER and top >= RULER and right <= sight.width and bottom <= sight.height and sight.zoom > 0.6


def middle(view: ChainGraphView, name: str, across: float = 0.5) -> QPointF:
    box = view.model.box(name)
    return QPointF(*view.board.graph_viewport.to_view(box.x + WIDTH * across, box.y + HEIGHT / 2))


def seen(view: ChainGraphView) -> QImage:
    return view.board.viewport().grab().toImage()


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
        pictures.append(seen(view))
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


def test_keys_ask_for_editing_and_removal_of_what_is_selected(qtbot, view):
    view.select(["p", "s"])
    with qtbot.waitSignal(view.node_removal_requested) as gone:
        press(view.board, "Del")
    assert gone.args == [("p", "s")]
    for key in ("F2", "Return"):
        view.select(["p", "s"])
        with qtbot.waitSignal(view.node_edit_requested) as edited:
            press(view.board, key)
        assert edited.args == ["s"]


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


def test_the_ruler_seeks(qtbot, view):
    place = QPointF(middle(view, "r", 0).x(), 8)
    with qtbot.waitSignal(view.seek_requested) as asked:
        drag(view.board, place)
    assert abs(asked.args[0] - 8_000_000) < 100_000


def test_zoom_keys_keep_what_is_selected_in_its_place(qtbot, view):
    view.select(["r"])
    before = middle(view, "r")
    press(view.board, "-", "-", "+")
    after = middle(view, "r")
    assert (after - before).manhattanLength() < 3
    press(view.board, "0")
    assert all(0 <= middle(view, node.id).x() <= 1000 for node in SHOWN.nodes)


def test_keys_are_taken_before_the_shortcuts_of_a_window_and_others_are_left(qtbot, view):
    def taken(key: Qt.Key) -> bool:
        event = QKeyEvent(QEvent.Type.ShortcutOverride, key, NONE)
        event.ignore()
        QApplication.sendEvent(view.board, event)
        return event.isAccepted()

    assert taken(Qt.Key.Key_Left)
    assert taken(Qt.Key.Key_N)
    assert not taken(Qt.Key.Key_Space)
    assert not taken(Qt.Key.Key_B)
    press(view.board, "N")
    assert taken(Qt.Key.Key_B)


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


def test_a_picture_that_was_shifted_is_the_one_that_is_drawn_anew(view):
    view.board.zoom(1.6)
    view.board.redraw()
    seen(view)
    for way in ((37, -21), (-90, 4)):
        view.board.pan(*way)
        shifted = seen(view)
        view.board.redraw()
        assert differing(shifted, seen(view)) < 0.001


def differing(each_image: QImage, other: QImage) -> float:
    """Return the share of pixels that differ visibly: a soft line that is cut at a strip may end in another shade."""
    first, second = (
        np.frombuffer(image.convertToFormat(QImage.Format.Format_RGB32).constBits(), np.uint8).astype(int)
        for image in (each_image, other)
    )
    return float((np.abs(first - second).reshape(-1, 4).max(1) > 50).mean())


def test_kinds_differ_in_shape_and_not_only_in_colour(qtbot):
    shapes = [node_outline(kind, QRectF(0, 0, WIDTH, HEIGHT)) for kind in KIND_LOOKS]
    for at, painter_path in enumerate(shapes):
        assert all(painter_path != other for other in shapes[at + 1 :])


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


def test_highlighting_fades_the_others(view):
    before = seen(view)
    view.highlight(["p", "r"])
    assert seen(view) != before
    view.highlight(())
    assert seen(view) == before


def test_a_chain_that_does_not_hold_together_is_shown_all_the_same(qtbot, view, tmp_path: Path):
    nodes = [node("p", 0), node("q", 3), node("r", 3, ""), node("s", 3, "gone")]
    view.show_graph(graph(nodes, "p>q q>p q>q p>lost lost>r"), PEOPLE)
    assert len(view.model.picture.curves) == 3
    view.select(["p"])
    seen(view)
    press(view.board, "Right", "E", "Down", "Esc")
    view.export_picture(tmp_path / "chain.svg")
