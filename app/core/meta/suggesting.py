"""Asking judges for the parts of the meta information that they can suggest."""

from collections.abc import Sequence

from app.core.judging.runs.wanted import AskRequest
from app.core.judging.seeing.sight import SightSettings
from app.core.meta.answers import TASKS
from project.errors import UserError
from project.judging import RAW, About, JudgeEntry, Subject
from project.names import shown


def suggestion(
    recording_id: str, task: str, judges: Sequence[JudgeEntry], condition: str = RAW, *, fresh: bool = False
) -> AskRequest:
    """Return what is asked for one part of the meta information, with the cues that people marked.

    Args:
        recording_id: of the recording.
        task: one of `TASKS`.
        judges: who is asked.
        condition: what of the recording they see: as it was recorded, or a rendering.
        fresh: ask again what was answered.

    Raises:
        UserError: there is no such part.
    """
    if task not in TASKS:
        raise UserError(f"Nothing called “{shown(task)}” is suggested.", f"Choose one of {', '.join(TASKS)}.")
    about = [About(Subject.RECORDING, recording_id).key]
    return AskRequest(judges, about, task, "plain", condition, sight=SightSettings(cues=True), again=True, fresh=fresh)
