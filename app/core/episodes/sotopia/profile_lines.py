"""Scenarios and characters as SOTOPIA gives them away: environment profiles and agent profiles, a line each."""

import re
from collections.abc import Mapping
from pathlib import Path

from app.core.episodes.sotopia.lines import plain_text, text_at
from app.core.interchange.limits import damaged
from project.episodes import Character, Profile, Relationship, Scenario
from project.ids import new_id
from project.types import Json

GOALS = "agent_goals"
FIRST = "first_name"
_STANDING = (
    Relationship.STRANGER,
    Relationship.ACQUAINTANCE,
    Relationship.ACQUAINTANCE,
    Relationship.FRIEND,
    Relationship.ROMANTIC,
    Relationship.FAMILY,
)
"""SOTOPIA's number -> relationship; 1 is to know by name, 2 to be acquainted."""
_TAG = re.compile(r"</?(?:extra_info|strategy_hint|clarification_hint)>")


def read_scenario(path: Path, line: int, found: Mapping[str, Json]) -> Scenario:
    """Return the scenario of a line; hints and further information in a goal stay, without their tags.

    Raises:
        UserError: something is missing, or the relationship is not known.
    """
    goals = found.get(GOALS)
    if not isinstance(goals, list) or len(goals) < 2 or not all(isinstance(one, str) for one in goals):
        raise damaged(path, f"“{GOALS}” is no list of two goals or more", line)
    told = text_at(path, line, found, "relationship")
    named = {one.value: one for one in _STANDING} | {str(number): one for number, one in enumerate(_STANDING)}
    if told not in named:
        raise damaged(path, f"“{told}” is no relationship", line)
    context = _plain(text_at(path, line, found, "scenario"))
    name = text_at(path, line, found, "codename", required=False) or context[:40]
    return Scenario(
        new_id(), name, context, named[told], tuple(_plain(plain_text(path, line, one, GOALS)) for one in goals)
    )


def read_character(path: Path, line: int, found: Mapping[str, Json]) -> Character:
    """Return the character of a line.

    Raises:
        UserError: something is missing.
    """

    def told(*keys: str) -> str:
        texts = [text_at(path, line, found, key, required=False).rstrip(".") for key in keys]
        return ". ".join(one for one in texts if one)

    name = " ".join(part for part in (text_at(path, line, found, FIRST), told("last_name")) if part)
    personality = told("personality_and_values") or told("big_five")
    profile = Profile(
        *(name, told("age"), told("occupation"), told("gender_pronoun"), personality),
        *(told("moral_values", "schwartz_personal_values"), told("decision_making_style")),
        *(told("public_info"), told("secret")),
    )
    return Character(new_id(), profile)


def _plain(text: str) -> str:
    return " ".join(_TAG.sub("", text).split())
