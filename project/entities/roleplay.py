"""Role-played episodes: characters, scenarios, goals and turns (SOTOPIA, section 2).

A turn is stored as the text of an utterance, so transcripts are edited and exported as plain text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

MOST_TURNS = 20
"""After how many turns an episode ends where nobody says otherwise (SOTOPIA, section 2.2)."""


class Relationship(StrEnum):
    """How those who take part stand to each other: it decides what each sees of the others (SOTOPIA, section 2.1)."""

    FAMILY = "family"
    FRIEND = "friend"
    ROMANTIC = "romantic"
    ACQUAINTANCE = "acquaintance"
    KNOWN_BY_NAME = "known-by-name"
    """Of SOTOPIA's files alone; the paper does not have it."""
    STRANGER = "stranger"
    UNKNOWN = "unknown"
    """Of what was imported without saying so; nothing is played under it."""


PLAYED_RELATIONSHIPS = [relationship for relationship in Relationship if relationship is not Relationship.UNKNOWN]


PROFILE_FIELDS = (
    *("age", "occupation", "pronouns", "personality", "personal_values", "decision_style", "public_info"),
    "secret",
)
"""What is known of a character beside the name; the names of the columns, in the order in which it is told."""
_PUBLIC_FIELDS = tuple(field for field in PROFILE_FIELDS if field != "secret")
_CLOSE_RELATIONSHIPS = frozenset({Relationship.FAMILY, Relationship.FRIEND, Relationship.ROMANTIC})
VISIBLE_FIELDS: Mapping[Relationship, tuple[str, ...]] = {
    **dict.fromkeys(_CLOSE_RELATIONSHIPS, ("name", *_PUBLIC_FIELDS)),
    Relationship.ACQUAINTANCE: ("name", "occupation", "pronouns", "public_info"),
    Relationship.KNOWN_BY_NAME: ("name",),
    Relationship.STRANGER: (),
    Relationship.UNKNOWN: (),
}
"""What each sees of another's profile (SOTOPIA, section 2.1): never the secret, and of a stranger nothing."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Who a character is; each a text, "" where nothing is said.

    Attributes:
        personal_values: what matters to them.
        decision_style: how they decide.
        public_info: what anybody who knows them knows.
        secret: what nobody else is to know.
    """

    name: str
    age: str = ""
    occupation: str = ""
    pronouns: str = ""
    personality: str = ""
    personal_values: str = ""
    decision_style: str = ""
    public_info: str = ""
    secret: str = ""

    def visible_fields(self, relationship: Relationship) -> dict[str, str]:
        """Return what somebody else sees of it: field -> text, without what is empty."""
        return {key: text for key in VISIBLE_FIELDS[relationship] if (text := str(getattr(self, key)))}


@dataclass(frozen=True, slots=True)
class CharacterBond:
    """How a character stands to another one, and how that came about."""

    character_id: str
    relationship: Relationship
    story: str


@dataclass(frozen=True, slots=True)
class Character:
    """Somebody who can be played, kept for episodes to come.

    Attributes:
        reference: what it is called where it was imported from; "" for none.
        bonds: to other characters.
    """

    id: str
    profile: Profile
    reference: str = ""
    bonds: tuple[CharacterBond, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """A situation that can be played.

    Attributes:
        context: what all of them know: place, time, what is going on.
        goals: what each of them wants, in the order in which they act; nobody knows another's.
        reference: what it is called where it was imported from; "" for none.
        casts: ids of characters who fit together in it, in the order in which they act.
    """

    id: str
    name: str
    context: str
    relationship: Relationship
    goals: tuple[str, ...]
    reference: str = ""
    casts: tuple[tuple[str, ...], ...] = ()


class EpisodeSource(StrEnum):
    """Where an episode comes from."""

    PLAYED = "played"
    IMPORTED = "imported"
    SEGMENT = "segment"
    """It goes on from a moment of another recording."""


class EpisodeEnd(StrEnum):
    """How an episode ended."""

    OPEN = ""
    """It goes on."""
    LEFT = "left"
    LIMIT = "limit"
    STOPPED = "stopped"
    """Three turns in a row could not be had from a judge."""
    CUT = "cut"
    """What was imported ends there, and nobody left."""


@dataclass(frozen=True, slots=True)
class Episode:
    """What makes a recording without media a role-played episode; its turns are the recording's utterances.

    Attributes:
        context: what all of them know.
        turn_limit: turns after which it ends; what led up to it in another recording is not counted.
        history: utterances at its beginning that were said in the recording that it goes on from.
        from_recording_id: that it goes on from; "" for none. It may be gone.
        from_segment_id: whose correction was played; "" for none. It may be gone.
        reference: what it is called where it was imported from; "" for none.
        seed: of what its judges say; another one is another episode.
    """

    recording_id: str
    context: str
    relationship: Relationship
    source: EpisodeSource
    turn_limit: int = MOST_TURNS
    ended: EpisodeEnd = EpisodeEnd.OPEN
    history: int = 0
    from_recording_id: str = ""
    from_segment_id: str = ""
    reference: str = ""
    seed: int = 0


class AgentPlayer(StrEnum):
    """Who plays an agent."""

    JUDGE = "judge"
    PERSON = "person"
    SCRIPT = "script"
    """Nobody here: it was imported."""


@dataclass(frozen=True, slots=True)
class EpisodeAgent:
    """One who takes part in an episode.

    Attributes:
        position: from 0, in the order in which they act.
        participant_id: whose utterances are their turns; None where that participant was removed.
        judge_id: of the judge who plays; "" for anybody else.
    """

    recording_id: str
    position: int
    participant_id: str | None
    profile: Profile
    goal: str
    player: AgentPlayer
    judge_id: str = ""


class Act(StrEnum):
    """What somebody does in a turn (SOTOPIA, section 2.2)."""

    SPEAK = "speak"
    NONVERBAL = "non-verbal"
    ACTION = "action"
    NONE = "none"
    LEAVE = "leave"


_SPEAK_MARK = "says"
_MARK_BY_ACT = {Act.NONVERBAL: "non-verbal", Act.ACTION: "action", Act.NONE: "none", Act.LEAVE: "leaves"}
_ACT_BY_MARK = {mark: act for act, mark in _MARK_BY_ACT.items()} | {_SPEAK_MARK: Act.SPEAK}
_MARKED_TEXT = re.compile(rf"\s*\[({'|'.join(map(re.escape, _ACT_BY_MARK))})\]\s*(.*?)\s*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """What somebody does, and what of it is seen or heard; of `none` and `leave` usually "" ."""

    act: Act
    text: str = ""


def format_turn(turn: AgentTurn) -> str:
    """Return a turn as the text of an utterance."""
    text = turn.text.strip()
    if turn.act is Act.SPEAK:
        return f"[{_SPEAK_MARK}] {text}".rstrip() if not text or _MARKED_TEXT.fullmatch(text) else text
    return f"[{_MARK_BY_ACT[turn.act]}] {text}".rstrip()


def parse_turn(text: str) -> AgentTurn:
    """Return the turn that the text of an utterance is; whatever bears no mark is said."""
    found = _MARKED_TEXT.fullmatch(text)
    if found is None:
        return AgentTurn(Act.SPEAK, text.strip())
    return AgentTurn(_ACT_BY_MARK[found[1].lower()], found[2])
