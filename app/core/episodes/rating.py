"""Asks judges to rate the participants of episodes."""

from collections.abc import Sequence

from app.core.judging.runs.asking import Asking, prepare
from app.core.judging.runs.budget import Limits
from app.core.judging.runs.wanted import AskRequest
from app.core.session import Session
from benchmark.tasks.episode_ratings import KEY
from project.episodes import EpisodeEnd
from project.errors import UserError
from project.judging import About, JudgeEntry, Subject
from project.queries.episodes import agents_of, all_episodes


def rate(
    session: Session,
    judges: Sequence[JudgeEntry],
    recordings: Sequence[str] = (),
    budget: Limits | None = None,
    *,
    fresh: bool = False,
) -> Asking:
    """Work out what judges have to be asked to rate everybody in some episodes, or in all that are over.

    Raises:
        UserError: no episode is over, one of those named is no episode, or nobody can be asked.
    """
    episodes = {one.recording_id: one for one in all_episodes(session.study)}
    ids = recordings or [key for key, one in episodes.items() if one.ended is not EpisodeEnd.OPEN]
    for one in ids:
        if one not in episodes:
            raise UserError(f"Recording {session.recording(one).number} is no episode.", "Name an episode.")
    if not ids:
        raise UserError("No episode is over yet.", "Play one to its end, or name which to rate.")
    about = [
        About(Subject.RECORDING, here, agent.participant_id).key
        for here in ids
        for agent in agents_of(session.study, here)
        if agent.participant_id is not None
    ]
    return prepare(session, AskRequest(judges, about, KEY, budget=budget or Limits(), fresh=fresh))
