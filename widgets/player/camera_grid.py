"""The area of the pictures: a single picture, several side by side, or insets over a large one."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from resources.translation import tr
from widgets import theme
from widgets.accessibility import Role
from widgets.player.picture_adjustment import Brightening
from widgets.player.player_view import PlayerView

Rect = tuple[float, float, float, float]

GAP = 2.0
MARGIN = 12.0
SMALLEST, LARGEST = 0.12, 0.5

_WORTH_STACKING = 1.25


class MultiViewLayout(StrEnum):
    """How several pictures are shown."""

    SIDE = "side"
    INSET = "inset"
    SINGLE = "single"


class Corner(StrEnum):
    """Where insets stand, in the order in which a key goes through them."""

    BOTTOM_RIGHT = "bottom right"
    BOTTOM_LEFT = "bottom left"
    TOP_LEFT = "top left"
    TOP_RIGHT = "top right"


def side_by_side_rects(width: float, height: float, aspects: Sequence[float]) -> list[Rect]:
    """Return a cell for each picture, in rows, such that all pictures together are about as large as can be.

    Where it makes little difference they stand in one row.

    Args:
        width: of the area.
        height: of the area.
        aspects: width over height of each picture.
    """
    count = len(aspects)
    best: list[Rect] = []
    most = 0.0
    for columns in range(count, 0, -1):
        rows = -(-count // columns)
        cell_width = max(1.0, (width - GAP * (columns - 1)) / columns)
        cell_height = max(1.0, (height - GAP * (rows - 1)) / rows)
        shown = sum(min(cell_width, cell_height * aspect) ** 2 / aspect for aspect in aspects)
        if shown <= most * _WORTH_STACKING:
            continue
        most, best = shown, []
        for place in range(count):
            row, column = divmod(place, columns)
            in_row = min(columns, count - row * columns)
            left = (columns - in_row) * (cell_width + GAP) / 2
            best.append((left + column * (cell_width + GAP), row * (cell_height + GAP), cell_width, cell_height))
    return best


def inset_rects(width: float, height: float, aspects: Sequence[float], corner: Corner, share: float) -> list[Rect]:
    """Return the small pictures in a row that starts in a corner of the area.

    Args:
        width: of the area.
        height: of the area.
        aspects: width over height of each small picture.
        corner: where the row starts.
        share: height of the row over that of the area; less where the row would be wider than the area.
    """
    if not aspects:
        return []
    room = max(1.0, width - 2 * MARGIN - GAP * (len(aspects) - 1))
    tall = max(1.0, min(height * share, room / sum(aspects)))
    top = MARGIN if corner in (Corner.TOP_LEFT, Corner.TOP_RIGHT) else height - MARGIN - tall
    found: list[Rect] = []
    from_left = corner in (Corner.TOP_LEFT, Corner.BOTTOM_LEFT)
    edge = MARGIN if from_left else width - MARGIN
    for aspect in aspects:
        wide = tall * aspect
        found.append((edge if from_left else edge - wide, top, wide, tall))
        edge += (wide + GAP) if from_left else -(wide + GAP)
    return found


def nearest_corner(width: float, height: float, x: float, y: float) -> Corner:
    """Return the corner of the area that a point is nearest to."""
    if y < height / 2:
        return Corner.TOP_LEFT if x < width / 2 else Corner.TOP_RIGHT
    return Corner.BOTTOM_LEFT if x < width / 2 else Corner.BOTTOM_RIGHT


MAIN = "main"
_DEFAULT_SHARE = 0.3
_SHARE_STEP = 1.12
_WHEEL_NOTCH = 120


@dataclass(frozen=True, slots=True)
class MissingPicturePlate:
    """What stands in place of a picture: an icon, why there is none, what to do, and a button where one helps."""

    icon: str
    title: str
    hint: str
    action: str = ""


@dataclass(frozen=True, slots=True)
class ViewTile:
    """One further picture: its key, its name, and its width over its height."""

    key: str
    name: str
    aspect: float


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How the pictures of a recording stand. `large` is a view's key; `share` the insets' height over the area's."""

    layout: MultiViewLayout = MultiViewLayout.SIDE
    large: str = MAIN
    corner: Corner = Corner.BOTTOM_RIGHT
    share: float = _DEFAULT_SHARE


