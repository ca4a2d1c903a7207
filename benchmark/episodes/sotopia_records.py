"""Parses and formats records of SOTOPIA and SOTOPIA-pi: turns, episodes, scenarios, characters and human scores."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class SotopiaRecord:
    """A JSON object of a file, whose errors name the line."""

    path: Path
    line: int
    fields: Mapping[str, Json]

    def error(self, problem: str) -> UserError:
        return damaged_file_error(self.path, problem, self.line)

    def text(self, key: str, *, required: bool = True) -> str:
        """Return a text or number as clean text; "" if it is missing and not required."""
        value = self.fields.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        text = "" if value in (None, "") else self.clean(value, key)
        if required and not text:
            raise self.error(f"“{key}” is missing")
        return text

    def joined(self, key: str) -> str:
        """Return a text, a number or a list of texts as one text; "" if it is missing."""
        value = self.fields.get(key)
        if isinstance(value, list):
            return ", ".join(self.clean(text, key) for text in value)
        return self.text(key, required=False)

    def clean(self, value: Json, key: str) -> str:
        """Return a text without invisible characters, such as those that change the direction of writing."""
        if not isinstance(value, str) or len(value) > MAX_TEXT_CHARS:
            raise self.error(f"“{key}” is no text of at most {MAX_TEXT_CHARS:,} characters")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self.error(f"“{key}” holds half of a character") from None
        return _INVISIBLE_CHARS.sub("", value).strip()

    def part(self, key: str) -> "SotopiaRecord":
        value = self.fields.get(key)
        if not isinstance(value, dict):
            raise self.error(f"“{key}” is missing or no JSON object")
        return SotopiaRecord(self.path, self.line, value)

    def relationship(self, text: str) -> Relationship:
        """Return a relationship by SOTOPIA's name or number, or by ours."""
        named = {relationship.value: relationship for relationship in Relationship} | _RELATIONSHIPS
        named |= {str(number): relationship for number, relationship in enumerate(_RELATIONSHIPS.values())}
        if text not in named:
            raise self.error(f"“{text}” is no relationship")
        return named[text]


def read_records(path: Path) -> list[SotopiaRecord]:
    """Return the objects of a file; empty lines are passed over. A list of objects in one JSON text is read too."""
    text = read_text(path, MAX_FILE_BYTES)
    values: list[tuple[int, Json]]
    if text.lstrip().startswith("["):
        listed = _parse_json(path, 1, text)
        values = [*enumerate(listed if isinstance(listed, list) else [], 1)]
    else:
        # Not `splitlines`, which also splits at other characters that a text may hold.
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        values = [(number, _parse_json(path, number, line)) for number, line in lines]
    if not values:
        raise UserError(f"{path.name} is empty.", "Choose a file with one JSON object per line.")
    records = []
    for number, value in values:
        if not isinstance(value, dict):
            raise damaged_file_error(path, "it is no JSON object", number)
        records.append(SotopiaRecord(path, number, value))
    return records


