"""Plays episodes turn by turn, with judges or with people at the keyboard, and asks judges to rate them.

Each turn is in the study before the next one begins.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchmark.episodes.episode_setup import end_if_over, extend_recording, turn_span
from benchmark.episodes.episode_state import (
    MAX_CONSECUTIVE_FAILURES,
    EpisodeState,
    count_consecutive_failures,
    read_episode_state,
)
from benchmark.judging.ask_job import AskPlan, prepare
from benchmark.judging.ask_run import AskRequest, RunOutcome, refusal_error
from benchmark.judging.run_budget import Limits
from benchmark.prompts.episode_prompts import ACT_TASK, EPISODE_RATINGS_TASK, read_turn_answer, turn_part
from project.entities.judgments import JudgeEntry, Judgment, JudgmentStatus, JudgmentTarget, JudgmentTargetKind
from project.entities.roleplay import Act, AgentPlayer, AgentTurn, EpisodeAgent, EpisodeEnd, format_turn
from project.entities.study_records import Changes, Utterance
from project.errors import UserError
from project.ids import new_id
from project.progress import Progress, Silent
from project.queries.episode_rows import all_episodes, episode_agents, set_episode
from project.queries.judgment_rows import all_judges, find_judgments, judgments_about
from project.queries.transcript_rows import insert_utterances
from project.session.jobs import run_inline
from project.session.session import Session

_SILENT = Silent()
Typist = Callable[[EpisodeState], AgentTurn | None]
"""Asks the person at the keyboard for a turn; returns None to stop for now."""


@dataclass(frozen=True, slots=True)
class TurnResult:
    """A turn that was taken.

    Attributes:
        failure_reason: why the judge gave no usable turn, in one line; "" otherwise.
    """

    agent: EpisodeAgent
    turn: AgentTurn
    failure_reason: str
    changes: Changes


def add_turn(session: Session, recording_id: str, position: int, turn: AgentTurn, *, stopped: bool = False) -> Changes:
    """Add the turn of an agent, as one step, and end the episode if it is over with that or `stopped`."""
    state = read_episode_state(session, recording_id)
    who = state.next_agent
    if who is None:
        raise UserError("This episode is over.", "Start another episode.")
    if who.position != position:
        raise UserError(f"It is {who.profile.name}'s turn.", "Wait until it is over.")
    start_us, end_us = turn_span(turn, state.end_us)
    made = Utterance(new_id(), recording_id, start_us, end_us, format_turn(turn), who.participant_id, checked=True)
    episode = end_if_over(state.episode, state.turn_count + 1, turn)
    if stopped:
        episode = replace(episode, ended=EpisodeEnd.STOPPED)
    with session.step(f"Turn of {who.profile.name}") as step:
        extend_recording(session, recording_id, end_us)
        insert_utterances(session.study, [made])
        if episode != state.episode:
            set_episode(session.study, episode)
    return step.changes


def turn_request(session: Session, state: EpisodeState, budget: Limits | None = None) -> AskRequest:
    """Return the request to the judge whose turn it is."""
    who = state.next_agent
    if who is None:
        raise UserError("This episode is over.", "Start another episode.")
    about = JudgmentTarget(
        JudgmentTargetKind.RECORDING, state.episode.recording_id, turn_part(who.position, state.turn_count + 1)
    ).key
    return AskRequest(
        [_require_judge(session, who)], [about], ACT_TASK, seed=state.episode.seed, budget=budget or Limits()
    )


def prepare_turn(session: Session, state: EpisodeState, budget: Limits | None = None) -> AskPlan:
    """Plan the request to the judge whose turn it is; an existing answer is among `cached`."""
    asking = prepare(session, turn_request(session, state, budget))
    if not asking.cached and asking.job is None:
        raise refusal_error(asking.notes)
    return asking


def add_answer_turn(session: Session, state: EpisodeState, judgment: Judgment) -> TurnResult:
    """Add the answer of a judge as the next turn; a refusal or an unreadable answer becomes the act `none`."""
    who = state.next_agent
    assert who is not None, "an answer is taken where somebody is to act"
    if judgment.status is JudgmentStatus.ERROR:
        raise UserError(
            f"{who.profile.name} cannot act: {judgment.error or 'the judge failed'}",
            "Try again; the turns so far are kept.",
        )
    if judgment.part != turn_part(who.position, state.turn_count + 1):
        raise UserError("The episode has changed since the judge was asked.", "Continue from its current state.")
    good = judgment.status is JudgmentStatus.OK
    why = "" if good else f"{_failure_text(judgment)}, so nothing is done in this turn."
    turn = read_turn_answer(judgment.answer) if good else AgentTurn(Act.NONE)
    stopped = not good and count_consecutive_failures(session, state) + 1 >= MAX_CONSECUTIVE_FAILURES
    if stopped:
        why += f" This was {MAX_CONSECUTIVE_FAILURES} times in a row, so the episode stops."
    changes = add_turn(session, state.episode.recording_id, who.position, turn, stopped=stopped)
    return TurnResult(who, turn, why, changes)


def play_episode(
    session: Session,
    recording_id: str,
    typist: Typist,
    told: Callable[[TurnResult], None] = lambda _taken: None,
    progress: Progress = _SILENT,
    budget: Limits | None = None,
) -> EpisodeState:
    """Play an episode until it is over or somebody stops, in this process."""
    while (state := read_episode_state(session, recording_id)).next_agent is not None:
        who = state.next_agent
        if who.player is AgentPlayer.JUDGE:
            told(ask_turn(session, state, progress, budget))
            continue
        turn = typist(state)
        if turn is None:
            break
        changes = add_turn(session, recording_id, who.position, turn)
        told(TurnResult(who, turn, "", changes))
    return state


def ask_turn(
    session: Session, state: EpisodeState, progress: Progress = _SILENT, budget: Limits | None = None
) -> TurnResult:
    """Ask the judge whose turn it is, in this process, and add the turn."""
    asking = prepare_turn(session, state, budget)
    if asking.cached:
        return add_answer_turn(session, state, asking.cached[0])
    assert asking.job is not None
    result, changes = run_inline(session, asking.job, progress)
    return add_answer_turn(session, state, read_turn_judgment(session, changes, result))


def read_turn_judgment(session: Session, changes: Changes, outcome: RunOutcome) -> Judgment:
    """Return the judgment of a request for one turn."""
    found = find_judgments(session.study, sorted(changes.ids("judgment")))
    if found:
        return found[-1]
    if outcome.notes:
        raise refusal_error(outcome.notes)
    raise UserError("The judge gave no answer for this turn.", "If the budget is spent, raise it and continue.")


def newest_answer(session: Session, state: EpisodeState) -> Judgment | None:
    """Return the newest judgment for the next turn; None if there is none."""
    who = state.next_agent
    part = "" if who is None else turn_part(who.position, state.turn_count + 1)
    said = judgments_about(session.study, state.episode.recording_id, {ACT_TASK})
    return next((judgment for judgment in said if judgment.part == part), None)


def _require_judge(session: Session, who: EpisodeAgent) -> JudgeEntry:
    if who.player is not AgentPlayer.JUDGE:
        raise UserError(f"{who.profile.name} is played by a person.", "Type the turn.")
    found = next((judge for judge in all_judges(session.study) if judge.id == who.judge_id), None)
    if found is None:
        raise UserError(
            f"The judge who plays {who.profile.name} is no longer in the study.",
            "Add it again, or choose another judge.",
        )
    return found


def _failure_text(judgment: Judgment) -> str:
    if judgment.status is JudgmentStatus.REFUSED:
        return "The judge refused"
    return "The judge's answer could not be read"


def prepare_ratings(
    session: Session,
    judges: Sequence[JudgeEntry],
    recordings: Sequence[str] = (),
    budget: Limits | None = None,
    *,
    fresh: bool = False,
) -> AskPlan:
    """Plan requests to rate everybody in some episodes, or in all that are over."""
    episodes = {episode.recording_id: episode for episode in all_episodes(session.study)}
    ids = recordings or [key for key, episode in episodes.items() if episode.ended is not EpisodeEnd.OPEN]
    for recording_id in ids:
        if recording_id not in episodes:
            raise UserError(
                f"Recording {session.recording(recording_id).number} is not an episode.", "Choose an episode."
            )
    if not ids:
        raise UserError("This study has no finished episodes.", "Finish an episode, or choose which to rate.")
    about = [
        JudgmentTarget(JudgmentTargetKind.RECORDING, recording_id, agent.participant_id).key
        for recording_id in ids
        for agent in episode_agents(session.study, recording_id)
        if agent.participant_id is not None
    ]
    return prepare(session, AskRequest(judges, about, EPISODE_RATINGS_TASK, budget=budget or Limits(), fresh=fresh))
