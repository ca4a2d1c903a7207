"""Puts an episode together from a scenario, characters and players."""

from collections.abc import Sequence

from app.core.episodes.casting import Seat
from app.core.episodes.starting import Wanted, next_seed
from app.core.session import Session
from project.episodes import MOST_TURNS, Character, Episode, EpisodeSource, Player, Scenario
from project.errors import UserError
from project.queries.episodes import all_characters, all_scenarios


def scenario_called(session: Session, name: str) -> Scenario:
    """Return the scenario of a name or id.

    Raises:
        UserError: there is none, or several.
    """
    known = all_scenarios(session.study)
    found = [one for one in known if name in (one.id, one.name)]
    if len(found) > 1:
        raise UserError(f"There are {len(found)} scenarios called “{name}”.", f"Name it by its id: {found[0].id}")
    if not found:
        listed = ", ".join(one.name for one in known[:8]) or "none yet"
        raise UserError(f"There is no scenario “{name}”.", f"In this study: {listed}.")
    return found[0]


def character_called(session: Session, name: str) -> Character:
    """Return the character of a name or id.

    Raises:
        UserError: there is none, or several.
    """
    known = all_characters(session.study)
    found = [one for one in known if name in (one.id, one.profile.name)]
    if len(found) > 1:
        raise UserError(f"There are {len(found)} characters called “{name}”.", f"Name it by its id: {found[0].id}")
    if not found:
        listed = ", ".join(one.profile.name for one in known[:8]) or "none yet"
        raise UserError(f"There is no character “{name}”.", f"In this study: {listed}.")
    return found[0]


def composed(
    session: Session,
    scenario: Scenario,
    characters: Sequence[Character],
    judges: Sequence[str],
    *,
    limit: int = MOST_TURNS,
    agreed: bool = False,
    seed: int | None = None,
) -> Wanted:
    """Return an episode to be started.

    Args:
        session: of the study.
        scenario: what is played; one goal for each character.
        characters: who takes part, in the order in which they act.
        judges: id of the judge who plays each; "" for a person.
        limit: turns.
        agreed: whoever types agreed that judges are sent it.
        seed: of what judges say; that of the next episode where None.

    Raises:
        UserError: the numbers of goals, characters and players differ.
    """
    if not len(scenario.goals) == len(characters) == len(judges):
        raise UserError(
            f"The scenario {scenario.name} is for {len(scenario.goals)}, and {len(characters)} take part.",
            "Choose a character, and who plays it, for each goal.",
        )
    seats = tuple(
        Seat(one.profile, goal, Player.JUDGE if judge else Player.PERSON, judge)
        for one, goal, judge in zip(characters, scenario.goals, judges, strict=True)
    )
    episode = Episode(
        *("", scenario.context, scenario.relationship, EpisodeSource.PLAYED, limit),
        seed=next_seed(session) if seed is None else seed,
    )
    return Wanted(scenario.name, seats, episode, agreed=agreed)
