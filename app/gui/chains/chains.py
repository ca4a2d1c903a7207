"""The chains of the recording that is shown, for the whole window: the lane, the menus, and whatever page is on."""

from functools import partial

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QMenu

from app.core.commands import chains as commands
from app.gui.chains.chosen import ChosenChain
from app.gui.chains.drawing import ChainDrawing
from app.gui.chains.files import ChainFiles
from app.gui.chains.lane import ChainLane
from app.gui.dialogs import Questions
from app.gui.player import Player
from app.gui.segment_editing import SegmentEditing
from app.gui.studio import Studio
from app.gui.timeline_feed import TimelineFeed
from project.chains import NodeKind
from project.errors import UserError
from resources.translation import tr
from widgets.chains.looks import KINDS
from widgets.timeline.view import TimelineView


class Chains(QObject):
    """Owns what is chosen and who edits it.

    Attributes:
        chosen: which chain is worked on.
        drawing: edits its nodes and edges.
        files: pictures and files of it.
    """

    def __init__(
        self,
        studio: Studio,
        player: Player,
        editing: SegmentEditing,
        feed: TimelineFeed,
        timeline: TimelineView,
        dialogs: Questions,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._dialogs = dialogs
        self.chosen = ChosenChain(studio, self)
        self.drawing = ChainDrawing(studio, player, editing, self.chosen, self)
        self.files = ChainFiles(studio, self.chosen, dialogs, self)
        self._lane = ChainLane(self.chosen, self.drawing, feed, timeline, self)
        studio.nodes_selected.connect(self._seek)

    def begin(self) -> None:
        """Begin another chain of the recording."""
        recording = self._studio.recording
        if recording is not None:
            self._studio.edit(lambda session: commands.add_chain(session, recording.id)[1])

    def rename(self) -> None:
        """Ask for another name of the chain."""
        graph = self.chosen.graph
        if graph is None:
            self._refuse()
            return
        name = self._dialogs.text(tr("Rename chain"), tr("Name of the chain"), graph.chain.name)
        if name:
            self._studio.edit(lambda session: commands.rename_chain(session, graph.chain.id, name))

    def delete(self) -> None:
        """Delete the chain; undo brings it back."""
        graph = self.chosen.graph
        if graph is None:
            self._refuse()
            return
        self.drawing.changing.emit()
        if self._studio.edit(lambda session: commands.delete_chain(session, graph.chain.id)):
            self._studio.told.emit(tr("Deleted {name}. Undo brings it back.").format(name=graph.chain.name))

    def menu(self, where: QPoint, owner: QMenu) -> None:
        """Offer what can be done with the selected nodes, at a point of the screen."""
        drawing, one = self.drawing, self.drawing.current()
        if one is None:
            return
        owner.addAction(tr("Type what it says"), lambda: drawing.typing_requested.emit(one.id))
        owner.addAction(tr("Play"), drawing.play)
        owner.addSeparator()
        kinds = owner.addMenu(tr("It is"))
        for kind in NodeKind:
            action = kinds.addAction(KINDS[kind].name, partial(drawing.set_kind, kind))
            action.setCheckable(True)
            action.setChecked(kind is one.kind)
        changing = [
            owner.addAction(tr("Start at the playhead"), lambda: drawing.trim(False)),
            owner.addAction(tr("End at the playhead"), lambda: drawing.trim(True)),
            owner.addAction(tr("Join: the others are reasons for this one"), drawing.join_selected),
        ]
        changing[-1].setVisible(len(drawing.selected()) > 1)
        owner.addSeparator()
        changing.append(owner.addAction(tr("Delete"), lambda: drawing.delete()))
        for action in (*changing, kinds.menuAction()):
            action.setEnabled(self.chosen.editable)
        owner.popup(where)

    def _seek(self) -> None:
        """Show where the selected node begins, unless the playhead is in it already."""
        one = self.drawing.current()
        if one is not None and not one.start_us <= self._player.position_us < one.end_us:
            self._player.seek(one.start_us)

    def _refuse(self) -> None:
        self._studio.failed.emit(UserError(tr("This recording has no chain."), tr("Begin one with Ctrl+Shift+N.")))
