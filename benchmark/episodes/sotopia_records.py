"""Parses and formats records of SOTOPIA and SOTOPIA-pi: turns, episodes, scenarios, characters and human scores."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotate.interchange.bounded_files import MEGABYTE, damaged_file_error, read_text
from benchmark.episodes.episode_setup import DEFAULT_COLLECTION, CastMember, EpisodeSetup, OpeningTurn
from benchmark.episodes.episode_state import EpisodeState
from benchmark.metrics.published_figures import DIMENSIONS, score_ranges
from project.entities.roleplay import (
    MOST_TURNS,
    Act,
    AgentPlayer,
    AgentTurn,
    Character,
    Episode,
    EpisodeEnd,
    EpisodeSource,
    Profile,
    Relationship,
    Scenario,
)
from project.entities.study_records import Json
from project.errors import UserError
from project.ids import new_id

_TURN_NUMBER = re.compile(r"\s*\bTurn #\d+\b[,.:]?\s*$")
"""Some lines end with the head of the next turn."""
_ACTS = {"non-verbal communication": Act.NONVERBAL, "action": Act.ACTION}
_ACT_PATTERN = re.compile(rf"^\[({'|'.join(_ACTS)})\]\s*(.*)$", re.DOTALL)
_LEAVE_PATTERN = re.compile(r"^left the conversation\.?\s*(.*)$", re.DOTALL)
_NO_ACT_PATTERN = re.compile(r"^did nothing\.?$")
_QUOTED = re.compile(r'^"(.*)"$', re.DOTALL)


def read_turn(dialogue: str, names: Sequence[str]) -> AgentTurn:
    """Parse the turn of a line.

    Args:
        dialogue: text of the line.
        names: of all who take part; a line may begin with another name than its speaker's.
    """
    text = _TURN_NUMBER.sub("", dialogue).strip()
    # The longest first: one name may begin with another.
    for name in sorted(names, key=len, reverse=True):
        if text.startswith(f"{name} "):
            rest = text[len(name) :].strip()
            if found := _ACT_PATTERN.match(rest):
                return AgentTurn(_ACTS[found[1]], found[2].strip())
            if found := _LEAVE_PATTERN.match(rest):
                return AgentTurn(Act.LEAVE, found[1].strip())
            if _NO_ACT_PATTERN.match(rest):
                return AgentTurn(Act.NONE)
    quoted = _QUOTED.match(text)
    return AgentTurn(Act.SPEAK, (quoted[1] if quoted else text).strip())


def format_dialogue(turn: AgentTurn, name: str) -> str:
    """Return the line of a turn."""
    match turn.act:
        case Act.NONVERBAL:
            return f"{name} [non-verbal communication] {turn.text}"
        case Act.ACTION:
            return f"{name} [action] {turn.text}"
        case Act.LEAVE:
            return f"{name} left the conversation. {turn.text}".strip()
        case Act.NONE:
            return f"{name} did nothing."
        case Act.SPEAK:
            return f'"{turn.text}"'


_INVISIBLE_CHARS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
MAX_FILE_BYTES = 200 * MEGABYTE
MAX_TEXT_CHARS = 20_000
"""Characters of one text."""


def read_json_objects(path: Path) -> list[tuple[int, Mapping[str, Json]]]:
    """Return line number -> object; empty lines are passed over. A list of objects in one JSON text is read too."""
    text = read_text(path, MAX_FILE_BYTES)
    if text.lstrip().startswith("["):
        listed = [*_read_list(path, text)]
        if not listed:
            raise UserError(f"There is nothing in {path.name}.", "Choose a file with one JSON object a line.")
        return listed
    found = []
    # Not `splitlines`, which also splits at other characters that a text may hold.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            found.append((number, _require_object(path, number, _parse_json(path, number, line))))
    if not found:
        raise UserError(f"There is nothing in {path.name}.", "Choose a file with one JSON object a line.")
    return found


def read_text_field(path: Path, line: int, found: Mapping[str, Json], key: str, *, required: bool = True) -> str:
    """Return a text or number of an object as clean text; "" if it is missing and not required."""
    value = found.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if value is None or value == "":
        if required:
            raise damaged_file_error(path, f"“{key}” is missing", line)
        return ""
    found_text = clean_text(path, line, value, key)
    if required and not found_text:
        raise damaged_file_error(path, f"“{key}” is missing", line)
    return found_text


def clean_text(path: Path, line: int, value: Json, key: str) -> str:
    """Return a text without invisible characters, such as those that change the direction of writing."""
    if not isinstance(value, str) or len(value) > MAX_TEXT_CHARS:
        raise damaged_file_error(path, f"“{key}” is no text of at most {MAX_TEXT_CHARS:,} characters", line)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise damaged_file_error(path, f"“{key}” holds half of a character", line) from None
    return _INVISIBLE_CHARS.sub("", value).strip()


def _read_list(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Json]]]:
    found = _parse_json(path, 1, text)
    for number, entry in enumerate(found if isinstance(found, list) else [], 1):
        yield number, _require_object(path, number, entry)


def _parse_json(path: Path, number: int, text: str) -> Json:
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError):
        raise damaged_file_error(path, "it is no JSON", number) from None
    return found


def _require_object(path: Path, number: int, found: Json) -> Mapping[str, Json]:
    if not isinstance(found, dict):
        raise damaged_file_error(path, "it is no JSON object", number)
    return found


CONVERSATION_KEY = "parsed_conversation"
_PROFILE_KEYS = {
    "age": "age",
    "occupation": "profession",
    "pronouns": "pronouns",
    "personality": "personality",
    "personal_values": "values",
    "decision_style": "decision_style",
    "public_info": "interests",
    "secret": "secrets",
}
"""Field of `Profile` -> its key in the file; not all keys are in SOTOPIA-pi's own files."""


