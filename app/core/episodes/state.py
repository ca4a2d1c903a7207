"""How far an episode is: what was done so far, and whose turn it is."""

from dataclasses import dataclass

from app.core.session import Session
from project.episodes import Episode, EpisodeAgent, EpisodeEnd
from project.errors import UserError
from project.queries.episodes import agents_of, episode_of
from project.queries.utterances import utterances_of
from project.turns import Turn, turn_of
from project.types import Utterance


@dataclass(frozen=True, slots=True)
class Done:
    """One turn of an episode.

    Attributes:
        agent: whose turn it was; None for what somebody else said before the episode began.
        number: of the turn, from 1; 0 for what led up to it.
    """

    utterance: Utterance
    turn: Turn
    agent: EpisodeAgent | None
    number: int


@dataclass(frozen=True, slots=True)
class EpisodeState:
    """An episode as it is now.

    Attributes:
        agents: in the order in which they act.
        done: by time, with what led up to it.
        following: whose turn it is; None where it is over.
    """

    episode: Episode
    agents: tuple[EpisodeAgent, ...]
    done: tuple[Done, ...]
    following: EpisodeAgent | None

    @property
    def turns(self) -> int:
        """How many turns were played."""
        return max((one.number for one in self.done), default=0)

    @property
    def end_us(self) -> int:
        """When the last turn ended; 0 where there is none."""
        return max((one.utterance.end_us for one in self.done), default=0)

    def at(self, position: int) -> EpisodeAgent | None:
        """Return the agent of a position, if there is one."""
        return next((one for one in self.agents if one.position == position), None)


def state_of(session: Session, recording_id: str) -> EpisodeState:
    """Return how far an episode is.

    Who acts next follows from who acted last, so a transcript that was corrected in between does not stop it.

    Raises:
        UserError: the recording is no episode.
    """
    episode = episode_of(session.study, recording_id)
    if episode is None:
        number = session.recording(recording_id).number
        raise UserError(f"Recording {number} is no episode.", "Start one: greenroom episode play STUDY")
    agents = agents_of(session.study, recording_id)
    by_person = {one.participant_id: one for one in agents if one.participant_id is not None}
    done = [
        Done(one, turn_of(one.text), by_person.get(one.participant_id or ""), max(0, at - episode.history + 1))
        for at, one in enumerate(utterances_of(session.study, recording_id))
    ]
    following = None if episode.ended is not EpisodeEnd.OPEN else _following(episode, agents, done)
    return EpisodeState(episode, tuple(agents), tuple(done), following)


def _following(episode: Episode, agents: list[EpisodeAgent], done: list[Done]) -> EpisodeAgent | None:
    if not agents or max((one.number for one in done), default=0) >= episode.turn_limit:
        return None
    last = next((one.agent for one in reversed(done) if one.agent is not None), None)
    if last is None:
        return agents[0]
    place = next(at for at, one in enumerate(agents) if one.position == last.position)
    return agents[(place + 1) % len(agents)]
