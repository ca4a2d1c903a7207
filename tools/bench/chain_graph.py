"""How quickly the graph of a chain with 500 nodes and 800 edges is laid out, and painted while something moves.

Run with `python -m tools.bench.chain_graph`; `make bench` collects `run()`.
"""

import os
import statistics
from collections.abc import Callable

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent
from PySide6.QtWidgets import QApplication, QGraphicsScene, QGraphicsView

from project.entities.causal_chains import Chain, ChainGraph, ChainNode, Edge, NodeKind
from tools.bench.measuring import dark_application, frame_row, seconds, step_ms
from tools.bench.row import Row, table
from widgets import theme
from widgets.graph.graph_layout import HEIGHT, WIDTH, Placement
from widgets.graph.graph_model import GraphModel
from widgets.graph.graph_view import ChainGraphView
from widgets.graph.node_painter import NodeHighlight, chain_colours, shape_pixmap
from widgets.labels import NodePerson, participant_colours

NODES, EDGES, PEOPLE = 500, 800, 6
SECONDS = 180
SIZE = (1600, 900)
RUNS = 5
_SHARES = (997, 321, 361, 42, 477)
"""Nodes of each kind in R3-VQA, in the order of `NodeKind`."""


def chain(nodes: int = NODES, edges: int = EDGES) -> ChainGraph:
    """Invent a chain: starts anywhere in the recording, reasons mostly shortly before their results."""
    rng = np.random.default_rng(3)
    starts = np.sort(rng.integers(0, SECONDS * 1_000_000, nodes)).tolist()
    kinds = rng.choice([*NodeKind], nodes, p=np.array(_SHARES) / sum(_SHARES))
    who = rng.integers(PEOPLE, size=nodes).tolist()
    made = tuple(
        ChainNode(
            f"n{at:04}",
            "chain",
            NodeKind(kinds[at]),
            f"what is told by the node with the number {at}",
            start,
            start + 2_000_000,
            tuple({f"p{who[at]}", f"p{(who[at] + at) % PEOPLE}"}) if at % 9 == 0 else (f"p{who[at]}",),
        )
        for at, start in enumerate(starts)
    )
    found: set[Edge] = set()
    while len(found) < edges:
        reason = int(rng.integers(0, nodes - 1))
        result = min(nodes - 1, reason + int(rng.geometric(0.08)))
        if reason < result:
            found.add(Edge(made[reason].id, made[result].id))
    return ChainGraph(Chain("chain", "recording", "annotator", "Invented"), made, tuple(sorted(found)))


def people() -> dict[str, NodePerson]:
    """Invent the people of the chain."""
    colours = participant_colours([f"p{at}" for at in range(PEOPLE)])
    return {key: NodePerson(f"Person {key[1:]}", colour) for key, colour in colours.items()}


def shown(graph: ChainGraph) -> ChainGraphView:
    """Return the view with a chain, in sight."""
    view = ChainGraphView()
    view.resize(*SIZE)
    view.show_graph(graph, people())
    view.show()
    QApplication.processEvents()
    view.select([max(graph.subchains, key=lambda subchain: len(subchain.reason_ids)).result_id])
    return view


def _send(view: ChainGraphView, kind: QEvent.Type, place: QPointF) -> None:
    button = Qt.MouseButton.LeftButton
    port = view.board.viewport()
    QApplication.sendEvent(
        port, QMouseEvent(kind, place, port.mapToGlobal(place), button, button, Qt.KeyboardModifier.NoModifier)
    )


def _painted(steps: list[Callable[[], None]], view: ChainGraphView, target: QImage) -> list[float]:
    """Take each step, repaint everything, and return the milliseconds of each."""
    return step_ms(steps, lambda: view.board.viewport().render(target))


def dragging(view: ChainGraphView, target: QImage, steps: int = 60) -> list[float]:
    """Drag the selected node up and down by the mouse, and let it go."""
    board = view.board
    node = view.selected()[-1]
    board.reveal(node)
    box = view.model.box(node)
    place = QPointF(*board.graph_viewport.to_view(box.x + WIDTH / 2, box.y + HEIGHT / 2))
    ways = [place + QPointF(0, 60 * np.sin(at / 5)) for at in range(1, steps)]
    moves = [lambda to=to: _send(view, QEvent.Type.MouseMove, to) for to in ways]
    start, end = QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease
    return _painted([lambda: _send(view, start, place), *moves, lambda: _send(view, end, ways[-1])], view, target)