def read_episode(path: Path, line: int, found: Mapping[str, Json], known: Mapping[str, Relationship]) -> EpisodeSetup:
    """Return the episode of a line.

    Args:
        path: of the file.
        line: its number.
        found: its JSON object.
        known: context of a scenario -> relationship, for files that do not say it.
    """
    names = found.get("names")
    if not isinstance(names, list) or not all(isinstance(name, str) and name.strip() for name in names):
        raise damaged_file_error(path, "“names” is no list of names", line)
    called = [str(name) for name in names]
    if not all(clean_text(path, line, name, "names") for name in called):
        raise damaged_file_error(path, "“names” is no list of names", line)
    if len(called) < 2 or len(set(called)) < len(called):
        raise damaged_file_error(path, "“names” does not name two people or more", line)
    context = read_text_field(path, line, found, "scenario")
    people, goals = (
        _object_field(path, line, found, "personal_info"),
        _object_field(path, line, found, "social_goal"),
    )
    seats = tuple(
        CastMember(
            _read_profile(path, line, clean_text(path, line, name, "names"), _object_field(path, line, people, name)),
            _read_goal(path, line, goals, name),
            AgentPlayer.SCRIPT,
        )
        for name in called
    )
    turns = tuple(
        _read_opening_turn(path, line, entry, called) for entry in _list_field(path, line, found, CONVERSATION_KEY)
    )
    reference = read_text_field(path, line, found, "episode", required=False)
    collection = read_text_field(path, line, found, "set", required=False)
    relationship_text = read_text_field(path, line, found, "relationship", required=False)
    relationship = known.get(context, Relationship.UNKNOWN)
    if relationship_text:
        relationship = _read_relationship(path, line, relationship_text)
    if not turns:
        raise damaged_file_error(path, "nobody says or does anything", line)
    episode = Episode(
        *("", context, relationship, EpisodeSource.IMPORTED, max(MOST_TURNS, len(turns)), _episode_end(turns)),
        reference=reference,
    )
    display_names = [seat.profile.name for seat in seats]
    name = " and ".join([", ".join(display_names[:-1]), display_names[-1]])
    return EpisodeSetup(name, seats, episode, turns, collection=collection or DEFAULT_COLLECTION)


def episode_json(state: EpisodeState, home: str) -> dict[str, Json]:
    """Return the JSON object of an episode, without its history from another recording.

    Args:
        state: the episode.
        home: name of its collection.
    """
    names = [agent.profile.name for agent in state.agents]
    people: dict[str, Json] = {}
    for agent in state.agents:
        texts = {called: str(getattr(agent.profile, key)) for key, called in _PROFILE_KEYS.items()}
        told = {called: text for called, text in texts.items() if text or called not in ("values", "decision_style")}
        people[agent.profile.name] = {"name": agent.profile.name, **told}
    return {
        "scenario": state.episode.context,
        "names": [*names],
        "personal_info": people,
        "social_goal": {agent.profile.name: agent.goal for agent in state.agents},
        CONVERSATION_KEY: [
            {
                "speaker": episode_turn.agent.profile.name,
                "dialogue": format_dialogue(episode_turn.turn, episode_turn.agent.profile.name),
            }
            for episode_turn in state.played_turns
            if episode_turn.agent is not None and episode_turn.number
        ],
        "episode": state.episode.reference or state.episode.recording_id,
        "set": home,
        "relationship": state.episode.relationship.value,
    }


