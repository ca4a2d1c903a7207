"""What is known of judges before they are asked: the checksums of their files, and what the policy says."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from app.core.judging.judges.chosen_files import FILES, chosen_here
from app.core.leaving.foretelling import why_not
from app.core.session import Session
from app.gui.context import Context
from app.gui.judges.sent_words import leaving, second_of
from models.judges.means import Means
from models.judges.registry import judge_of
from project.errors import UserError
from project.judging import JudgeEntry


def once_files_are_known(context: Context, judges: Sequence[JudgeEntry], then: Callable[[], None]) -> None:
    """Call `then` when the checksums of all models that are files are known; at once where there are none.

    That of a large file takes its time, once: it is worked out beside the window, and is there afterwards.
    """
    session = context.studio.session
    slow = [one for one in judges if one.backend == FILES and session is not None and chosen_here(session, one)]
    if slow:
        context.background.run(lambda _progress: _look_at_files(slow), lambda _none: then())
    else:
        then()


def foretold(
    session: Session, judge: JudgeEntry, judges: Sequence[JudgeEntry], recording_id: str, condition: str
) -> tuple[UserError | None, list[str]]:
    """Return why a judge may not be asked about a recording, or what asking it sends to which other machine.

    Args:
        session: of the study.
        judge: that would be asked.
        judges: of the study; one of them may bring the answers of another into form.
        recording_id: that is asked about.
        condition: under which it would be shown.
    """
    try:
        ways = leaving(judge, condition, second_of(judge, judges))
        forbidden = why_not(session, judge, recording_id, condition)
    except UserError as error:
        return error, []
    return (None, ways) if forbidden is None else (forbidden, [])


def _look_at_files(judges: Sequence[JudgeEntry]) -> None:
    for one in judges:
        # What is wrong with a file is said where it is asked.
        with suppress(UserError, OSError):
            _ = judge_of(one, Means()).fingerprint
