"""Edits of characters and scenarios, and the setup of episodes from them.

An episode is a recording without media whose turns are its utterances; their times are derived from the length of what
is said.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from project.entities.roleplay import (
    MOST_TURNS,
    Act,
    AgentPlayer,
    AgentTurn,
    Character,
    Episode,
    EpisodeAgent,
    EpisodeEnd,
    EpisodeSource,
    Profile,
    Relationship,
    Scenario,
    format_turn,
)
from project.entities.study_records import (
    Changes,
    Collection,
    ConsentUse,
    Participant,
    ParticipantRole,
    Recording,
    Utterance,
)
from project.errors import UserError, name_taken, require_name, unknown_name
from project.ids import new_id
from project.queries import episode_rows
from project.queries.episode_rows import (
    all_agents,
    all_characters,
    all_episodes,
    all_scenarios,
    fictional_participants,
    set_agents,
    set_episode,
)
from project.queries.recording_rows import (
    all_collections,
    insert_collection,
    insert_participant,
    insert_recording,
    next_number,
    pseudonyms,
    set_appearance,
    set_consent,
    update_recording,
)
from project.queries.transcript_rows import insert_utterances
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import SECOND_US


def save_character(session: Session, profile: Profile, character_id: str = "") -> tuple[str, Changes]:
    """Add a character, or change one; returns the id and what changed."""
    name = require_name(" ".join(profile.name.split()), "A character")
    known = {character.id: character for character in all_characters(session.study)}
    if any(character.profile.name == name and character.id != character_id for character in known.values()):
        raise name_taken("character", name)
    made = replace(known.get(character_id, Character(new_id(), profile)), profile=replace(profile, name=name))
    with session.step(f"{'Change' if character_id else 'Add'} the character {name}") as step:
        episode_rows.set_character(session.study, made)
    return made.id, step.changes


def remove_character(session: Session, character_id: str) -> Changes:
    """Remove a character; episodes keep what they were played with."""
    with session.step("Remove character") as step:
        episode_rows.delete_character(session.study, character_id)
    return step.changes


def save_scenario(session: Session, scenario: Scenario) -> tuple[str, Changes]:
    """Add a scenario, where its id is "", or change one; returns the id and what changed."""
    name = require_name(" ".join(scenario.name.split()), "A scenario")
    known = all_scenarios(session.study)
    if any(other.name == name and other.id != scenario.id for other in known):
        raise name_taken("scenario", name)
    if not scenario.context.strip():
        raise UserError("A scenario needs a situation.", "Describe where the people are and what happens.")
    goals = tuple(goal.strip() for goal in scenario.goals)
    if len(goals) < 2 or not all(goals):
        raise UserError("A scenario needs goals for two or more people.", "Give a goal for each person.")
    if scenario.relationship is Relationship.UNKNOWN:
        raise UserError("A scenario needs a relationship between the people.", "Choose a relationship.")
    kept = next((other for other in known if other.id == scenario.id), scenario)
    made = replace(
        kept,
        id=scenario.id or new_id(),
        name=name,
        context=scenario.context.strip(),
        relationship=scenario.relationship,
        goals=goals,
    )
    with session.step(f"{'Change' if scenario.id else 'Add'} the scenario {name}") as step:
        episode_rows.set_scenario(session.study, made)
    return made.id, step.changes


def remove_scenario(session: Session, scenario_id: str) -> Changes:
    """Remove a scenario; episodes keep what they were played with."""
    with session.step("Remove scenario") as step:
        episode_rows.delete_scenario(session.study, scenario_id)
    return step.changes


@dataclass(frozen=True, slots=True)
class CastMember:
    """Somebody who takes part in an episode.

    Attributes:
        judge_id: of the judge who plays; "" for any other player.
        participant_id: the participant of the study who is played; "" for an invented character.
    """

    profile: Profile
    goal: str
    player: AgentPlayer
    judge_id: str = ""
    participant_id: str = ""


def require_seats(seats: Sequence[CastMember]) -> None:
    """Raise if a cast cannot play."""
    names = [seat.profile.name.strip() for seat in seats]
    if len(seats) < 2:
        raise UserError("An episode needs at least two people.", "Add another person.")
    for name in names:
        require_name(name, "Everybody")
    if len({name.casefold() for name in names}) < len(names):
        raise UserError("Two people have the same name.", "Give each person a different name.")
    if any(seat.player is AgentPlayer.JUDGE and not seat.judge_id for seat in seats):
        raise UserError("A judge is missing for one of the people.", "Choose a judge or a person for everybody.")


class SeatAssignment:
    """Assigns participants of a study to the seats of episodes, and adds those that are missing.

    A character whom a judge played, or that was imported, is the same participant in every episode, and has consented
    to everything, because there is nobody to ask. A person who types is a participant of one episode alone.
    """

    def __init__(self, session: Session) -> None:
        self._study = session.study
        names = pseudonyms(self._study)
        self._taken = {*names.values()}
        self._invented: dict[str, str] = {}
        for who in _character_participants(session):
            self._invented.setdefault(_normalize_name(names[who]), who)

    def assign_participants(self, episode: Episode, seats: Sequence[CastMember], *, agreed: bool) -> list[str]:
        """Return the participants for the seats, and store that they appear; call it inside a step."""
        chosen: list[str] = []
        added: dict[str, str] = {}
        for seat in seats:
            name = _normalize_name(seat.profile.name)
            typed = seat.player is AgentPlayer.PERSON
            who = seat.participant_id or ("" if typed else self._invented.get(name, ""))
            if not who:
                made = self._add_participant(name, typed=typed, agreed=agreed)
                who = made.id
                if not typed and episode.source is not EpisodeSource.SEGMENT:
                    added[made.pseudonym] = who
            set_appearance(self._study, episode.recording_id, who, True)
            chosen.append(who)
        self._invented |= added
        return chosen

    def _add_participant(self, name: str, *, typed: bool, agreed: bool) -> Participant:
        free, number = name, 1
        while free in self._taken:
            number += 1
            free = f"{name} ({number})"
        made = Participant(new_id(), free, ParticipantRole.CHARACTER)
        insert_participant(self._study, made)
        self._taken.add(free)
        for use in ConsentUse:
            set_consent(self._study, made.id, use, not typed or (agreed and use is ConsentUse.MODELS))
        return made


def _character_participants(session: Session) -> list[str]:
    """Return the participants who are only characters, and for whom no person ever typed."""
    typed = {
        agent.participant_id
        for agents in all_agents(session.study).values()
        for agent in agents
        if agent.player is AgentPlayer.PERSON
    }
    return sorted(fictional_participants(session.study) - typed)


def _normalize_name(name: str) -> str:
    return " ".join(name.split())


MIN_TURN_US = SECOND_US
PAUSE_US = SECOND_US // 5
_US_PER_LETTER = SECOND_US // 15
"""People speak some 15 letters a second."""
_ACTION_US = 2 * SECOND_US
"""Duration of an act that is not speech."""


def turn_span(turn: AgentTurn, after_us: int) -> tuple[int, int]:
    """Return when a turn begins and ends, in microseconds on the recording's axis."""
    start = after_us + PAUSE_US if after_us else 0
    length = _US_PER_LETTER * len(turn.text) if turn.act is Act.SPEAK else _ACTION_US
    return start, start + max(MIN_TURN_US, length)