def _read_profile(path: Path, line: int, name: str, found: Mapping[str, Json]) -> Profile:
    texts = [read_text_field(path, line, found, called, required=False) for called in _PROFILE_KEYS.values()]
    return Profile(name, *texts)


def _read_goal(path: Path, line: int, found: Mapping[str, Json], name: str) -> str:
    if name not in found:
        raise damaged_file_error(path, f"“{name}” is missing in “social_goal”", line)
    return read_text_field(path, line, found, name, required=False)


def _read_opening_turn(path: Path, line: int, found: Json, names: Sequence[str]) -> OpeningTurn:
    if not isinstance(found, dict):
        raise damaged_file_error(path, "a turn is no JSON object", line)
    speaker = read_text_field(path, line, found, "speaker")
    if speaker not in names:
        raise damaged_file_error(path, f"“{speaker}” has a turn and is not among “names”", line)
    return OpeningTurn(
        read_turn(read_text_field(path, line, found, "dialogue", required=False), names), [*names].index(speaker)
    )


def _episode_end(said: Sequence[OpeningTurn]) -> EpisodeEnd:
    if said and said[-1].turn.act is Act.LEAVE:
        return EpisodeEnd.LEFT
    return EpisodeEnd.LIMIT if len(said) >= MOST_TURNS else EpisodeEnd.CUT