def panning(view: ChainGraphView, target: QImage, steps: int = 60) -> list[float]:
    """Pan to and fro."""
    ways = [(31 if at % 20 < 10 else -31, 7 if at % 8 < 4 else -7) for at in range(steps)]
    return _painted([lambda way=way: view.board.pan(*way) for way in ways], view, target)


def zooming(view: ChainGraphView, target: QImage, steps: int = 48) -> list[float]:
    """Zoom from the whole graph in to its texts and out again."""
    view.board.fit_all()
    factors = [1.12] * (steps // 2) + [1 / 1.12] * (steps // 2)
    at = QPointF(900, 400)
    return _painted([lambda factor=factor: view.board.zoom(factor, at) for factor in factors], view, target)


def graphics_view(graph: ChainGraph, target: QImage) -> float:
    """Return the 95th percentile of milliseconds that a plain QGraphicsView of the same graph takes for zooming."""
    model = GraphModel()
    model.set_graph(graph, people(), {})
    assert model.picture is not None
    scene, look = QGraphicsScene(), chain_colours(theme.palette())
    from PySide6.QtGui import QPainterPath, QPen

    for curve in model.picture.curves:
        path = QPainterPath(QPointF(*curve.points[0]))
        path.cubicTo(*(QPointF(*point) for point in curve.points[1:]))
        pen = QPen(look.edge, 1)
        pen.setCosmetic(True)
        scene.addPath(path, pen)
    for node in graph.nodes:
        box = model.picture.layout.boxes[node.id]
        scene.addPixmap(shape_pixmap(node.kind, NodeHighlight.PLAIN, "dark", 1.0, 1.0)).setPos(box.x, box.y)
        scene.addSimpleText(node.text).setPos(box.x + 10, box.y + 10)
    view = QGraphicsView(scene)
    view.setRenderHint(view.renderHints().Antialiasing)
    view.resize(*SIZE)
    view.show()
    view.fitInView(scene.sceneRect(), Qt.AspectRatioMode.KeepAspectRatio)
    QApplication.processEvents()
    factors = [1.12] * 24 + [1 / 1.12] * 24
    zooms = [lambda factor=factor: view.scale(factor, factor) for factor in factors]
    took = step_ms(zooms, lambda: view.viewport().render(target))
    view.close()
    return float(np.percentile(took, 95))


def run() -> list[Row]:
    """Measure layout and painting; of several journeys the median is taken step by step."""
    dark_application()
    graph, target = chain(), QImage(*SIZE, QImage.Format.Format_RGB32)
    layouts = (ChainGraph(graph.chain, graph.nodes, graph.edges) for _ in range(RUNS))
    took = [1000 * seconds(lambda fresh=fresh: Placement().lay_out(fresh, [*people()])) for fresh in layouts]
    size = f"{NODES} nodes, {EDGES} edges"
    layout = statistics.median(took)
    rows = [Row.judged(f"layout of a chain, {size}", f"{layout:.0f} ms", layout / 1000, "under 1 s")]
    view = shown(graph)
    plain = graphics_view(graph, target)
    for name, journey, prepare, peer in (
        ("drag a node, texts in sight", dragging, view.board.show_start, ""),
        ("drag a node, all in sight", dragging, view.board.fit_all, ""),
        ("pan, texts in sight", panning, view.board.show_start, ""),
        ("pan, all in sight", panning, view.board.fit_all, ""),
        ("zoom from all to texts and back", zooming, view.board.fit_all, f"a plain QGraphicsView, {plain:.1f} ms"),
    ):
        runs = []
        for _ in range(RUNS):
            prepare()
            runs.append(journey(view, target))
        work, median = f"graph of a chain, {size}: {name}", np.median(runs, axis=0)
        rows.append(frame_row(work, median, peer, plain) if peer else frame_row(work, median))
    view.close()
    view.deleteLater()
    return rows


if __name__ == "__main__":
    print(table(run()))
