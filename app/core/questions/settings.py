"""The settings in which a judge is asked a question: how much it is shown, and how it is put."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.judging.runs.wanted import AskRequest
from app.core.judging.seeing.sight import SightSettings
from benchmark.tasks.answer import KEY as ANSWER
from project.errors import UserError
from project.judging import About, JudgeEntry, Subject


@dataclass(frozen=True, slots=True)
class QuestionSetting:
    """One setting.

    Attributes:
        name: for menus.
        variant: of the prompt.
        words: whether what is said is told.
        pictures: whether frames are shown.
    """

    name: str
    variant: str = "plain"
    words: bool = True
    pictures: bool = True


SETTINGS: Mapping[str, QuestionSetting] = {
    "base": QuestionSetting("Frames only (base)", words=False),
    "sub": QuestionSetting("Frames and words (+sub)"),
    "sub-tom": QuestionSetting("Frames and words, minds first (+sub+tom)", "tom"),
    "text": QuestionSetting("Words only", pictures=False),
}
"""Of R3-VQA (section 4.1), and words alone (section 4.3)."""
DEFAULT = "sub"


def request_for(
    judges: Sequence[JudgeEntry], question_ids: Sequence[str], setting: str = DEFAULT, *, fresh: bool = False
) -> AskRequest:
    """Return what is asked of judges about questions in a setting.

    Raises:
        UserError: there is no such setting.
    """
    if setting not in SETTINGS:
        raise UserError(f"There is no setting “{setting}”.", f"Choose one of {', '.join(SETTINGS)}.")
    how = SETTINGS[setting]
    return AskRequest(
        judges,
        [About(Subject.QUESTION, one).key for one in question_ids],
        ANSWER,
        how.variant,
        sight=SightSettings(words=how.words),
        frames=None if how.pictures else 0,
        again=True,
        fresh=fresh,
    )
