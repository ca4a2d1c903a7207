"""Which file of a recording is listened to."""

from pathlib import Path

from app.core.session import LocatedMedium, MediaState, Session, outside
from project.errors import UserError
from project.queries.media import media_of
from project.types import MediumRole

_HEARD = (MediumRole.MAIN, MediumRole.MICROPHONE, MediumRole.CAMERA)
"""Whose sound is taken: the first that has one."""


def usable_sound(session: Session, recording_id: str) -> LocatedMedium:
    """Return the file whose sound stands for a recording when it is there, unchanged.

    Raises:
        UserError: the recording has no sound, or the file is missing or was replaced by another one.
    """
    recording = session.recording(recording_id)
    media = [one for one in media_of(session.study, recording_id) if one.facts.audio is not None]
    heard = next((one for role in _HEARD for one in media if one.role is role), None)
    if heard is None:
        raise UserError(
            f"Recording {recording.number} ({recording.name}) has no sound.",
            "Add its sound as a further file: greenroom add-view STUDY FILE",
        )
    located = session.locate(heard)
    name = Path(heard.path).name
    if located.state is MediaState.MISSING:
        raise UserError(
            f"The file {name} of recording {recording.number} is missing.",
            "Put it back, or relink the folder it was moved to.",
        )
    if located.state is MediaState.OUTSIDE:
        raise outside(located, f"recording {recording.number}")
    if located.state is MediaState.REPLACED:
        raise UserError(
            f"The file {name} of recording {recording.number} is not the one that was added.",
            "Put the original back, or add this file as a recording of its own.",
        )
    return located


def has_sound(session: Session, recording_id: str) -> bool:
    """Tell whether there is anything to hear."""
    return any(one.facts.audio is not None for one in media_of(session.study, recording_id))
