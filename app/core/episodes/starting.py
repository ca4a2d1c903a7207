"""Starts an episode: a recording without media, whose turns are its utterances."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.core.episodes.casting import Company, Seat, require_seats
from app.core.episodes.timing import LEAST_US, span_of
from app.core.session import Session
from project.episodes import Episode, EpisodeAgent, EpisodeEnd, EpisodeSource, Relationship
from project.errors import UserError
from project.ids import new_id
from project.queries.collections import all_collections, insert_collection
from project.queries.episodes import all_episodes, set_agents, set_episode
from project.queries.recordings import insert_recording, next_number, update_recording
from project.queries.utterances import insert_utterances
from project.turns import Act, Turn, written_turn
from project.types import Changes, Collection, Recording, Utterance

COLLECTION = "Episodes"
"""The collection of episodes, where none is named."""


@dataclass(frozen=True, slots=True)
class Said:
    """A turn that is there from the beginning.

    Attributes:
        seat: position of whoever did it.
    """

    turn: Turn
    seat: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """An episode to be started.

    Attributes:
        name: of the recording.
        seats: who takes part, in the order in which they act.
        episode: what it is; its `recording_id` is filled in.
        led_up: utterances of the recording that it goes on from; they keep their times.
        said: what was done already.
        collection: of the recording; "" for that of all episodes.
        agreed: the people at the keyboard agreed that judges are sent what they type.
    """

    name: str
    seats: tuple[Seat, ...]
    episode: Episode
    said: tuple[Said, ...] = ()
    led_up: tuple[Utterance, ...] = ()
    collection: str = ""
    agreed: bool = False


def start_episode(session: Session, wanted: Wanted) -> tuple[str, Changes]:
    """Add an episode, as one step; returns the recording's id and what changed.

    Raises:
        UserError: it cannot be played as it is wanted.
    """
    require_wanted(wanted)
    with session.step(f"Start the episode {wanted.name}") as step:
        recording_id = put_episode(session, wanted, Company(session))
    return recording_id, step.changes


def next_seed(session: Session) -> int:
    """Return the seed of the next episode: with that of an earlier one, judges would say the same again."""
    return len(all_episodes(session.study))


def require_wanted(wanted: Wanted) -> None:
    """Refuse what cannot be an episode.

    Raises:
        UserError: it has no name, no limit of turns, or its seats cannot be filled.
    """
    require_seats(wanted.seats)
    if not wanted.name.strip():
        raise UserError("An episode needs a name.", "Type one.")
    if wanted.episode.relationship is Relationship.UNKNOWN and wanted.episode.source is not EpisodeSource.IMPORTED:
        raise UserError("It is not said how those who take part stand to each other.", "Choose a relationship.")
    if wanted.episode.turn_limit < 1:
        raise UserError("An episode needs one turn or more.", "Give a limit of 1 or more.")


def put_episode(session: Session, wanted: Wanted, company: Company) -> str:
    """Write an episode with what was done already; inside a step. Returns the recording's id."""
    study = session.study
    recording_id = new_id()
    home = _home(session, wanted.collection or COLLECTION)
    number = next_number(study)
    insert_recording(study, Recording(recording_id, home, number, wanted.name.strip(), LEAST_US))
    episode = replace(wanted.episode, recording_id=recording_id, history=len(wanted.led_up))
    people = company.cast(episode, wanted.seats, agreed=wanted.agreed)
    said = [replace(one, id=new_id(), recording_id=recording_id) for one in wanted.led_up]
    end_us = max((one.end_us for one in said), default=0)
    for one in wanted.said:
        start_us, end_us = span_of(one.turn, end_us)
        who = people[one.seat]
        said.append(Utterance(new_id(), recording_id, start_us, end_us, written_turn(one.turn), who, checked=True))
    lengthen(session, recording_id, end_us)
    insert_utterances(study, said)
    set_episode(study, episode)
    set_agents(study, _agents(recording_id, wanted.seats, people))
    return recording_id


def lengthen(session: Session, recording_id: str, end_us: int) -> None:
    """Make a recording as long as what was done in it; inside a step."""
    here = session.recording(recording_id)
    if end_us > here.duration_us:
        update_recording(session.study, replace(here, duration_us=end_us))


def _agents(recording_id: str, seats: Sequence[Seat], people: Sequence[str]) -> list[EpisodeAgent]:
    return [
        EpisodeAgent(recording_id, at, who, seat.profile, seat.goal, seat.player, seat.judge_id)
        for at, (seat, who) in enumerate(zip(seats, people, strict=True))
    ]


def _home(session: Session, name: str) -> str:
    found = next((one.id for one in all_collections(session.study) if one.name == name), None)
    if found is not None:
        return found
    made = Collection(new_id(), name)
    insert_collection(session.study, made)
    return made.id


def as_ended(episode: Episode, turns: int, last: Turn) -> Episode:
    """Return an episode after a turn: over where somebody left, or no turn is left."""
    if last.act is Act.LEAVE:
        return replace(episode, ended=EpisodeEnd.LEFT)
    return replace(episode, ended=EpisodeEnd.LIMIT) if turns >= episode.turn_limit else episode
