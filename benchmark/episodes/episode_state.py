"""The state of an episode: its turns, whose turn is next, how it ended, and how all that is shown to people."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmark.judge_input.judged_subjects import locate_target
from benchmark.judge_input.subject_material import MATERIAL, MaterialSource, names_in_episode
from benchmark.prompts.episode_prompts import ACT_MATERIAL, ACT_TASK, turn_part
from benchmark.prompts.judge_prompt import TASKS
from project.entities.judgments import JudgmentStatus, JudgmentTarget, JudgmentTargetKind
from project.entities.roleplay import Act, AgentTurn, Episode, EpisodeAgent, EpisodeEnd, parse_turn
from project.entities.study_records import Utterance
from project.errors import UserError
from project.queries.episode_rows import episode_agents, find_episode
from project.queries.judgment_rows import judgments_about
from project.queries.transcript_rows import utterances_of
from project.session.session import Session


@dataclass(frozen=True, slots=True)
class EpisodeTurn:
    """One turn of an episode.

    Attributes:
        agent: whose turn it was; None for what somebody else said before the episode began.
        number: of the turn, from 1; 0 for the history before the first turn.
    """

    utterance: Utterance
    turn: AgentTurn
    agent: EpisodeAgent | None
    number: int


@dataclass(frozen=True, slots=True)
class EpisodeState:
    """The present state of an episode.

    Attributes:
        agents: in the order in which they act.
        played_turns: by time, with the history before the first turn.
        next_agent: whose turn it is; None where it is over.
    """

    episode: Episode
    agents: tuple[EpisodeAgent, ...]
    played_turns: tuple[EpisodeTurn, ...]
    next_agent: EpisodeAgent | None

    @property
    def turn_count(self) -> int:
        return max((episode_turn.number for episode_turn in self.played_turns), default=0)

    @property
    def end_us(self) -> int:
        """When the last turn ended; 0 where there is none."""
        return max((episode_turn.utterance.end_us for episode_turn in self.played_turns), default=0)


def read_episode_state(session: Session, recording_id: str) -> EpisodeState:
    """Return the state of an episode.

    The next agent follows from the one who acted last, so the transcript can be corrected in between.
    """
    episode = find_episode(session.study, recording_id)
    if episode is None:
        number = session.recording(recording_id).number
        raise UserError(f"Recording {number} is not an episode.", "Start one: greenroom episode play STUDY")
    agents = episode_agents(session.study, recording_id)
    by_person = {agent.participant_id: agent for agent in agents if agent.participant_id is not None}
    turns = [
        EpisodeTurn(
            utterance,
            parse_turn(utterance.text),
            by_person.get(utterance.participant_id or ""),
            max(0, at - episode.history + 1),
        )
        for at, utterance in enumerate(utterances_of(session.study, recording_id))
    ]
    next_agent = None if episode.ended is not EpisodeEnd.OPEN else _find_next_agent(episode, agents, turns)
    return EpisodeState(episode, tuple(agents), tuple(turns), next_agent)


def _find_next_agent(episode: Episode, agents: list[EpisodeAgent], done: list[EpisodeTurn]) -> EpisodeAgent | None:
    if not agents or max((episode_turn.number for episode_turn in done), default=0) >= episode.turn_limit:
        return None
    last = next((episode_turn.agent for episode_turn in reversed(done) if episode_turn.agent is not None), None)
    if last is None:
        return agents[0]
    last_index = next(index for index, agent in enumerate(agents) if agent.position == last.position)
    return agents[(last_index + 1) % len(agents)]


MAX_CONSECUTIVE_FAILURES = 3
"""Failed turns of judges in a row, after which an episode stops."""
_FAILED_STATUSES = frozenset({JudgmentStatus.REFUSED, JudgmentStatus.UNPARSED})
END_LABELS = {
    EpisodeEnd.OPEN: "goes on",
    EpisodeEnd.LEFT: "somebody left",
    EpisodeEnd.LIMIT: "no turn was left",
    EpisodeEnd.STOPPED: f"{MAX_CONSECUTIVE_FAILURES} turns in a row could not be had",
    EpisodeEnd.CUT: "it ends there",
}
"""How an episode ended, in words."""


def seen_end(ended: EpisodeEnd, *, blind: bool) -> EpisodeEnd:
    """Return how an episode ended; a blind rater is not told that a judge gave no turn."""
    return EpisodeEnd.CUT if blind and ended is EpisodeEnd.STOPPED else ended


def failed_turns(session: Session, state: EpisodeState) -> set[int]:
    """Return the numbers of the turns that are `none` because a judge refused or its answer could not be read."""
    newest: dict[str, JudgmentStatus] = {}
    for judgment in sorted(
        judgments_about(session.study, state.episode.recording_id, {ACT_TASK}), key=lambda judgment: judgment.id
    ):
        newest[judgment.part] = judgment.status
    return {
        episode_turn.number
        for episode_turn in state.played_turns
        if episode_turn.number
        and episode_turn.turn.act is Act.NONE
        and episode_turn.agent is not None
        and newest.get(turn_part(episode_turn.agent.position, episode_turn.number)) in _FAILED_STATUSES
    }


def count_consecutive_failures(session: Session, state: EpisodeState) -> int:
    """Return how many of the last turns failed."""
    failed, count = failed_turns(session, state), 0
    while state.turn_count - count in failed:
        count += 1
    return count


UNKNOWN_SPEAKER = "Somebody"


def names_seen_by(session: Session, state: EpisodeState, viewer: EpisodeAgent | None) -> dict[str, str]:
    """Return participant id -> name that an agent knows; real names if `viewer` is None."""
    part = turn_part(viewer.position, state.turn_count + 1) if viewer is not None else ""
    usual = {agent.participant_id: agent.profile.name for agent in state.agents if agent.participant_id is not None}
    return names_in_episode(session, TASKS.make(ACT_TASK), state.episode.recording_id, part, usual, str)


def briefing(session: Session, state: EpisodeState, viewer: EpisodeAgent) -> Mapping[str, str]:
    """Return what an agent knows: heading -> text; a judge in its place is told the same."""
    about = JudgmentTarget(
        JudgmentTargetKind.RECORDING, state.episode.recording_id, turn_part(viewer.position, state.turn_count + 1)
    )
    source = MaterialSource(session, locate_target(session, about), names_seen_by(session, state, viewer), str)
    found = {heading: MATERIAL[key](source) for key, heading in ACT_MATERIAL.items()}
    return {heading: text for heading, text in found.items() if text.strip()}


def format_turn(turn: AgentTurn, name: str) -> str:
    """Return a turn as text for people."""
    match turn.act:
        case Act.SPEAK:
            return f"{name}: {turn.text}"
        case Act.NONVERBAL | Act.ACTION:
            return f"{name}  *{turn.text}*"
        case Act.NONE:
            return f"({name} says and does nothing)"
        case Act.LEAVE:
            return f"{name} leaves{f': {turn.text}' if turn.text else '.'}"


def format_turns(session: Session, state: EpisodeState, viewer: EpisodeAgent | None = None) -> list[str]:
    """Return the turns so far, a line each, with names as an agent knows them."""
    names = names_seen_by(session, state, viewer)
    return [
        format_turn(episode_turn.turn, names.get(episode_turn.utterance.participant_id or "", UNKNOWN_SPEAKER))
        for episode_turn in state.played_turns
    ]