DEFAULT_COLLECTION = "Episodes"
"""The collection of episodes, unless another one is named."""


@dataclass(frozen=True, slots=True)
class OpeningTurn:
    """A turn that an episode starts with."""

    turn: AgentTurn
    seat: int


@dataclass(frozen=True, slots=True)
class EpisodeSetup:
    """What an episode is started with.

    Attributes:
        seats: who takes part, in the order in which they act.
        episode: its `recording_id` is filled in.
        preceding_utterances: utterances of the recording that it continues; they keep their times.
        opening_turns: turns that it starts with.
        collection: of the recording; "" for `DEFAULT_COLLECTION`.
        agreed: the people at the keyboard agreed that judges are sent what they type.
    """

    name: str
    seats: tuple[CastMember, ...]
    episode: Episode
    opening_turns: tuple[OpeningTurn, ...] = ()
    preceding_utterances: tuple[Utterance, ...] = ()
    collection: str = ""
    agreed: bool = False


def start_episode(session: Session, wanted: EpisodeSetup) -> tuple[str, Changes]:
    """Add an episode, as one step; returns the recording's id and what changed."""
    require_valid_setup(wanted)
    with session.step(f"Start the episode {wanted.name}") as step:
        recording_id = insert_episode_recording(session, wanted, SeatAssignment(session))
    return recording_id, step.changes


def next_seed(session: Session) -> int:
    """Return the seed of the next episode; with a used one, judges would repeat their answers."""
    return len(all_episodes(session.study))


def require_valid_setup(wanted: EpisodeSetup) -> None:
    """Raise if a setup is not valid."""
    require_seats(wanted.seats)
    require_name(wanted.name, "An episode")
    if wanted.episode.relationship is Relationship.UNKNOWN and wanted.episode.source is not EpisodeSource.IMPORTED:
        raise UserError("An episode needs a relationship between the people.", "Choose a relationship.")
    if wanted.episode.turn_limit < 1:
        raise UserError("An episode needs at least one turn.", "Give a limit of at least 1.")


