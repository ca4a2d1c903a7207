"""Joins the chains of the recording to the whole window.

Fills the timeline lane of nodes and the menus, and imports and exports chains.
"""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QMenu

from annotate.chains import chain_edits
from annotate.chains.chain_files import export_chains, exportable_chains, import_chains
from annotate.chains.chain_formats import list_formats
from app.gui.player.player import Player
from app.gui.study.dialogs import Dialogs, file_filter
from app.gui.study.study_controller import StudyController
from app.gui.timeline.chain_editing import ChainEditor, ChosenChain
from app.gui.timeline.segment_editing import SegmentEditing
from app.gui.timeline.timeline_presenter import TimelineFeed
from project.entities.causal_chains import ChainGraph, NodeKind
from project.entities.study_records import Changes
from project.errors import UserError
from project.session.session import Session
from resources.translation import tr, trn
from widgets.graph.graph_view import write_picture
from widgets.labels import KIND_LOOKS, NodePerson
from widgets.timeline.lanes import node_bar, node_lane
from widgets.timeline.timeline_view import TimelineView

_MAX_FILE_NAME_CHARS = 80
"""Letters of a file's name."""


class ChainFiles(QObject):
    """Asks for a name, and writes or reads. Nothing of a held-out recording is written."""

    def __init__(self, studio: StudyController, chosen: ChosenChain, dialogs: Dialogs, parent: QObject) -> None:
        super().__init__(parent)
        self._studio = studio
        self._chosen = chosen
        self._dialogs = dialogs

    def save_picture(self, suffix: str) -> None:
        """Save the graph as it is laid out; `suffix` is `.svg` or `.png`."""
        people = {
            key: NodePerson(participant.pseudonym, self._chosen.colours.get(key))
            for key, participant in self._chosen.people.items()
        }

        def write(_session: Session, graph: ChainGraph, path: Path) -> None:
            write_picture(graph, people, path)

        self._save(tr("Save a picture of the chain"), tr("Picture"), suffix, write)

    def export_chain(self, suffix: str) -> None:
        """Save the chain as a file; `suffix` is `.json` or `.graphml`."""

        def write(session: Session, graph: ChainGraph, path: Path) -> None:
            export_chains(session, [graph], path, overwrite=True)

        self._save(tr("Save the chain"), tr("Chain"), suffix, write)

    def import_chains(self) -> None:
        """Read chains from a file into the recording that is shown."""
        recording = self._studio.recording
        kinds = file_filter(tr("Chains"), (form.suffix for form in list_formats().values()))
        path = self._dialogs.file(tr("Read a chain from a file"), kinds) if recording is not None else None
        if recording is None or path is None:
            return
        made: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = import_chains(session, path, recording=recording.id)
            made.extend(new)
            return changes

        if self._studio.edit(do):
            self._studio.message.emit(
                tr("Read {count} from {name}.").format(
                    count=trn("{count} chain", "{count} chains", len(made)), name=path.name
                )
            )

    def _save(self, title: str, kind: str, suffix: str, write: Callable[[Session, ChainGraph, Path], None]) -> None:
        session, graph = self._studio.session, self._chosen.graph
        if session is None:
            return
        try:
            if graph is None:
                raise UserError(tr("This recording has no chain yet."), tr("Start a chain with Ctrl+Shift+N."))
            (kept,) = exportable_chains(session, [graph.chain.id])
            name = re.sub(r"[^\w-]+", "-", graph.chain.name).strip("-")[:_MAX_FILE_NAME_CHARS] or "chain"
            path = self._dialogs.save(title, session.study.folder / f"{name}{suffix}", kind)
            if path is None:
                return
            write(session, kept, path if path.suffix else path.with_suffix(suffix))
        except UserError as error:
            self._studio.failed.emit(error)
            return
        self._studio.message.emit(tr("Saved {name}.").format(name=path.name))


