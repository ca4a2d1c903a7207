"""Chains of a file become chains of a study: whatever does not fit is refused, and nothing is written then."""

from pathlib import Path

from app.core.chains.drawing import Drawing, DrawnNode, circle, one_line
from app.core.chains.files.form import FileChain, FileNode, form_of
from app.core.chains.sources import SEGMENT, UTTERANCE
from app.core.commands.chains import add_drawn_chains
from app.core.lookup import recording_called
from app.core.session import Session
from project.chains import NodeKind
from project.errors import UserError
from project.names import require_text, shown
from project.queries.participants import all_participants
from project.queries.recordings import all_recordings
from project.queries.segments import segment
from project.queries.utterances import utterance
from project.timebase import format_time
from project.types import Changes, Recording

_NOTHING = "Nothing was imported."


def import_chains(
    session: Session, path: Path, *, recording: str | None = None, key: str | None = None
) -> tuple[list[str], Changes]:
    """Add the chains of a file as one step, as those of the annotator of this session; returns their ids.

    Args:
        session: of the study.
        path: of the file.
        recording: number, name or id of the recording that they are about; by the names that the file gives where None.
        key: of the format; told by the file's name where None.

    Raises:
        UserError: the file cannot be understood, its recording is not in the study, or a chain is empty, has a node
            outside its recording, of an unknown kind or about an unknown participant, an edge without one of its nodes,
            or reasons that go round in a circle.
    """
    require_text(path)
    session.study.require_writable()
    found = form_of(path, key).read(path)
    if not found:
        raise UserError(f"{shown(path.name)} holds no chains.", _NOTHING)
    fixed = None if recording is None else recording_called(session, recording)
    placed: list[tuple[str, Drawing]] = []
    for number, one in enumerate(found, 1):
        where = f"{shown(path.name)}, {_called(one, number)}"
        owner = fixed or _recording(session, one, where)
        placed.append((owner.id, _drawing(session, one, owner, where)))
    return add_drawn_chains(session, placed, what=f"Import {shown(path.name)}")


def _recording(session: Session, one: FileChain, where: str) -> Recording:
    alike = [each for each in all_recordings(session.study) if one_line(each.name) == one_line(one.recording)]
    if len(alike) != 1:
        what = "no recording" if not alike else f"{len(alike)} recordings"
        raise UserError(f"{where}: {what} of this study called “{shown(one.recording)}”.", "Say which one it is about.")
    return alike[0]


def _drawing(session: Session, one: FileChain, owner: Recording, where: str) -> Drawing:
    if not one.nodes:
        raise UserError(f"{where} has no nodes.", _NOTHING)
    people = {each.pseudonym: each.id for each in all_participants(session.study)}
    places: dict[str, int] = {}
    nodes = []
    for at, node in enumerate(one.nodes):
        if node.id in places:
            raise UserError(f"{where}: two nodes are called “{_short(node.id)}”.", _NOTHING)
        places[node.id] = at
        nodes.append(_node(session, node, owner, people, where))
    edges = []
    for reason, result in dict.fromkeys(one.edges):
        loose = next((each for each in (reason, result) if each not in places), None)
        if loose is not None:
            raise UserError(f"{where}: an edge leads to “{_short(loose)}”, which is no node of it.", _NOTHING)
        edges.append((places[reason], places[result]))
    if round_ := circle(len(nodes), edges):
        names = ", ".join(f"“{_short(one.nodes[at].text or one.nodes[at].id)}”" for at in round_[:4])
        raise UserError(f"{where}: reasons go round in a circle over {names}.", _NOTHING)
    return Drawing(one.name, tuple(nodes), tuple(edges))


def _node(session: Session, one: FileNode, owner: Recording, people: dict[str, str], where: str) -> DrawnNode:
    called = f"{where}: node “{_short(one.id)}”"
    if one.kind not in {*NodeKind}:
        raise UserError(
            f"{called} is of the unknown kind “{_short(one.kind)}”.", f"Known are {', '.join(NodeKind)}. {_NOTHING}"
        )
    for who in one.people:
        if who not in people:
            raise UserError(
                f"{called} is about “{_short(who)}”, who is no participant of this study.",
                f"Add them first: greenroom participant add. {_NOTHING}",
            )
    if not 0 <= one.start_us < one.end_us <= owner.duration_us:
        raise UserError(
            f"{called} lies outside recording {owner.number}, or does not end after it starts.",
            f"The recording lasts from 0:00:00.000 to {format_time(owner.duration_us)}. {_NOTHING}",
        )
    ids = tuple(people[who] for who in one.people)
    source = one.source if _there(session, one.source, owner.id) else ""
    return DrawnNode(NodeKind(one.kind), one.text, one.start_us, one.end_us, ids, source)


def _there(session: Session, source: str, recording_id: str) -> bool:
    table, _, source_id = one_line(source).partition("/")
    if table == SEGMENT:
        found = segment(session.study, source_id)
        return found is not None and found.recording_id == recording_id
    if table == UTTERANCE:
        said = utterance(session.study, source_id)
        return said is not None and said.recording_id == recording_id
    return False


def _called(one: FileChain, number: int) -> str:
    return f"chain “{_short(one.name)}”" if one.name.strip() else f"chain {number}"


def _short(text: str, longest: int = 40) -> str:
    plain = shown(one_line(text))
    return plain if len(plain) <= longest else f"{plain[: longest - 1]}…"
