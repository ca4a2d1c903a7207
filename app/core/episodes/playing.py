"""Plays an episode, turn by turn: a judge is asked, a person types; each turn is in the study before the next begins.

What a judge answered is a judgment before it is a turn, so an episode that was killed in between takes it from there
and asks nobody twice.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from app.core.episodes.ending import STOP_AFTER, failures_in_a_row
from app.core.episodes.starting import as_ended, lengthen
from app.core.episodes.state import EpisodeState, state_of
from app.core.episodes.timing import span_of
from app.core.jobs import run_here
from app.core.judging.runs.asking import Asking, prepare
from app.core.judging.runs.budget import Limits
from app.core.judging.runs.outcome import outcome_from, refusal
from app.core.judging.runs.wanted import AskRequest
from app.core.session import Session
from benchmark.tasks.act import KEY, part_of, turn_said
from project.episodes import EpisodeAgent, EpisodeEnd, Player
from project.errors import UserError
from project.ids import new_id
from project.judging import About, JudgeEntry, Judgment, JudgmentStatus, Subject
from project.progress import Progress, Silent
from project.queries.episodes import set_episode
from project.queries.judges import all_judges
from project.queries.judgments import judgments_about, judgments_called
from project.queries.utterances import insert_utterances
from project.turns import Act, Turn, written_turn
from project.types import Changes, Utterance

_SILENT = Silent()
Typist = Callable[[EpisodeState], Turn | None]
"""Asks whoever sits at the keyboard for a turn; None where they stop for now."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A turn that was taken.

    Attributes:
        agent: who took it.
        why_none: why there was nothing to take from a judge, in one line; "" where there was.
    """

    agent: EpisodeAgent
    turn: Turn
    why_none: str
    changes: Changes


def add_turn(session: Session, recording_id: str, position: int, turn: Turn, *, stopped: bool = False) -> Changes:
    """Add the turn of an agent, as one step, and end the episode where it is over with that.

    Args:
        session: whose annotator plays, or lets play.
        recording_id: of the episode.
        position: of the agent; it must be their turn.
        turn: what they do.
        stopped: the episode cannot go on.

    Raises:
        UserError: it is over, or it is somebody else's turn.
    """
    state = state_of(session, recording_id)
    who = state.following
    if who is None:
        raise UserError("This episode is over.", "Start another one.")
    if who.position != position:
        raise UserError(f"It is the turn of {who.profile.name}.", "Wait until they have acted.")
    start_us, end_us = span_of(turn, state.end_us)
    made = Utterance(new_id(), recording_id, start_us, end_us, written_turn(turn), who.participant_id, checked=True)
    episode = as_ended(state.episode, state.turns + 1, turn)
    if stopped:
        episode = replace(episode, ended=EpisodeEnd.STOPPED)
    with session.step(f"Turn of {who.profile.name}") as step:
        lengthen(session, recording_id, end_us)
        insert_utterances(session.study, [made])
        if episode != state.episode:
            set_episode(session.study, episode)
    return step.changes


def request_for(session: Session, state: EpisodeState, budget: Limits | None = None) -> AskRequest:
    """Return what the judge is asked whose turn it is.

    Raises:
        UserError: it is nobody's turn, a person's, or the judge is gone.
    """
    who = state.following
    if who is None:
        raise UserError("This episode is over.", "Start another one.")
    about = About(Subject.RECORDING, state.episode.recording_id, part_of(who.position, state.turns + 1)).key
    return AskRequest([_judge(session, who)], [about], KEY, seed=state.episode.seed, budget=budget or Limits())


def prepare_turn(session: Session, state: EpisodeState, budget: Limits | None = None) -> Asking:
    """Work out what the judge has to be asked whose turn it is; an answer that is there already is among `cached`.

    Raises:
        UserError: as in `request_for`, or the judge cannot be asked; the episode can be gone on with later.
    """
    asking = prepare(session, request_for(session, state, budget))
    if not asking.cached and asking.work is None:
        raise refusal(asking.notes)
    return asking


def take_answer(session: Session, state: EpisodeState, judgment: Judgment) -> Taken:
    """Make the next turn of what a judge answered; of a refusal, or what cannot be read, it is `none`.

    Raises:
        UserError: the judge failed, or it is not the turn that was asked for; nothing is added then.
    """
    who = state.following
    assert who is not None, "an answer is taken where somebody is to act"
    if judgment.status is JudgmentStatus.ERROR:
        raise UserError(
            f"{who.profile.name} cannot act: {judgment.error or 'the judge failed'}",
            "Try it again: what was played is kept.",
        )
    if judgment.part != part_of(who.position, state.turns + 1):
        raise UserError("The episode went on meanwhile.", "Go on from where it is now.")
    good = judgment.status is JudgmentStatus.OK
    why = "" if good else f"{_failed(judgment)}, so nothing is done in this turn."
    turn = turn_said(judgment.answer) if good else Turn(Act.NONE)
    stopped = not good and failures_in_a_row(session, state) + 1 >= STOP_AFTER
    if stopped:
        why += f" This was {STOP_AFTER} times in a row, so the episode stops."
    changes = add_turn(session, state.episode.recording_id, who.position, turn, stopped=stopped)
    return Taken(who, turn, why, changes)


def play_on(
    session: Session,
    recording_id: str,
    typist: Typist,
    told: Callable[[Taken], None] = lambda _taken: None,
    progress: Progress = _SILENT,
    budget: Limits | None = None,
) -> EpisodeState:
    """Play an episode until it is over or somebody stops, in this process.

    Args:
        session: of the study.
        recording_id: of the episode.
        typist: asks for the turn of an agent whom a person plays.
        told: is told each turn.
        progress: of each request.
        budget: that each turn may not pass.

    Raises:
        UserError: a judge cannot be asked or failed; the episode can be gone on with later.
    """
    while (state := state_of(session, recording_id)).following is not None:
        who = state.following
        if who.player is Player.JUDGE:
            told(ask_turn(session, state, progress, budget))
            continue
        turn = typist(state)
        if turn is None:
            break
        changes = add_turn(session, recording_id, who.position, turn)
        told(Taken(who, turn, "", changes))
    return state


def ask_turn(
    session: Session, state: EpisodeState, progress: Progress = _SILENT, budget: Limits | None = None
) -> Taken:
    """Ask the judge whose turn it is, in this process, and take the turn.

    Raises:
        UserError: the judge cannot be asked or failed.
    """
    asking = prepare_turn(session, state, budget)
    if asking.cached:
        return take_answer(session, state, asking.cached[0])
    assert asking.work is not None
    result, changes = run_here(session, asking.work, progress)
    return take_answer(session, state, answered(session, changes, result))


def answered(session: Session, changes: Changes, result: object) -> Judgment:
    """Return the judgment that asking for one turn brought.

    Raises:
        UserError: it brought none, with why.
    """
    found = judgments_called(session.study, sorted(changes.ids("judgment")))
    if found:
        return found[-1]
    outcome = outcome_from(result if isinstance(result, dict) else {})
    if outcome.notes:
        raise refusal(outcome.notes)
    raise UserError("Nothing came back for this turn.", "A budget may have no room for it; raise it and go on.")


def newest_answer(session: Session, state: EpisodeState) -> Judgment | None:
    """Return what was said last for the turn that is to be taken; None where nothing was."""
    who = state.following
    part = "" if who is None else part_of(who.position, state.turns + 1)
    said = judgments_about(session.study, state.episode.recording_id, {KEY})
    return next((one for one in said if one.part == part), None)


def _judge(session: Session, who: EpisodeAgent) -> JudgeEntry:
    if who.player is not Player.JUDGE:
        raise UserError(f"{who.profile.name} is played by a person.", "Type their turn.")
    found = next((one for one in all_judges(session.study) if one.id == who.judge_id), None)
    if found is None:
        raise UserError(
            f"The judge who plays {who.profile.name} is no longer in this study.", "Add it again, or take another one."
        )
    return found


def _failed(judgment: Judgment) -> str:
    if judgment.status is JudgmentStatus.REFUSED:
        return "The judge refused"
    return "The judge's answer could not be read"