class ChainLane(QObject):
    """Shows the nodes, and hands what is done to them on the timeline to who edits."""

    def __init__(
        self, chosen: ChosenChain, drawing: ChainEditor, feed: TimelineFeed, timeline: TimelineView, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._chosen = chosen
        self._feed = feed
        chosen.changed.connect(self.update_lane)
        chosen.chains_changed.connect(self.update_lane)
        timeline.node_requests.move.connect(drawing.move)
        timeline.node_requests.create.connect(lambda _lane, start, end: drawing.add_over_span(start, end))
        timeline.node_requests.delete.connect(drawing.delete)
        timeline.node_requests.nudge.connect(drawing.nudge)

    def update_lane(self) -> None:
        """Show the chain as it is now."""
        chosen, graph = self._chosen, self._chosen.graph
        if graph is None:
            self._feed.set_chain(None)
            return
        chain = graph.chain
        lane = node_lane(chain.name, chosen.author_name(chain), chosen.is_editable)
        names = {key: participant.pseudonym for key, participant in chosen.people.items()}
        self._feed.set_chain(
            lane,
            [
                node_bar(
                    node,
                    chain.recording_id,
                    [names[who] for who in node.people if who in names],
                    chosen.flags.get(node.id, "").partition("\n")[0],
                )
                for node in graph.nodes
            ],
        )


class Chains(QObject):
    """Owns what is chosen and who edits it.

    Attributes:
        chosen: which chain is worked on.
        drawing: edits its nodes and edges.
        files: pictures and files of it.

    Signals:
        chain_begun: a chain without nodes was begun.
    """

    chain_begun = Signal()

    def __init__(
        self,
        studio: StudyController,
        player: Player,
        editing: SegmentEditing,
        feed: TimelineFeed,
        timeline: TimelineView,
        dialogs: Dialogs,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._dialogs = dialogs
        self.chosen = ChosenChain(studio, self)
        self.drawing = ChainEditor(studio, player, editing, self.chosen, self)
        self.files = ChainFiles(studio, self.chosen, dialogs, self)
        self._lane = ChainLane(self.chosen, self.drawing, feed, timeline, self)
        studio.nodes_selected.connect(self._seek)

    def new_chain(self) -> None:
        """Begin another chain of the recording."""
        recording = self._studio.recording
        if recording is not None and self._studio.edit(lambda session: chain_edits.add_chain(session, recording.id)[1]):
            self.chain_begun.emit()

    def rename(self) -> None:
        """Ask for another name of the chain."""
        graph = self.chosen.graph
        if graph is None:
            self._report_no_chain()
            return
        name = self._dialogs.text(tr("Rename chain"), tr("Name of the chain"), graph.chain.name)
        if name:
            self._studio.edit(lambda session: chain_edits.rename_chain(session, graph.chain.id, name))

    def delete(self) -> None:
        """Delete the chain; undo brings it back."""
        graph = self.chosen.graph
        if graph is None:
            self._report_no_chain()
            return
        self.drawing.about_to_change.emit()
        if self._studio.edit(lambda session: chain_edits.delete_chain(session, graph.chain.id)):
            self._studio.message.emit(tr("Deleted {name}. Undo brings it back.").format(name=graph.chain.name))

    def show_menu(self, where: QPoint, owner: QMenu) -> None:
        """Offer what can be done with the selected nodes, at a point of the screen."""
        drawing, chain_node = self.drawing, self.drawing.current()
        if chain_node is None:
            return
        owner.addAction(tr("Type what it says"), lambda: drawing.edit_text_requested.emit(chain_node.id))
        owner.addAction(tr("Play"), drawing.play)
        owner.addSeparator()
        kinds = owner.addMenu(tr("It is"))
        for kind in NodeKind:
            action = kinds.addAction(KIND_LOOKS[kind].name, partial(drawing.set_kind, kind))
            action.setCheckable(True)
            action.setChecked(kind is chain_node.kind)
        changing = [
            owner.addAction(tr("Start at the playhead"), lambda: drawing.trim(False)),
            owner.addAction(tr("End at the playhead"), lambda: drawing.trim(True)),
            owner.addAction(tr("Join: the others are reasons for this one"), drawing.connect_selected),
        ]
        changing[-1].setVisible(len(drawing.selected()) > 1)
        owner.addSeparator()
        changing.append(owner.addAction(tr("Delete"), lambda: drawing.delete()))
        for action in (*changing, kinds.menuAction()):
            action.setEnabled(self.chosen.is_editable)
        owner.popup(where)

    def _seek(self) -> None:
        """Show where the selected node begins, unless the playhead is in it already."""
        chain_node = self.drawing.current()
        if chain_node is not None and not chain_node.start_us <= self._player.position_us < chain_node.end_us:
            self._player.seek(chain_node.start_us)

    def _report_no_chain(self) -> None:
        self._studio.failed.emit(
            UserError(tr("This recording has no chain yet."), tr("Start a chain with Ctrl+Shift+N."))
        )
