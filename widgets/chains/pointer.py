"""What the mouse does in a graph: select, move a node in its row, draw an edge from a rim, pan, select with a frame."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent

from widgets.chains.canvas import Link
from widgets.chains.frame import HEADER, RULER
from widgets.chains.layout import PADDING

if TYPE_CHECKING:
    from widgets.chains.board import Board

_RIM = 9.0
"""Pixels from a node's outline to its inside from which an edge is drawn."""
_OUTSIDE = 6.0
_SLACK = 4.0
_LEFT = Qt.MouseButton.LeftButton
_ADDING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class _Doing(Enum):
    NOTHING = auto()
    SEEKING = auto()
    PRESSED_NODE = auto()
    MOVING = auto()
    LINKING = auto()
    PRESSED_GROUND = auto()
    PANNING = auto()
    FRAMING = auto()


class Pointer:
    """Follows one press from its beginning to its end."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._doing = _Doing.NOTHING
        self._start = QPointF()
        self._last = QPointF()
        self._node: str | None = None
        self._grip = 0.0

    @property
    def idle(self) -> bool:
        """Whether nothing is under way."""
        return self._doing is _Doing.NOTHING

    def press(self, event: QMouseEvent) -> None:
        """Begin something."""
        board, place = self._board, event.position()
        self._start = self._last = place
        if event.button() == Qt.MouseButton.MiddleButton:
            self._doing = _Doing.PANNING
            board.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            return
        if event.button() != _LEFT:
            return
        board.keys.leave()
        if place.y() < RULER:
            self._doing = _Doing.SEEKING
            self._seek(place)
            return
        node = board.node_at(place, _OUTSIDE)
        adding = bool(event.modifiers() & _ADDING)
        if node is not None and board.editable and not adding and board.on_rim(node, place, _RIM):
            self._node, self._doing = node, _Doing.LINKING
            board.hovered = None
            self._draw_link(place)
        elif (node := board.node_at(place)) is not None:
            self._node, self._doing = node, _Doing.PRESSED_NODE
            self._grip = board.sight.to_graph(place.x(), place.y())[1] - board.model.box(node).y
            self._pick(node, adding)
        elif place.x() >= HEADER:
            self._doing = (
                _Doing.FRAMING if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else _Doing.PRESSED_GROUND
            )

    def move(self, event: QMouseEvent) -> None:
        """Go on with it, or show what a press would begin."""
        board, place = self._board, event.position()
        far = (place - self._start).manhattanLength() > _SLACK
        if self._doing is _Doing.NOTHING:
            self._hover(place)
        elif self._doing is _Doing.SEEKING:
            self._seek(place)
        elif self._doing is _Doing.LINKING:
            self._draw_link(place)
        elif self._doing is _Doing.FRAMING:
            board.band = QRectF(self._start, place).normalized()
            board.viewport().update()
        elif self._doing in (_Doing.PRESSED_NODE, _Doing.MOVING):
            if far or self._doing is _Doing.MOVING:
                self._doing = _Doing.MOVING
                self._drag(place)
        elif far or self._doing is _Doing.PANNING:
            self._doing = _Doing.PANNING
            board.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            board.pan(place.x() - self._last.x(), place.y() - self._last.y())
        self._last = place

    def release(self, event: QMouseEvent) -> None:
        """End it."""
        board, doing = self._board, self._doing
        self._doing = _Doing.NOTHING
        if doing is _Doing.LINKING and board.link is not None:
            link, board.link = board.link, None
            board.show_hint("")
            if link.target is not None:
                board.ask_edge(link.source, link.target)
            elif (event.position() - self._start).manhattanLength() <= _SLACK:
                board.choose([link.source])
        elif doing is _Doing.MOVING and board.dragged is not None:
            (node, y), board.dragged = board.dragged, None
            board.model.move(node, y)
        elif doing is _Doing.PRESSED_GROUND:
            edge = board.edge_at(event.position())
            if edge is None:
                board.choose(())
            else:
                board.choose_edge(edge)
        elif doing is _Doing.FRAMING:
            self._frame()
        self._hover(event.position())
        board.redraw()

    def double_click(self, event: QMouseEvent) -> None:
        """Edit the node that was clicked twice."""
        node = self._board.node_at(event.position())
        if node is not None and event.button() == _LEFT:
            self._doing = _Doing.NOTHING
            self._board.ask_edit(node)

    def cancel(self) -> None:
        """Forget what is under way."""
        board = self._board
        self._doing = _Doing.NOTHING
        board.link, board.dragged, board.band, board.hovered = None, None, None, None
        board.show_hint("")
        board.redraw()

    def leave(self) -> None:
        """The mouse left the view."""
        if self._board.hovered is not None:
            self._board.hovered = None
            self._board.viewport().update()

    def _pick(self, node: str, adding: bool) -> None:
        board = self._board
        chosen = board.model.selected
        if adding:
            board.choose([one for one in chosen if one != node] if node in chosen else [*chosen, node])
        elif chosen != (node,):
            board.choose([node])

    def _drag(self, place: QPointF) -> None:
        board = self._board
        assert self._node is not None
        assert board.model.picture is not None
        row = board.model.picture.row_at(board.model.box(self._node).y)
        assert row is not None
        lowest = row.top + row.height + PADDING
        y = board.sight.to_graph(place.x(), place.y())[1] - self._grip
        board.dragged = (self._node, round(min(max(y, row.inner_top), lowest)))
        board.viewport().setCursor(Qt.CursorShape.SizeVerCursor)
        board.viewport().update()

    def _draw_link(self, place: QPointF) -> None:
        board = self._board
        assert self._node is not None
        target = board.node_at(place, _OUTSIDE)
        board.link = Link(
            self._node, None if target == self._node else target, board.sight.to_graph(place.x(), place.y())
        )
        board.show_hint(board.keys.about(board.link))
        board.viewport().update()

    def _frame(self) -> None:
        board = self._board
        band, board.band = board.band, None
        if band is None or board.model.picture is None:
            return
        picture = board.model.picture
        corners = board.sight.to_graph(band.left(), band.top()), board.sight.to_graph(band.right(), band.bottom())
        found = picture.nodes_in(*corners[0], *corners[1])
        board.choose([picture.graph.nodes[one].id for one in found.tolist()])

    def _seek(self, place: QPointF) -> None:
        time = self._board.time_at(place)
        if time is not None and place.x() >= HEADER:
            self._board.seek_requested.emit(time)

    def _hover(self, place: QPointF) -> None:
        board = self._board
        node = board.node_at(place, _OUTSIDE) if board.editable else None
        rim = node is not None and board.on_rim(node, place, _RIM)
        inner = board.node_at(place)
        edge = None if node or inner else board.edge_at(place)
        shape = Qt.CursorShape.CrossCursor if rim else Qt.CursorShape.PointingHandCursor
        board.viewport().setCursor(shape if rim or inner or edge else Qt.CursorShape.ArrowCursor)
        if node != board.hovered:
            board.hovered = node
            board.viewport().update()
