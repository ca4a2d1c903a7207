"""Generates role-played episodes, each agent rated by two people."""

import random
from collections.abc import Iterator, Sequence

from project.entities.roleplay import (
    MOST_TURNS,
    Act,
    AgentPlayer,
    AgentTurn,
    Episode,
    EpisodeAgent,
    EpisodeEnd,
    EpisodeSource,
    Profile,
    Relationship,
    Scenario,
    format_turn,
)
from project.entities.study_records import ConsentUse, ParticipantRole
from project.queries.episode_rows import set_agents, set_episode, set_scenario
from project.queries.study_schemes import insert_version
from project.schemes.scheme import Field, FieldKind, Scheme
from project.schemes.scheme_file import load_scheme, shipped_text
from project.store.column_values import to_json
from project.store.study import Cell, Study
from project.synthetic.synthetic_phrases import PHRASES, InventedIds

_ROLEPLAY = PHRASES["roleplay"]
SCHEME, TRACK, LABEL = "sotopia-eval", "ratings", "rating"
RECORDINGS_PER_EPISODE = 10
"""One episode for so many recordings."""
_RATERS = 2
_TURN_US, _PAUSE_US = 3_000_000, 400_000


class Episodes:
    """Writes episodes, one after the other."""

    def __init__(self, study: Study, annotators: Sequence[str], seed: int) -> None:
        self._study = study
        self._annotators = annotators[:_RATERS]
        self._chance = random.Random(f"{seed} episodes")
        self._new_id = InventedIds(self._chance).new
        self._scheme: Scheme = load_scheme(SCHEME)
        self._cast: list[tuple[str, Profile]] = []

    def write(self, number: int, after: int) -> Iterator[int]:
        """Write episodes with their ratings, and yield how many there are.

        Args:
            number: how many.
            after: the highest number of a recording so far.
        """
        if not number:
            return
        home = self._new_id()
        self._study.write("INSERT INTO collection VALUES (?, ?, ?)", (home, "Role-played episodes", ""))
        insert_version(self._study, SCHEME, self._scheme.version, shipped_text(SCHEME))
        self._people()
        scenarios = [
            Scenario(
                self._new_id(),
                situation["name"],
                situation["context"],
                Relationship(situation["relationship"]),
                tuple(situation["goals"]),
            )
            for situation in _ROLEPLAY["situations"]
        ]
        for scenario in scenarios:
            set_scenario(self._study, scenario)
        for done in range(1, number + 1):
            self._episode(home, scenarios, after + done, done)
            yield done

    def _people(self) -> None:
        self._cast = [(self._new_id(), Profile(**texts)) for texts in _ROLEPLAY["characters"]]
        character = ParticipantRole.CHARACTER.value
        self._study.write_many(
            "INSERT INTO participant VALUES (?, ?, ?, ?)",
            [(who, profile.name, character, "") for who, profile in self._cast],
        )
        self._study.write_many(
            "INSERT INTO consent VALUES (?, ?, ?)", [(who, use.value, 1) for who, _ in self._cast for use in ConsentUse]
        )

    def _episode(self, collection: str, scenarios: Sequence[Scenario], number: int, done: int) -> None:
        chance, study = self._chance, self._study
        at = chance.randrange(len(scenarios))
        scenario, things = scenarios[at], tuple(_ROLEPLAY["situations"][at]["things"])
        cast = chance.sample(self._cast, len(scenario.goals))
        recording = self._new_id()
        turns = self._turns(chance.randrange(8, MOST_TURNS + 1), things)
        left = turns[-1].act is Act.LEAVE
        duration = len(turns) * (_TURN_US + _PAUSE_US)
        study.write(
            "INSERT INTO recording VALUES (?, ?, ?, ?, ?)",
            (recording, collection, number, f"{scenario.name} {done:02}", duration),
        )
        study.write_many("INSERT INTO appearance VALUES (?, ?)", [(recording, who) for who, _ in cast])
        study.write_many(
            "INSERT INTO utterance VALUES (?, ?, ?, ?, ?, ?, '[]', 1, 0)",
            [
                (
                    *(self._new_id(), recording, cast[place % len(cast)][0]),
                    *(place * (_TURN_US + _PAUSE_US), place * (_TURN_US + _PAUSE_US) + _TURN_US, format_turn(turn)),
                )
                for place, turn in enumerate(turns)
            ],
        )
        ended = EpisodeEnd.LEFT if left else EpisodeEnd.LIMIT if len(turns) == MOST_TURNS else EpisodeEnd.CUT
        source = EpisodeSource.IMPORTED
        set_episode(study, Episode(recording, scenario.context, scenario.relationship, source, MOST_TURNS, ended))
        set_agents(
            study,
            [
                EpisodeAgent(recording, place, who, profile, goal, AgentPlayer.SCRIPT)
                for place, ((who, profile), goal) in enumerate(zip(cast, scenario.goals, strict=True))
            ],
        )
        for who, _ in cast:
            self._rate(recording, who, duration, things)

    def _turns(self, number: int, things: tuple[str, ...]) -> list[AgentTurn]:
        chance = self._chance
        lines = chance.sample(_ROLEPLAY["lines"], min(number, len(_ROLEPLAY["lines"])))
        found = []
        for line in lines:
            kind = chance.random()
            if kind < 0.8:
                found.append(AgentTurn(Act.SPEAK, line.format(thing=chance.choice(things))))
            elif kind < 0.93:
                found.append(AgentTurn(Act.NONVERBAL, chance.choice(_ROLEPLAY["gestures"])))
            else:
                found.append(AgentTurn(Act.ACTION, f"points at {chance.choice(things)}"))
        if number < MOST_TURNS and chance.random() < 0.7:
            found.append(AgentTurn(Act.LEAVE))
        return found

    def _rate(self, recording: str, who: str, duration: int, things: tuple[str, ...]) -> None:
        """Write what each rater says of one agent: about the same, as people agree to some degree."""
        skill = self._chance.random()
        rows: list[tuple[Cell, ...]] = []
        values: list[tuple[Cell, ...]] = []
        for rater in self._annotators:
            segment = self._new_id()
            rows.append((segment, recording, rater, SCHEME, TRACK, LABEL, 0, duration))
            for field in self._scheme.fields_of(TRACK):
                said = self._said(field, who, skill, things)
                values.append((segment, SCHEME, self._scheme.version, field.key, to_json(said)))
        self._study.write_many("INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._study.write_many("INSERT INTO segment_value VALUES (?, ?, ?, ?, ?)", values)

    def _said(self, field: Field, who: str, skill: float, things: tuple[str, ...]) -> str | int:
        match field.kind:
            case FieldKind.PARTICIPANT:
                return who
            case FieldKind.SCALE:
                low, high = int(field.minimum), int(field.maximum)
                drawn = skill + self._chance.gauss(0, 0.15)
                return min(high, max(low, round(low + (high - low) * drawn)))
            case _:
                return str(self._chance.choice(_ROLEPLAY["reasons"]).format(thing=self._chance.choice(things)))
