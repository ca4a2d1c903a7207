"""What the transcript shows of cues."""

from app.core.cues.marks import CueMark, cues_at
from app.core.session import Session
from project.queries.participants import all_participants
from widgets.transcript.line import Chip

_SHORT = 28
"""Characters of a description that a chip has room for; a longer one gives way to the label."""


def chips_of(session: Session, recording_id: str) -> dict[str, tuple[Chip, ...]]:
    """Return utterance id -> its cues by place, a listener's with their pseudonym; those without any are left out."""
    found = cues_at(session, recording_id)
    if not found:
        return {}
    names = {one.id: one.pseudonym for one in all_participants(session.study)}

    def chip(one: CueMark) -> Chip:
        who = f"{names.get(one.participant_id or '', '?')}: " if one.response else ""
        said = one.description.rstrip(".")
        return Chip(one.word, f"{who}{said if 0 < len(said) <= _SHORT else one.name.lower()}", one.prelabel)

    return {key: tuple(chip(one) for one in sorted(marks, key=lambda m: m.word)) for key, marks in found.items() if key}