class ViewsGrid(QWidget):
    """Holds the main picture, and further ones when a recording has them; with one picture it is nothing but that.

    Signals:
        clicked: on any picture: play or pause.
        double_clicked: on the large picture: full screen, or back. On another one: that becomes the large one.
        arrangement_changed: the arrangement was changed here.
        action_requested: the button of a plate was pressed.
        front_changed: another picture may be the large one.
        mouse_moved: over any picture.
    """

    ROLE = Role.Grouping

    clicked = Signal()
    double_clicked = Signal()
    arrangement_changed = Signal()
    action_requested = Signal()
    front_changed = Signal()
    mouse_moved = Signal()

    def __init__(self, main: PlayerView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.main = main
        self.arrangement = Arrangement()
        self._views: dict[str, PlayerView] = {MAIN: main}
        self._shown: tuple[ViewTile, ...] = ()
        self._main_aspect = 16 / 9
        self._pressed: QPoint | None = None
        self._dragged = False
        self._enlarging = ""
        self._brightening = Brightening()
        self.setAccessibleName(tr("Pictures of the recording"))
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        main.setParent(self)
        self._connect_view(MAIN, main)
        theme.notifier.changed.connect(self.update)

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of all pictures, the main one first."""
        return (MAIN, *(view.key for view in self._shown))

    def view(self, key: str) -> PlayerView:
        """Return the widget of a picture."""
        return self._views[key]

    def set_views(self, views: Sequence[ViewTile], main_name: str = "", main_aspect: float = 16 / 9) -> None:
        """Show these further pictures beside the main one; widgets of those that stay are kept."""
        self._shown = tuple(views)
        self._main_aspect = main_aspect
        wanted = {view.key for view in views}
        for key in [key for key in self._views if key != MAIN and key not in wanted]:
            gone = self._views.pop(key)
            gone.hide()
            gone.deleteLater()
        for view in views:
            if view.key not in self._views:
                made = self._views[view.key] = PlayerView(self)
                made.set_brightening(self._brightening)
                self._connect_view(view.key, made)
            self._views[view.key].set_caption(view.name)
            self._views[view.key].set_subject(view.name)
        self.main.set_caption(main_name if views else "")
        self._place_views()
        self.front_changed.emit()

    def set_arrangement(self, arrangement: Arrangement) -> None:
        """Let the pictures stand in another way; a large one that is not there is the main one."""
        self.arrangement = arrangement
        self._place_views()
        self.front_changed.emit()

    def change_arrangement(
        self,
        *,
        layout: MultiViewLayout | None = None,
        large: str | None = None,
        corner: Corner | None = None,
        share: float | None = None,
    ) -> None:
        """Change a part of the arrangement, and tell."""
        now = self.arrangement
        self.set_arrangement(
            Arrangement(
                now.layout if layout is None else layout,
                now.large if large is None else large,
                now.corner if corner is None else corner,
                now.share if share is None else min(max(share, SMALLEST), LARGEST),
            )
        )
        self.arrangement_changed.emit()

    def next_layout(self) -> None:
        """Go to the next layout."""
        layouts = list(MultiViewLayout)
        self.change_arrangement(layout=layouts[(layouts.index(self.arrangement.layout) + 1) % len(layouts)])

    def next_large(self) -> None:
        """Make the next picture the large one."""
        keys = self.keys
        self.change_arrangement(large=keys[(keys.index(self.large_key()) + 1) % len(keys)])

    def next_corner(self) -> None:
        """Put the insets into the next corner."""
        corners = list(Corner)
        self.change_arrangement(corner=corners[(corners.index(self.arrangement.corner) + 1) % len(corners)])

    def resize_insets(self, steps: float) -> None:
        """Make the insets larger, or smaller with a negative number."""
        self.change_arrangement(share=self.arrangement.share * _SHARE_STEP**steps)

    def large_key(self) -> str:
        """Return the key of the picture that is first or large."""
        return self.arrangement.large if self.arrangement.large in self.keys else MAIN

    def views(self) -> list[PlayerView]:
        """Return the widgets of all pictures, the large or first one first."""
        front = self._views[self.large_key()]
        return [front, *(view for view in self._views.values() if view is not front)]

    def set_brightening(self, brightening: Brightening) -> None:
        """Show all pictures with another brightness and contrast."""
        self._brightening = brightening
        for view in self._views.values():
            view.set_brightening(brightening)

    def reset_magnification(self) -> None:
        """Show all pictures whole."""
        for view in self._views.values():
            view.reset_magnification()

    def sizeHint(self) -> QSize:
        return self.main.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self.main.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_views()

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), theme.palette().stage)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Insets are moved by dragging and sized by the wheel."""
        if self._enlarging and event.type() == QEvent.Type.MouseButtonRelease:
            # Not at once: a picture that moves away under the mouse would miss the second click's end.
            QTimer.singleShot(0, self, self._enlarge)
        if not isinstance(watched, PlayerView) or not self._is_inset(watched):
            return False
        if isinstance(event, QWheelEvent):
            self.resize_insets(event.angleDelta().y() / _WHEEL_NOTCH)
            return True
        if not isinstance(event, QMouseEvent):
            return False
        kind, where = event.type(), watched.mapTo(self, event.position().toPoint())
        if kind == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._dragged = where - watched.pos(), False
        elif kind == QEvent.Type.MouseMove and self._pressed is not None:
            moved = where - self._pressed
            if self._dragged or (moved - watched.pos()).manhattanLength() >= QApplication.startDragDistance():
                self._dragged = True
                watched.move(moved)
            return True
        elif kind == QEvent.Type.MouseButtonRelease and self._pressed is not None:
            self._pressed = None
            if self._dragged:
                middle = watched.geometry().center()
                self.change_arrangement(corner=nearest_corner(self.width(), self.height(), middle.x(), middle.y()))
                return True
        return False

    def _connect_view(self, key: str, view: PlayerView) -> None:
        view.clicked.connect(self.clicked)
        view.mouse_moved.connect(self.mouse_moved)
        view.double_clicked.connect(lambda: self._double_clicked(key))
        view.action_requested.connect(self.action_requested)
        view.installEventFilter(self)

    def _double_clicked(self, key: str) -> None:
        if key == self.large_key():
            self.double_clicked.emit()
        else:
            self._enlarging = key

    def _enlarge(self) -> None:
        key, self._enlarging = self._enlarging, ""
        if key in self._views:
            self.change_arrangement(large=key)

    def _is_inset(self, view: PlayerView) -> bool:
        inside = self.arrangement.layout is MultiViewLayout.INSET and bool(self._shown)
        return inside and view is not self._views[self.large_key()]

    def _place_views(self) -> None:
        if not self._shown:
            self.main.setGeometry(self.rect())
            self.main.set_framed(False)
            self.main.show()
            return
        aspects = {MAIN: self._main_aspect, **{view.key: view.aspect for view in self._shown}}
        first = self.large_key()
        others = [key for key in self.keys if key != first]
        layout, width, height = self.arrangement.layout, float(self.width()), float(self.height())
        rects = {first: (0.0, 0.0, width, height)}
        if layout is MultiViewLayout.SIDE:
            order = [first, *others]
            rects = dict(zip(order, side_by_side_rects(width, height, [aspects[k] for k in order]), strict=True))
        elif layout is MultiViewLayout.INSET:
            small = inset_rects(
                width, height, [aspects[k] for k in others], self.arrangement.corner, self.arrangement.share
            )
            rects.update(zip(others, small, strict=True))
        for key in (first, *others):
            view = self._views[key]
            view.set_framed(layout is MultiViewLayout.INSET and key != first)
            view.setVisible(key in rects)
            if key in rects:
                view.setGeometry(QRectF(*rects[key]).toRect())
                view.raise_()
