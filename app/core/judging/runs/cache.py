"""What a study has answers to already: equal requests are not asked twice."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.core.clock import utc_now
from app.core.judging.runs.lane import RunItem
from app.core.judging.runs.parts import judge_json, subject_fields
from app.core.session import Session
from project.ids import new_id
from project.judging import JudgeEntry, Judgment, JudgmentStatus
from project.queries.judgments import came_back, insert_judgments
from project.types import Changes
from project.version import __version__

SETTLED = (JudgmentStatus.REFUSED, JudgmentStatus.UNPARSED)
"""What came back without an answer and would again; an error is worth another try."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a study says about requests.

    Attributes:
        judgments: that are there already, in the order of the requests.
        open: requests that have to be made.
        changes: judgments that were added, because another segment had the same answer.
    """

    judgments: tuple[Judgment, ...]
    open: tuple[RunItem, ...]
    changes: Changes


def look_up(
    session: Session,
    items: Sequence[RunItem],
    judges: Sequence[JudgeEntry],
    *,
    again: bool = False,
    fresh: bool = False,
) -> Known:
    """Return what is there of requests, and which have to be made.

    An answer to the same request about another segment, such as somebody else's of the same moment, becomes a judgment
    of this segment too, which names the one it is from.

    Args:
        session: that knows the study.
        items: the requests.
        judges: of the run, by the position that items give.
        again: ask again what was refused or could not be read.
        fresh: ask again whatever is there.
    """
    if fresh:
        return Known((), tuple(items), Changes())
    own: dict[tuple[str, str, str], Judgment] = {}
    answers: dict[str, Judgment] = {}
    for one in came_back(session.study, [item.request_key for item in items]):
        if one.status is JudgmentStatus.OK:
            own[one.request_key, one.judge_id, one.about.key] = one
            answers[one.request_key] = one
        elif one.status in SETTLED and not again:
            own.setdefault((one.request_key, one.judge_id, one.about.key), one)
    found: list[Judgment] = []
    added: list[Judgment] = []
    still_open: list[RunItem] = []
    for item in items:
        judge = judges[item.judge]
        here = own.get((item.request_key, judge.id, item.about))
        if here is not None:
            found.append(here)
        elif (there := answers.get(item.request_key)) is not None:
            added.append(_copied(there, item, judge))
            found.append(added[-1])
        else:
            still_open.append(item)
    if added:
        with session.study.recording_run():
            insert_judgments(session.study, added)
    return Known(tuple(found), tuple(still_open), Changes.of(("judgment", one.id) for one in added))


def _copied(there: Judgment, item: RunItem, judge: JudgeEntry) -> Judgment:
    """Return an answer as one of another judge of the same kind, or about another segment of the same stretch."""
    return replace(
        there,
        id=new_id(),
        judge_id=judge.id,
        judge=judge_json(judge),
        recording_id=item.recording_id,
        **subject_fields(item.about, item.state, item.modality),
        start_us=item.start_us,
        end_us=item.end_us,
        condition=item.condition,
        cost=None if there.cost is None else 0.0,
        tokens_in=None if there.tokens_in is None else 0,
        tokens_out=None if there.tokens_out is None else 0,
        ms=0,
        calls=0,
        cached_from=there.cached_from or there.id,
        at=utc_now(),
        program_version=__version__,
    )
