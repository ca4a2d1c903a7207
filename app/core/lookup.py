"""Which recording or participant a person means by what they typed."""

from pathlib import PurePath

from app.core.session import Session
from project.errors import UserError
from project.queries.media import all_media
from project.queries.participants import all_participants
from project.queries.recordings import all_recordings
from project.types import Participant, Recording


def recording_called(session: Session, text: str) -> Recording:
    """Return the recording with this number, id, name or file name.

    Raises:
        UserError: none or several fit.
    """
    recordings = all_recordings(session.study)
    if text.isdecimal():
        fits = [r for r in recordings if r.number == int(text)]
    else:
        named = {m.recording_id for m in all_media(session.study) if text in (m.path, PurePath(m.path).name)}
        fits = [r for r in recordings if text in (r.id, r.name) or r.id in named]
    if len(fits) == 1:
        return fits[0]
    if not recordings:
        raise UserError("The study has no recordings yet.", "Add one: greenroom add STUDY VIDEO")
    if fits:
        numbers = ", ".join(str(r.number) for r in fits)
        raise UserError(f"“{text}” is the name of several recordings ({numbers}).", "Give the number.")
    raise UserError(f"No recording is called “{text}”.", "Give its number, file name or id; see: greenroom info STUDY")


def participant_called(session: Session, text: str) -> Participant:
    """Return the participant with this pseudonym.

    Raises:
        UserError: there is none.
    """
    found = next((one for one in all_participants(session.study) if one.pseudonym == text.strip()), None)
    if found is None:
        raise UserError(f"There is no participant “{text}”.", "List them: greenroom participant STUDY")
    return found
