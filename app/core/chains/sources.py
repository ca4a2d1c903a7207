"""What a node is made of: a segment of any scheme, a cue among them, or an utterance."""

from app.core.chains.drawing import LONGEST_TEXT, DrawnNode, one_line
from app.core.session import Session
from project.chains import NodeKind
from project.errors import UserError
from project.queries.participants import all_participants
from project.queries.segments import segment, values_of
from project.queries.utterances import utterance
from project.schemes.scheme import FieldKind
from project.types import Json

SEGMENT, UTTERANCE = "segment", "utterance"
"""Tables that a node's `source` names."""
_STATES = {"emotion": NodeKind.EMOTION}
"""Track of a scheme -> the mental state that its segments tell of; all others tell of events."""


def text_from_segment(session: Session, recording_id: str, segment_id: str) -> DrawnNode:
    """Return the node that a segment would be: its span, its first text or else its label, and whom it names.

    Raises:
        UserError: there is no such segment in the recording.
    """
    found = segment(session.study, segment_id)
    if found is None or found.recording_id != recording_id:
        raise UserError("This segment is not of the chain's recording.", "Choose one that is on its timeline.")
    values = {key: one.value for key, one in values_of(session.study, found.id).items()}
    scheme = session.schemes.known(found.scheme)
    label, texts, people = found.label, [str(values.get("description") or "")], []
    if scheme is not None:
        lane = scheme.lane(found.track)
        label = (lane.label(found.label) or lane).name
        fields = [one for one in scheme.fields_of(found.track) if one.key in values]
        texts += [str(values[one.key]) for one in fields if one.kind is FieldKind.TEXT and values[one.key]]
        known = {one.id for one in all_participants(session.study)}
        people = [who for one in fields for who in _people(values[one.key]) if who in known]
    text = next((one for one in map(one_line, texts) if one), label)
    kind = _STATES.get(found.track, NodeKind.EVENT)
    whose = tuple(sorted({*people}))
    return DrawnNode(kind, text[:LONGEST_TEXT], found.start_us, found.end_us, whose, f"{SEGMENT}/{found.id}")


def text_from_utterance(session: Session, recording_id: str, utterance_id: str) -> DrawnNode:
    """Return the event that an utterance would be: its words in quotation marks, its span, and who speaks.

    Raises:
        UserError: there is no such utterance in the recording.
    """
    found = utterance(session.study, utterance_id)
    if found is None or found.recording_id != recording_id:
        raise UserError("This utterance is not of the chain's recording.", "Choose one of its transcript.")
    words = one_line(found.text)[: LONGEST_TEXT - 2]
    people = () if found.participant_id is None else (found.participant_id,)
    text = f"“{words}”" if words else ""
    return DrawnNode(NodeKind.EVENT, text, found.start_us, found.end_us, people, f"{UTTERANCE}/{found.id}")


def _people(value: Json) -> list[str]:
    if isinstance(value, list):
        return [one for one in value if isinstance(one, str)]
    return [value] if isinstance(value, str) else []
