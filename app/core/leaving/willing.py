"""Whether everybody who can be seen or heard agreed to be sent to models."""

from collections.abc import Sequence

from app.core.release.gate import Candidate
from app.core.release.people import everybody_there, faces_of_nobody, refusing
from app.core.session import Session
from project.counted import counted
from project.queries.hold_outs import hold_outs
from project.types import ConsentUse


def against_sending(one: Candidate, *, hidden: bool) -> str:
    """Return why nothing of a recording is sent to a model, as a clause; "" where everybody agreed.

    Args:
        one: the recording; its people are those who are seen or heard.
        hidden: every face that is sent is painted over wholly, so that it is no matter whose it is.

    Raises:
        UserError: its file cannot be read.
    """
    if one.recording.id in hold_outs(one.session.study):
        return f"recording {one.number} is held out, and nothing of it leaves"
    if not one.people:
        return f"nobody is said to appear in recording {one.number}, so nobody was asked"
    against = refusing(one.session, one.people, ConsentUse.MODELS)
    if against:
        names = ", ".join(who.pseudonym for who in against)
        return f"{names} of recording {one.number} did not agree to be sent to models"
    unknown = one.speech.unknown
    if unknown:
        return f"it is not confirmed who says {counted(len(unknown), 'utterance')} of recording {one.number}"
    nobody = [] if hidden or one.faces is None else faces_of_nobody(one.faces)
    if nobody:
        verb = "belongs" if len(nobody) == 1 else "belong"
        return f"{counted(len(nobody), 'face track')} of recording {one.number} {verb} to nobody who was asked"
    return ""


def against_working(session: Session, recording_ids: Sequence[str]) -> str:
    """Return why recordings are not worked on by other machines, as a clause; "" where nothing is in the way.

    Whose faces and voices nobody knows yet is no reason: that is found out by such work.
    """
    held_out, there = hold_outs(session.study), everybody_there(session)
    for recording_id in recording_ids:
        number = session.recording(recording_id).number
        if recording_id in held_out:
            return f"recording {number} is held out, and nothing of it leaves"
        against = refusing(session, there[recording_id], ConsentUse.MODELS)
        if against:
            names = ", ".join(who.pseudonym for who in against)
            return f"{names} of recording {number} did not agree to be sent to models"
    return ""
