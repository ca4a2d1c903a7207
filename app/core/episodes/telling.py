"""An episode in words for people: what an agent knows, and what was done, as those see it who play."""

from collections.abc import Mapping

from app.core.episodes.state import EpisodeState
from app.core.judging.seeing.episode_material import names_in_episode
from app.core.judging.seeing.material import MATERIAL
from app.core.judging.seeing.subjects import place_of
from app.core.session import Session
from benchmark.tasks.act import KEY, TOLD, part_of
from benchmark.tasks.registry import task_of
from project.episodes import EpisodeAgent
from project.judging import About, Subject
from project.turns import Act, Turn

SOMEBODY = "Somebody"


def names_for(session: Session, state: EpisodeState, viewer: EpisodeAgent | None) -> dict[str, str]:
    """Return participant id -> what they are called in front of an agent; of everybody where `viewer` is None."""
    part = part_of(viewer.position, state.turns + 1) if viewer is not None else ""
    usual = {one.participant_id: one.profile.name for one in state.agents if one.participant_id is not None}
    return names_in_episode(session, task_of(KEY), state.episode.recording_id, part, usual, str)


def briefing(session: Session, state: EpisodeState, viewer: EpisodeAgent) -> Mapping[str, str]:
    """Return what an agent knows: heading -> text; the same as a judge in its place is told."""
    about = About(Subject.RECORDING, state.episode.recording_id, part_of(viewer.position, state.turns + 1))
    place, names = place_of(session, about), names_for(session, state, viewer)
    found = {heading: MATERIAL[key](session, place, names, str) for key, heading in TOLD.items()}
    return {heading: text for heading, text in found.items() if text.strip()}


def told_turn(turn: Turn, name: str) -> str:
    """Return a turn as it is told to people."""
    match turn.act:
        case Act.SPEAK:
            return f"{name}: {turn.text}"
        case Act.NONVERBAL | Act.ACTION:
            return f"{name}  *{turn.text}*"
        case Act.NONE:
            return f"({name} says and does nothing)"
        case Act.LEAVE:
            return f"{name} leaves{f': {turn.text}' if turn.text else '.'}"


def told_turns(session: Session, state: EpisodeState, viewer: EpisodeAgent | None = None) -> list[str]:
    """Return what was done so far, a line each, with names as an agent knows them."""
    names = names_for(session, state, viewer)
    return [told_turn(one.turn, names.get(one.utterance.participant_id or "", SOMEBODY)) for one in state.done]
