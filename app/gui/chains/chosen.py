"""Which chain of the recording is worked on, read anew only when an edit touched it."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from app.core.chains.checks import Problem, by_node, problems
from app.core.chains.versions import ADJUDICATED
from app.core.session import Session
from app.gui.studio import Studio
from project.chains import Chain, ChainGraph
from project.queries.annotators import all_annotators
from project.queries.chains import chains_of, graph_of, node_called
from project.queries.participants import all_participants, participants_in
from project.types import Annotator, Changes, Participant
from resources.translation import tr
from widgets.participant_looks import participant_colours

_LIST = frozenset({"chain", "annotator", "completion", "assignment", "property"})
_PEOPLE = frozenset({"participant", "appearance"})
_PARTS = ("chain_node", "chain_person", "chain_edge")


class ChosenChain(QObject):
    """Holds the chains of the recording that is shown, and the graph of the one that is chosen.

    Signals:
        listed: other chains are there, or under other names.
        changed: the chosen chain is another one, or something in it changed.

    Attributes:
        chains: of the recording, in the order in which they were begun.
        graph: of the chosen chain; None where there is none.
        problems: of the chosen chain.
        flags: node id -> what is wrong with it, in lines.
        people: of the study, those of the recording first.
        colours: participant id -> `#rrggbb`.
        authors: annotator id -> annotator.
    """

    listed = Signal()
    changed = Signal()

    def __init__(self, studio: Studio, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio = studio
        self._last: dict[str, str] = {}
        self.chains: tuple[Chain, ...] = ()
        self.graph: ChainGraph | None = None
        self.problems: Sequence[Problem] = ()
        self.flags: Mapping[str, str] = {}
        self.people: Mapping[str, Participant] = {}
        self.colours: Mapping[str, str] = {}
        self.authors: Mapping[str, Annotator] = {}
        studio.session_changed.connect(self._last.clear)
        studio.recording_changed.connect(self.reload)
        studio.bridge.changed.connect(lambda changes, _initiator: self._apply(changes))

    @property
    def id(self) -> str:
        """Id of the chosen chain; "" for none."""
        return self.graph.chain.id if self.graph is not None else ""

    @property
    def own(self) -> bool:
        """Whether the chosen chain was drawn by who works here."""
        session = self._studio.session
        who = session.annotator() if session is not None else None
        return who is not None and self.graph is not None and self.graph.chain.annotator_id == who.id

    @property
    def editable(self) -> bool:
        """Whether the chosen chain may be changed here."""
        return self._studio.writable and self.own

    @property
    def agreed(self) -> bool:
        """Whether the chosen chain is a version that was agreed on."""
        found = self.authors.get(self.graph.chain.annotator_id) if self.graph is not None else None
        return found is not None and found.kind == ADJUDICATED

    def author(self, chain: Chain) -> str:
        """Return who drew a chain, for people to read."""
        found = self.authors.get(chain.annotator_id)
        return (
            tr("agreed version")
            if found is not None and found.kind == ADJUDICATED
            else self.name_of(chain.annotator_id)
        )

    def name_of(self, annotator_id: str) -> str:
        """Return the name of an annotator."""
        found = self.authors.get(annotator_id)
        return found.name if found is not None else "somebody"

    def reload(self) -> None:
        """Read the recording that is shown."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            self.chains, self.people = (), {}
            self.listed.emit()
            self._show(None)
            return
        self._read_people(session, recording.id)
        self._read_list(session, recording.id)

    def choose(self, chain_id: str) -> None:
        """Work on another chain of the recording."""
        session = self._studio.session
        found = next((one for one in self.chains if one.id == chain_id), None)
        if session is None or found is None or found.id == self.id:
            return
        self._studio.select_nodes(())
        self._last[found.recording_id] = found.id
        self._show(graph_of(session.study, found))

    def step(self, by: int) -> None:
        """Work on the next (1) or previous (-1) chain, and round."""
        ids = [one.id for one in self.chains]
        if ids:
            self.choose(ids[(ids.index(self.id) + by) % len(ids)] if self.id in ids else ids[0])

    def _read_people(self, session: Session, recording_id: str) -> None:
        everybody = all_participants(session.study)
        self.colours = participant_colours([one.id for one in everybody])
        here = {one.id for one in participants_in(session.study, recording_id)}
        self.people = {one.id: one for one in sorted(everybody, key=lambda one: one.id not in here)}

    def _read_list(self, session: Session, recording_id: str, new: frozenset[str] = frozenset()) -> None:
        """Read which chains there are; one of `new` is chosen where it came."""
        before = {one.id for one in self.chains}
        self.chains = tuple(chains_of(session.study, recording_id))
        self.authors = {one.id: one for one in all_annotators(session.study)}
        self.listed.emit()
        came = [one for one in self.chains if one.id in new - before]
        wanted = came[-1].id if came else self._last.get(recording_id, "")
        own = session.annotator()
        mine = [one for one in self.chains if own is not None and one.annotator_id == own.id]
        found = next((one for one in self.chains if one.id == wanted), None)
        found = found or next(iter(mine or self.chains), None)
        if found is not None:
            self._last[recording_id] = found.id
        self._show(graph_of(session.study, found) if found is not None else None)

    def _apply(self, changes: Changes) -> None:
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            return
        if _PEOPLE & set(changes):
            self._read_people(session, recording.id)
        if _LIST & set(changes):
            self._read_list(session, recording.id, frozenset(changes.ids("chain")))
        elif self.graph is not None and self._touched(session, changes):
            # Whoever edits for the first time becomes an annotator without a word in the changes.
            self.authors = {one.id: one for one in all_annotators(session.study)}
            self._show(graph_of(session.study, self.graph.chain))
        elif self.graph is not None and _PEOPLE & set(changes):
            self.changed.emit()

    def _touched(self, session: Session, changes: Changes) -> bool:
        assert self.graph is not None
        ids = frozenset[str]().union(*(changes.ids(table) for table in _PARTS))
        if ids & self.graph.by_id.keys() or self.id in changes.ids("chain_review"):
            return True
        found = (node_called(session.study, one) for one in ids)
        return any(one is not None and one.chain_id == self.id for one in found)

    def _show(self, graph: ChainGraph | None) -> None:
        self.graph = graph
        recording = self._studio.recording
        duration = recording.duration_us if recording is not None else None
        self.problems = problems(graph, duration) if graph is not None else ()
        self.flags = by_node(self.problems)
        known = graph.by_id if graph is not None else {}
        gone = [one for one in self._studio.selected_nodes if one not in known]
        self.changed.emit()
        if gone:
            self._studio.select_nodes(one for one in self._studio.selected_nodes if one in known)
