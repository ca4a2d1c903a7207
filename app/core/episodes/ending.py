"""When a judge fails so often that an episode stops, and how an episode ended, in words."""

from app.core.episodes.state import EpisodeState
from app.core.session import Session
from benchmark.tasks.act import KEY, part_of
from project.episodes import EpisodeEnd
from project.judging import JudgmentStatus
from project.queries.judgments import judgments_about
from project.turns import Act

STOP_AFTER = 3
"""Turns in a row that could not be had from a judge, after which an episode stops."""
_FAILED = frozenset({JudgmentStatus.REFUSED, JudgmentStatus.UNPARSED})
ENDED = {
    EpisodeEnd.OPEN: "goes on",
    EpisodeEnd.LEFT: "somebody left",
    EpisodeEnd.LIMIT: "no turn was left",
    EpisodeEnd.STOPPED: f"{STOP_AFTER} turns in a row could not be had",
    EpisodeEnd.CUT: "it ends there",
}
"""How an episode ended, in words."""


def failed_turns(session: Session, state: EpisodeState) -> set[int]:
    """Return the numbers of the turns that are `none` because a judge refused or could not be read."""
    newest: dict[str, JudgmentStatus] = {}
    for one in sorted(judgments_about(session.study, state.episode.recording_id, {KEY}), key=lambda each: each.id):
        newest[one.part] = one.status
    return {
        one.number
        for one in state.done
        if one.number
        and one.turn.act is Act.NONE
        and one.agent is not None
        and newest.get(part_of(one.agent.position, one.number)) in _FAILED
    }


def failures_in_a_row(session: Session, state: EpisodeState) -> int:
    """Return how many turns at the end could not be had from a judge."""
    failed, count = failed_turns(session, state), 0
    while state.turns - count in failed:
        count += 1
    return count