def _parse_json(path: Path, number: int, text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        raise damaged_file_error(path, "it is no JSON", number) from None
    return value


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


def read_episode(record: SotopiaRecord, known: Mapping[str, Relationship]) -> EpisodeSetup:
    """Return the episode of a line; `known` maps contexts of scenarios to relationships that the file does not say."""
    names = record.fields.get("names")
    if not isinstance(names, list) or not all(isinstance(name, str) and name.strip() for name in names):
        raise record.error("“names” is no list of names")
    called = [str(name) for name in names]
    if not all(record.clean(name, "names") for name in called):
        raise record.error("“names” is no list of names")
    if len(called) < 2 or len(set(called)) < len(called):
        raise record.error("“names” does not name two people or more")
    context = record.text("scenario")
    people, goals = record.part("personal_info"), record.part("social_goal")
    seats = tuple(
        CastMember(
            _read_profile(people.part(name), record.clean(name, "names")), _read_goal(goals, name), AgentPlayer.SCRIPT
        )
        for name in called
    )
    said = record.fields.get(CONVERSATION_KEY)
    if not isinstance(said, list):
        raise record.error(f"“{CONVERSATION_KEY}” is missing or no list")
    turns = tuple(_read_opening_turn(record, turn, called) for turn in said)
    reference, collection = record.text("episode", required=False), record.text("set", required=False)
    relationship = known.get(context, Relationship.UNKNOWN)
    if relationship_text := record.text("relationship", required=False):
        relationship = record.relationship(relationship_text)
    if not turns:
        raise record.error("nobody says or does anything")
    episode = Episode(
        *("", context, relationship, EpisodeSource.IMPORTED, max(MOST_TURNS, len(turns)), _episode_end(turns)),
        reference=reference,
    )
    display_names = [seat.profile.name for seat in seats]
    name = " and ".join([", ".join(display_names[:-1]), display_names[-1]])
    return EpisodeSetup(name, seats, episode, turns, collection=collection or DEFAULT_COLLECTION)


def episode_json(state: EpisodeState, home: str) -> dict[str, Json]:
    """Return the JSON object of an episode, without its history from another recording."""
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


def _read_profile(record: SotopiaRecord, name: str) -> Profile:
    return Profile(name, *(record.text(key, required=False) for key in _PROFILE_KEYS.values()))


def _read_goal(goals: SotopiaRecord, name: str) -> str:
    if name not in goals.fields:
        raise goals.error(f"“{name}” is missing in “social_goal”")
    return goals.text(name, required=False)


def _read_opening_turn(record: SotopiaRecord, said: Json, names: Sequence[str]) -> OpeningTurn:
    if not isinstance(said, dict):
        raise record.error("a turn is no JSON object")
    turn = SotopiaRecord(record.path, record.line, said)
    speaker = turn.text("speaker")
    if speaker not in names:
        raise record.error(f"“{speaker}” has a turn and is not among “names”")
    return OpeningTurn(read_turn(turn.text("dialogue", required=False), names), [*names].index(speaker))


def _episode_end(said: Sequence[OpeningTurn]) -> EpisodeEnd:
    if said and said[-1].turn.act is Act.LEAVE:
        return EpisodeEnd.LEFT
    return EpisodeEnd.LIMIT if len(said) >= MOST_TURNS else EpisodeEnd.CUT


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


def read_scenario(record: SotopiaRecord) -> Scenario:
    """Return the scenario of a line; hints and further information in a goal stay, without their tags."""
    goals = record.fields.get(GOALS_KEY)
    if not isinstance(goals, list) or len(goals) < 2 or not all(isinstance(goal, str) for goal in goals):
        raise record.error(f"“{GOALS_KEY}” is no list of two goals or more")
    relationship = record.relationship(record.text("relationship"))
    context = _strip_tags(record.text("scenario"))
    return Scenario(
        new_id(),
        record.text("codename", required=False) or context[:40],
        context,
        relationship,
        tuple(_strip_tags(record.clean(goal, GOALS_KEY)) for goal in goals),
        record.text("env_id", required=False),
    )


@dataclass(frozen=True, slots=True)
class SotopiaBond:
    """How two characters stand to each other, by what the files call them."""

    references: tuple[str, str]
    relationship: Relationship
    story: str


def read_bond(record: SotopiaRecord) -> SotopiaBond:
    """Return the relationship profile of a line."""
    references = record.text(FIRST_AGENT_KEY), record.text("agent2_id")
    relationship = record.relationship(record.text("relationship"))
    return SotopiaBond(references, relationship, record.text("background_story", required=False))


def read_combination(record: SotopiaRecord) -> tuple[str, tuple[str, ...]]:
    """Return the scenario and the characters of a line, by what the files call them."""
    agents = record.fields.get(AGENT_IDS_KEY)
    if not isinstance(agents, list) or len(agents) < 2:
        raise record.error(f"“{AGENT_IDS_KEY}” is no list of two or more")
    ids = tuple(record.clean(agent, AGENT_IDS_KEY) for agent in agents)
    return record.text("env_id"), ids


def read_character(record: SotopiaRecord) -> Character:
    """Return the character of a line."""

    def told(*keys: str) -> str:
        texts = [record.joined(key).rstrip(".") for key in keys]
        return ". ".join(text for text in texts if text)

    name = " ".join(part for part in (record.text(FIRST_NAME_KEY), told("last_name")) if part)
    personality = told("personality_and_values") or told("big_five")
    profile = Profile(
        *(name, told("age"), told("occupation"), told("gender_pronoun"), personality),
        *(told("moral_values", "schwartz_personal_values"), told("decision_making_style")),
        *(told("public_info"), told("secret")),
    )
    return Character(new_id(), profile, record.text("agent_id", required=False))


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
        raise UserError(f"{path.name} contains no scores.", "Choose a file with a row for each rater and agent.")
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
