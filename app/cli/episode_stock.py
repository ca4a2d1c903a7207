"""Characters and scenarios on the command line."""

from pathlib import Path
from typing import Any

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.counted import counted
from project.types import Json

_KINDS = ("family", "friend", "romantic", "acquaintance", "stranger")


@click.command()
@STUDY
@json_option
def characters(study: Path, as_json: bool) -> None:
    """List the characters that can be played.

    \b
    Example:
      greenroom episode characters my-study.greenroom
    """
    from project.queries.episodes import NAMED, all_characters

    with Session.open(study, read_only=True) as session:
        found = all_characters(session.study)
    told: list[Json] = [{"id": one.id, **{key: getattr(one.profile, key) for key in NAMED}} for one in found]
    lines = [
        ", ".join(part for part in (one.profile.name, one.profile.age, one.profile.occupation) if part) for one in found
    ]
    tell(as_json, {"characters": told}, "\n".join([*lines, f"{counted(len(found), 'character')}."]))


@click.command(name="add-character")
@STUDY
@click.argument("name")
@click.option("--age", default="", help="How old they are.")
@click.option("--occupation", default="", help="What they do for a living.")
@click.option("--pronouns", default="", help="Such as she/her.")
@click.option("--personality", default="", help="How they are.")
@click.option("--values", "personal_values", default="", help="What matters to them.")
@click.option("--decides", "decision_style", default="", help="How they decide.")
@click.option("--known", "public_info", default="", help="What anybody who knows them knows.")
@click.option("--secret", default="", help="What nobody else is to know.")
@click.option("--annotator", metavar="NAME", help="Who does it.")
@json_option
def add_character(study: Path, name: str, annotator: str | None, as_json: bool, **texts: Any) -> None:
    """Write a character that can be played.

    \b
    Example:
      greenroom episode add-character my-study.greenroom "Anna Berg" --occupation Baker --secret "The lamp is stolen."
    """
    from app.core.commands.episodes import save_character
    from project.episodes import Profile

    with Session.open(study, annotator) as session:
        made, _ = save_character(session, Profile(name, **texts))
    tell(as_json, {"id": made}, f"Added the character {name}.")


@click.command()
@STUDY
@json_option
def scenarios(study: Path, as_json: bool) -> None:
    """List the scenarios that can be played.

    \b
    Example:
      greenroom episode scenarios my-study.greenroom
    """
    from project.queries.episodes import all_scenarios

    with Session.open(study, read_only=True) as session:
        found = all_scenarios(session.study)
    told: list[Json] = [
        {"id": one.id, "name": one.name, "context": one.context, "relationship": one.relationship.value}
        | {"goals": [*one.goals]}
        for one in found
    ]
    lines = [f"{one.name} ({one.relationship.value}, {len(one.goals)}): {one.context}" for one in found]
    tell(as_json, {"scenarios": told}, "\n".join([*lines, f"{counted(len(found), 'scenario')}."]))


@click.command(name="add-scenario")
@STUDY
@click.argument("name")
@click.option("--context", required=True, help="What all of them know: where they are, what is going on.")
@click.option("--relationship", type=click.Choice(_KINDS), required=True, help="How they stand to each other.")
@click.option(
    "--goal", "goals", multiple=True, required=True, help="What one of them wants; again for each further one."
)
@click.option("--annotator", metavar="NAME", help="Who does it.")
@json_option
def add_scenario(
    study: Path,
    name: str,
    context: str,
    relationship: str,
    goals: tuple[str, ...],
    annotator: str | None,
    as_json: bool,
) -> None:
    """Write a scenario that can be played, with a goal for each who takes part.

    \b
    Example:
      greenroom episode add-scenario lab.greenroom lamp --context "At a flea market." --relationship stranger \\
        --goal "Sell the lamp for 40." --goal "Pay 30 at most."
    """
    from app.core.commands.episodes import save_scenario
    from project.episodes import Relationship, Scenario

    with Session.open(study, annotator) as session:
        made, _ = save_scenario(session, Scenario("", name, context, Relationship(relationship), goals))
    tell(as_json, {"id": made}, f"Added the scenario {name}.")