def insert_episode_recording(session: Session, wanted: EpisodeSetup, company: SeatAssignment) -> str:
    """Insert an episode with its opening turns, and return the recording's id; call it inside a step."""
    study = session.study
    recording_id = new_id()
    collection_id = _find_or_add_collection(session, wanted.collection or DEFAULT_COLLECTION)
    number = next_number(study)
    insert_recording(study, Recording(recording_id, collection_id, number, wanted.name.strip(), MIN_TURN_US))
    episode = replace(wanted.episode, recording_id=recording_id, history=len(wanted.preceding_utterances))
    people = company.assign_participants(episode, wanted.seats, agreed=wanted.agreed)
    utterances = [
        replace(utterance, id=new_id(), recording_id=recording_id) for utterance in wanted.preceding_utterances
    ]
    end_us = max((utterance.end_us for utterance in utterances), default=0)
    for opening_turn in wanted.opening_turns:
        start_us, end_us = turn_span(opening_turn.turn, end_us)
        who = people[opening_turn.seat]
        utterances.append(
            Utterance(new_id(), recording_id, start_us, end_us, format_turn(opening_turn.turn), who, checked=True)
        )
    extend_recording(session, recording_id, end_us)
    insert_utterances(study, utterances)
    set_episode(study, episode)
    set_agents(study, _agents(recording_id, wanted.seats, people))
    return recording_id


def extend_recording(session: Session, recording_id: str, end_us: int) -> None:
    """Extend a recording to the end of its last turn; call it inside a step."""
    recording = session.recording(recording_id)
    if end_us > recording.duration_us:
        update_recording(session.study, replace(recording, duration_us=end_us))


def _agents(recording_id: str, seats: Sequence[CastMember], people: Sequence[str]) -> list[EpisodeAgent]:
    return [
        EpisodeAgent(recording_id, position, who, seat.profile, seat.goal, seat.player, seat.judge_id)
        for position, (seat, who) in enumerate(zip(seats, people, strict=True))
    ]


def _find_or_add_collection(session: Session, name: str) -> str:
    found = next((collection.id for collection in all_collections(session.study) if collection.name == name), None)
    if found is not None:
        return found
    made = Collection(new_id(), name)
    insert_collection(session.study, made)
    return made.id


def end_if_over(episode: Episode, turns: int, last: AgentTurn) -> Episode:
    """Return an episode after a turn; it is over if somebody left or no turn is left."""
    if last.act is Act.LEAVE:
        return replace(episode, ended=EpisodeEnd.LEFT)
    return replace(episode, ended=EpisodeEnd.LIMIT) if turns >= episode.turn_limit else episode


Named = TypeVar("Named", Scenario, Character)


def _find_named(known: Sequence[tuple[str, Named]], name: str, noun: str) -> Named:
    """Return the one of a name or id; `known` has the name of each."""
    found = [each for own_name, each in known if name in (each.id, own_name)]
    if len(found) > 1:
        raise UserError(
            f"Several {noun}s are called “{name}”.", f"Give the id: {' or '.join(each.id for each in found)}."
        )
    if not found:
        raise unknown_name(noun, name, [own_name for own_name, _ in known])
    return found[0]


def get_scenario(session: Session, name: str) -> Scenario:
    """Return the scenario of a name or id."""
    return _find_named([(scenario.name, scenario) for scenario in all_scenarios(session.study)], name, "scenario")


def get_character(session: Session, name: str) -> Character:
    """Return the character of a name or id."""
    known = [(character.profile.name, character) for character in all_characters(session.study)]
    return _find_named(known, name, "character")


def get_cast(session: Session, scenario: Scenario, number: int) -> list[Character]:
    """Return the characters of one of the casts that came with a scenario, from 1."""
    if not 1 <= number <= len(scenario.casts):
        count = pluralize(len(scenario.casts), "cast")
        raise UserError(f"The scenario {scenario.name} has {count}.", "Name characters: --character NAME")
    characters = {character.id: character for character in all_characters(session.study)}
    cast = scenario.casts[number - 1]
    if not characters.keys() >= {*cast}:
        raise UserError("This cast has a character who is no longer in the study.", "Choose another cast.")
    return [characters[key] for key in cast]


def compose_setup(
    session: Session,
    scenario: Scenario,
    characters: Sequence[Character],
    judges: Sequence[str],
    *,
    limit: int = MOST_TURNS,
    agreed: bool = False,
    seed: int | None = None,
) -> EpisodeSetup:
    """Return the setup of an episode from a scenario and characters.

    Args:
        session: of the study.
        scenario: has one goal for each character.
        characters: who takes part, in the order in which they act.
        judges: id of the judge who plays each; "" for a person.
        limit: number of turns.
        agreed: the people at the keyboard agreed that judges are sent what they type.
        seed: of the judges; that of the next episode if None.
    """
    if not len(scenario.goals) == len(characters) == len(judges):
        raise UserError(
            f"The scenario {scenario.name} needs {len(scenario.goals)} people, not {len(characters)}.",
            "Choose a character and a player for each goal.",
        )
    seats = tuple(
        CastMember(character.profile, goal, AgentPlayer.JUDGE if judge else AgentPlayer.PERSON, judge)
        for character, goal, judge in zip(characters, scenario.goals, judges, strict=True)
    )
    episode = Episode(
        *("", scenario.context, scenario.relationship, EpisodeSource.PLAYED, limit),
        seed=next_seed(session) if seed is None else seed,
    )
    return EpisodeSetup(scenario.name, seats, episode, agreed=agreed)
