"""Edits of characters and scenarios."""

from dataclasses import replace

from app.core.session import Session
from project.episodes import Character, Profile, Relationship, Scenario
from project.errors import UserError
from project.ids import new_id
from project.queries import episodes as rows
from project.types import Changes


def save_character(session: Session, profile: Profile, character_id: str = "") -> tuple[str, Changes]:
    """Add a character, or change one; returns the id and what changed.

    Raises:
        UserError: there is no name, or another character has it.
    """
    name = " ".join(profile.name.split())
    if not name:
        raise UserError("A character needs a name.", "Type one.")
    if any(one.profile.name == name and one.id != character_id for one in rows.all_characters(session.study)):
        raise UserError(f"There is a character {name} already.", "Change that one, or type another name.")
    made = Character(character_id or new_id(), replace(profile, name=name))
    with session.step(f"{'Change' if character_id else 'Add'} the character {name}") as step:
        rows.set_character(session.study, made)
    return made.id, step.changes


def remove_character(session: Session, character_id: str) -> Changes:
    """Remove a character; episodes keep what they were played with."""
    with session.step("Remove character") as step:
        rows.delete_character(session.study, character_id)
    return step.changes


def save_scenario(session: Session, scenario: Scenario) -> tuple[str, Changes]:
    """Add a scenario, where its id is "", or change one; returns the id and what changed.

    Raises:
        UserError: it has no name or one that is taken, no situation, fewer than two goals, or no relationship.
    """
    name = " ".join(scenario.name.split())
    if not name:
        raise UserError("A scenario needs a name.", "Type one.")
    if any(one.name == name and one.id != scenario.id for one in rows.all_scenarios(session.study)):
        raise UserError(f"There is a scenario {name} already.", "Change that one, or type another name.")
    if not scenario.context.strip():
        raise UserError("A scenario needs a situation.", "Say where they are and what is going on.")
    goals = tuple(one.strip() for one in scenario.goals)
    if len(goals) < 2 or not all(goals):
        raise UserError("A scenario needs a goal for each of two or more.", "Say what each of them wants.")
    if scenario.relationship is Relationship.UNKNOWN:
        raise UserError("It is not said how they stand to each other.", "Choose a relationship.")
    made = Scenario(scenario.id or new_id(), name, scenario.context.strip(), scenario.relationship, goals)
    with session.step(f"{'Change' if scenario.id else 'Add'} the scenario {name}") as step:
        rows.set_scenario(session.study, made)
    return made.id, step.changes


def remove_scenario(session: Session, scenario_id: str) -> Changes:
    """Remove a scenario; episodes keep what they were played with."""
    with session.step("Remove scenario") as step:
        rows.delete_scenario(session.study, scenario_id)
    return step.changes
