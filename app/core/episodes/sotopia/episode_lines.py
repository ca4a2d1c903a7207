"""Episodes as SOTOPIA-pi gives them away: a line each, with scenario, people, goals and conversation."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from app.core.episodes.casting import Seat
from app.core.episodes.sotopia.dialogue import read_turn, written_dialogue
from app.core.episodes.sotopia.lines import plain_text, text_at
from app.core.episodes.starting import COLLECTION, Said, Wanted
from app.core.episodes.state import EpisodeState
from app.core.interchange.limits import damaged
from project.episodes import (
    MOST_TURNS,
    Episode,
    EpisodeEnd,
    EpisodeSource,
    Player,
    Profile,
    Relationship,
)
from project.turns import Act
from project.types import Json

CONVERSATION = "parsed_conversation"
_PROFILE = {
    "age": "age",
    "occupation": "profession",
    "pronouns": "pronouns",
    "personality": "personality",
    "personal_values": "values",
    "decision_style": "decision_style",
    "public_info": "interests",
    "secret": "secrets",
}
"""What is kept here -> what it is called in the file; the last but two are not in SOTOPIA-pi's own files."""


def read_episode(path: Path, line: int, found: Mapping[str, Json], known: Mapping[str, Relationship]) -> Wanted:
    """Return the episode of a line.

    Args:
        path: of the file.
        line: its number.
        found: what stands there.
        known: situation -> how people stand to each other in it, for files that do not say so.

    Raises:
        UserError: something is missing, or somebody speaks who does not take part.
    """
    names = found.get("names")
    if not isinstance(names, list) or not all(isinstance(one, str) and one.strip() for one in names):
        raise damaged(path, "“names” is no list of names", line)
    called = [str(one) for one in names]
    if not all(plain_text(path, line, one, "names") for one in called):
        raise damaged(path, "“names” is no list of names", line)
    if len(called) < 2 or len(set(called)) < len(called):
        raise damaged(path, "“names” does not name two people or more", line)
    context = text_at(path, line, found, "scenario")
    people, goals = _object(path, line, found, "personal_info"), _object(path, line, found, "social_goal")
    seats = tuple(
        Seat(
            _profile(path, line, plain_text(path, line, name, "names"), _object(path, line, people, name)),
            _goal(path, line, goals, name),
            Player.SCRIPT,
        )
        for name in called
    )
    said = tuple(_said(path, line, one, called) for one in _list(path, line, found, CONVERSATION))
    reference = text_at(path, line, found, "episode", required=False)
    home = text_at(path, line, found, "set", required=False)
    told = text_at(path, line, found, "relationship", required=False)
    if told and told not in {one.value for one in Relationship}:
        raise damaged(path, f"“{told}” is no relationship", line)
    relationship = Relationship(told) if told else known.get(context, Relationship.UNKNOWN)
    if not said:
        raise damaged(path, "nobody says or does anything", line)
    episode = Episode(
        *("", context, relationship, EpisodeSource.IMPORTED, max(MOST_TURNS, len(said)), _ended(said)),
        reference=reference,
    )
    shown = [one.profile.name for one in seats]
    name = " and ".join([", ".join(shown[:-1]), shown[-1]])
    return Wanted(name, seats, episode, said, collection=home or COLLECTION)


def episode_line(state: EpisodeState, home: str) -> dict[str, Json]:
    """Return the line of an episode; what led up to it in another recording is not in it.

    Args:
        state: the episode.
        home: name of its collection.
    """
    names = [one.profile.name for one in state.agents]
    people: dict[str, Json] = {}
    for one in state.agents:
        texts = {called: str(getattr(one.profile, key)) for key, called in _PROFILE.items()}
        told = {called: text for called, text in texts.items() if text or called not in ("values", "decision_style")}
        people[one.profile.name] = {"name": one.profile.name, **told}
    return {
        "scenario": state.episode.context,
        "names": [*names],
        "personal_info": people,
        "social_goal": {one.profile.name: one.goal for one in state.agents},
        CONVERSATION: [
            {"speaker": one.agent.profile.name, "dialogue": written_dialogue(one.turn, one.agent.profile.name)}
            for one in state.done
            if one.agent is not None and one.number
        ],
        "episode": state.episode.reference or state.episode.recording_id,
        "set": home,
        "relationship": state.episode.relationship.value,
    }


def _profile(path: Path, line: int, name: str, found: Mapping[str, Json]) -> Profile:
    texts = [text_at(path, line, found, called, required=False) for called in _PROFILE.values()]
    return Profile(name, *texts)


def _goal(path: Path, line: int, found: Mapping[str, Json], name: str) -> str:
    if name not in found:
        raise damaged(path, f"“{name}” is missing in “social_goal”", line)
    return text_at(path, line, found, name, required=False)


def _said(path: Path, line: int, found: Json, names: Sequence[str]) -> Said:
    if not isinstance(found, dict):
        raise damaged(path, "a turn is no JSON object", line)
    speaker = text_at(path, line, found, "speaker")
    if speaker not in names:
        raise damaged(path, f"“{speaker}” has a turn and is not among “names”", line)
    return Said(read_turn(text_at(path, line, found, "dialogue", required=False), names), [*names].index(speaker))


def _ended(said: Sequence[Said]) -> EpisodeEnd:
    if said and said[-1].turn.act is Act.LEAVE:
        return EpisodeEnd.LEFT
    return EpisodeEnd.LIMIT if len(said) >= MOST_TURNS else EpisodeEnd.CUT


def _object(path: Path, line: int, found: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    value = found.get(key)
    if not isinstance(value, dict):
        raise damaged(path, f"“{key}” is missing or no JSON object", line)
    return value


def _list(path: Path, line: int, found: Mapping[str, Json], key: str) -> list[Json]:
    value = found.get(key)
    if not isinstance(value, list):
        raise damaged(path, f"“{key}” is missing or no list", line)
    return value