def _object_field(path: Path, line: int, found: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    value = found.get(key)
    if not isinstance(value, dict):
        raise damaged_file_error(path, f"“{key}” is missing or no JSON object", line)
    return value


def _list_field(path: Path, line: int, found: Mapping[str, Json], key: str) -> list[Json]:
    value = found.get(key)
    if not isinstance(value, list):
        raise damaged_file_error(path, f"“{key}” is missing or no list", line)
    return value


GOALS_KEY = "agent_goals"
FIRST_NAME_KEY = "first_name"
FIRST_AGENT_KEY = "agent1_id"
AGENT_IDS_KEY = "agent_ids"
_RELATIONSHIPS = {
    "stranger": Relationship.STRANGER,
    "know_by_name": Relationship.KNOWN_BY_NAME,
    "acquaintance": Relationship.ACQUAINTANCE,
    "friend": Relationship.FRIEND,
    "romantic_relationship": Relationship.ROMANTIC,
    "family_member": Relationship.FAMILY,
}
"""What SOTOPIA calls a relationship -> ours; its number is the place."""
_TAG = re.compile(r"</?(?:extra_info|strategy_hint|clarification_hint)>")


def read_scenario(path: Path, line: int, found: Mapping[str, Json]) -> Scenario:
    """Return the scenario of a line; hints and further information in a goal stay, without their tags."""
    goals = found.get(GOALS_KEY)
    if not isinstance(goals, list) or len(goals) < 2 or not all(isinstance(goal, str) for goal in goals):
        raise damaged_file_error(path, f"“{GOALS_KEY}” is no list of two goals or more", line)
    relationship = _read_relationship(path, line, read_text_field(path, line, found, "relationship"))
    context = _strip_tags(read_text_field(path, line, found, "scenario"))
    name = read_text_field(path, line, found, "codename", required=False) or context[:40]
    return Scenario(
        new_id(),
        name,
        context,
        relationship,
        tuple(_strip_tags(clean_text(path, line, goal, GOALS_KEY)) for goal in goals),
        read_text_field(path, line, found, "env_id", required=False),
    )


def _read_relationship(path: Path, line: int, text: str) -> Relationship:
    """Return a relationship by SOTOPIA's name or number, or by ours."""
    named = {relationship.value: relationship for relationship in Relationship} | _RELATIONSHIPS
    named |= {str(number): relationship for number, relationship in enumerate(_RELATIONSHIPS.values())}
    if text not in named:
        raise damaged_file_error(path, f"“{text}” is no relationship", line)
    return named[text]


@dataclass(frozen=True, slots=True)
class SotopiaBond:
    """How two characters stand to each other, by what the files call them."""

    references: tuple[str, str]
    relationship: Relationship
    story: str


def read_bond(path: Path, line: int, found: Mapping[str, Json]) -> SotopiaBond:
    """Return the relationship profile of a line."""
    first, second = (read_text_field(path, line, found, key) for key in (FIRST_AGENT_KEY, "agent2_id"))
    relationship = _read_relationship(path, line, read_text_field(path, line, found, "relationship"))
    return SotopiaBond(
        (first, second), relationship, read_text_field(path, line, found, "background_story", required=False)
    )


def read_combination(path: Path, line: int, found: Mapping[str, Json]) -> tuple[str, tuple[str, ...]]:
    """Return the scenario and the characters of a line, by what the files call them."""
    agents = found.get(AGENT_IDS_KEY)
    if not isinstance(agents, list) or len(agents) < 2:
        raise damaged_file_error(path, f"“{AGENT_IDS_KEY}” is no list of two or more", line)
    ids = tuple(clean_text(path, line, agent, AGENT_IDS_KEY) for agent in agents)
    return read_text_field(path, line, found, "env_id"), ids


def read_character(path: Path, line: int, found: Mapping[str, Json]) -> Character:
    """Return the character of a line."""

    def told(*keys: str) -> str:
        texts = [_read_joined_texts(path, line, found, key).rstrip(".") for key in keys]
        return ". ".join(text for text in texts if text)

    name = " ".join(part for part in (read_text_field(path, line, found, FIRST_NAME_KEY), told("last_name")) if part)
    personality = told("personality_and_values") or told("big_five")
    profile = Profile(
        *(name, told("age"), told("occupation"), told("gender_pronoun"), personality),
        *(told("moral_values", "schwartz_personal_values"), told("decision_making_style")),
        *(told("public_info"), told("secret")),
    )
    return Character(new_id(), profile, read_text_field(path, line, found, "agent_id", required=False))


def _read_joined_texts(path: Path, line: int, found: Mapping[str, Json], key: str) -> str:
    """Return a text, a number or a list of texts as one text; "" if it is missing."""
    value = found.get(key)
    if isinstance(value, list):
        return ", ".join(clean_text(path, line, text, key) for text in value)
    return read_text_field(path, line, found, key, required=False)


def _strip_tags(text: str) -> str:
    return " ".join(_TAG.sub("", text).split())


_MAX_SCORES_BYTES = 50 * MEGABYTE
_SCORE_COLUMNS = {key: key for key in DIMENSIONS} | {"financial": "financial_and_material_benefits"}
"""Dimension -> its column."""
_KEY_COLUMNS = ("episode", "rater", "agent")
CSV_COLUMNS = ("set", *_KEY_COLUMNS, *(_SCORE_COLUMNS[key] for key in DIMENSIONS))
"""Columns of a written file; others, such as `is_target`, are ignored on import."""


@dataclass(frozen=True, slots=True)
class SotopiaScore:
    """The scores that one rater gave one agent.

    Attributes:
        collection: the set of the episode; "" where the file does not say.
        agent: position, from 0.
        scores: dimension -> score, in its range.
    """

    line: int
    collection: str
    episode: str
    rater: str
    agent: int
    scores: dict[str, int]


def read_scores(path: Path) -> list[SotopiaScore]:
    """Return the rows of a file."""
    try:
        rows = csv.DictReader(io.StringIO(read_text(path, _MAX_SCORES_BYTES)), strict=True)
        columns = [fieldname.strip() for fieldname in rows.fieldnames or ()]
        if missing := [column for column in (*_KEY_COLUMNS, *_SCORE_COLUMNS.values()) if column not in columns]:
            raise damaged_file_error(path, f"the column “{missing[0]}” is missing")
        found = [_read_score(path, rows.line_num, row) for row in rows]
    except csv.Error as error:
        raise damaged_file_error(path, str(error)) from None
    if not found:
        raise UserError(f"There are no scores in {path.name}.", "Choose a file with a row for each rater and agent.")
    return found


def _read_score(path: Path, line: int, row: dict[str, str | None]) -> SotopiaScore:
    def text(column: str) -> str:
        if not (value := (row.get(column) or "").strip()):
            raise damaged_file_error(path, f"“{column}” is empty", line)
        return value

    def number(column: str, low: int, high: int) -> int:
        value = text(column)
        try:
            found = int(value)
        except ValueError:
            raise damaged_file_error(path, f"“{value}” in “{column}” is no whole number", line) from None
        if not low <= found <= high:
            raise damaged_file_error(path, f"{found} in “{column}” is not between {low} and {high}", line)
        return found

    scores = {key: number(_SCORE_COLUMNS[key], *limits) for key, limits in score_ranges().items()}
    home = (row.get("set") or "").strip()
    return SotopiaScore(line, home, text("episode"), text("rater"), number("agent", 1, 100) - 1, scores)
