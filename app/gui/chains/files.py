"""Pictures and files of a chain, and chains that come from files."""

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject

from app.core.chains.files.exporting import export_chains, exportable_chains
from app.core.chains.files.form import forms
from app.core.chains.files.importing import import_chains
from app.core.session import Session
from app.gui.chains.chosen import ChosenChain
from app.gui.dialogs import Questions, filter_of
from app.gui.studio import Studio
from project.chains import ChainGraph
from project.errors import UserError
from project.types import Changes
from resources.translation import tr, trn
from widgets.chains.looks import Person
from widgets.chains.picture import write_picture

_LONGEST = 80
"""Letters of a file's name."""


class ChainFiles(QObject):
    """Asks for a name, and writes or reads. Nothing of a held-out recording is written."""

    def __init__(self, studio: Studio, chosen: ChosenChain, dialogs: Questions, parent: QObject) -> None:
        super().__init__(parent)
        self._studio = studio
        self._chosen = chosen
        self._dialogs = dialogs

    def save_picture(self, suffix: str) -> None:
        """Save the graph as it is laid out; `suffix` is `.svg` or `.png`."""
        people = {key: Person(one.pseudonym, self._chosen.colours.get(key)) for key, one in self._chosen.people.items()}

        def write(_session: Session, graph: ChainGraph, path: Path) -> None:
            write_picture(graph, people, path)

        self._save(tr("Save a picture of the chain"), tr("Picture"), suffix, write)

    def export(self, suffix: str) -> None:
        """Save the chain as a file; `suffix` is `.json` or `.graphml`."""

        def write(session: Session, graph: ChainGraph, path: Path) -> None:
            export_chains(session, [graph], path, overwrite=True)

        self._save(tr("Save the chain"), tr("Chain"), suffix, write)

    def read(self) -> None:
        """Read chains from a file into the recording that is shown."""
        recording = self._studio.recording
        kinds = filter_of(tr("Chains"), (form.suffix for form in forms().values()))
        path = self._dialogs.file(tr("Read a chain from a file"), kinds) if recording is not None else None
        if recording is None or path is None:
            return
        made: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = import_chains(session, path, recording=recording.id)
            made.extend(new)
            return changes

        if self._studio.edit(do):
            self._studio.told.emit(
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
                raise UserError(tr("This recording has no chain."), tr("Begin one with Ctrl+Shift+N."))
            (kept,) = exportable_chains(session, [graph.chain.id])
            name = re.sub(r"[^\w-]+", "-", graph.chain.name).strip("-")[:_LONGEST] or "chain"
            path = self._dialogs.save(title, session.study.folder / f"{name}{suffix}", kind)
            if path is None:
                return
            write(session, kept, path if path.suffix else path.with_suffix(suffix))
        except UserError as error:
            self._studio.failed.emit(error)
            return
        self._studio.told.emit(tr("Saved {name}.").format(name=path.name))
