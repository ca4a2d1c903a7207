"""Which episodes there are, and what happens in one, on the command line."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.lookup import recording_called
from app.core.session import Session
from project.counted import counted
from project.types import Json


@click.command(name="list")
@STUDY
@json_option
def list_episodes(study: Path, as_json: bool) -> None:
    """List the episodes of a study.

    \b
    Example:
      greenroom episode list my-study.greenroom
    """
    from app.core.episodes.ending import ENDED
    from app.core.episodes.state import state_of
    from project.queries.episodes import all_episodes

    lines: list[str] = []
    told: list[Json] = []
    with Session.open(study, read_only=True) as session:
        for one in all_episodes(session.study):
            state, here = state_of(session, one.recording_id), session.recording(one.recording_id)
            names = " and ".join(agent.profile.name for agent in state.agents)
            told.append(
                {
                    "id": here.id,
                    "number": here.number,
                    "name": here.name,
                    "source": one.source.value,
                    "agents": [agent.profile.name for agent in state.agents],
                    "turns": state.turns,
                    "ended": one.ended.value,
                    "relationship": one.relationship.value,
                    "reference": one.reference,
                }
            )
            facts = f"{one.source.value}, {counted(state.turns, 'turn')}, {ENDED[one.ended]}"
            lines.append(f"{here.number}  {here.name}: {names}, {facts}")
    tell(as_json, {"episodes": told}, "\n".join([*lines, f"{counted(len(lines), 'episode')}."]))


@click.command()
@STUDY
@click.argument("recording")
@json_option
def show(study: Path, recording: str, as_json: bool) -> None:
    """Show an episode: who takes part, what each wants and hides, what was done, and how it was rated.

    \b
    Example:
      greenroom episode show my-study.greenroom 3
    """
    from app.core.episodes.ending import ENDED, failed_turns
    from app.core.episodes.ratings import mean_scores, ratings_of
    from app.core.episodes.state import state_of
    from app.core.episodes.telling import told_turns
    from benchmark.dimensions import overall
    from project.queries.episodes import NAMED

    with Session.open(study, read_only=True) as session:
        here = recording_called(session, recording)
        state = state_of(session, here.id)
        turns = told_turns(session, state)
        failed = failed_turns(session, state)
        ratings = ratings_of(session, here.id)
    agents: list[Json] = []
    lines = [f"{here.number}  {here.name} ({state.episode.relationship.value})", state.episode.context, ""]
    for one in state.agents:
        mean = mean_scores(ratings, one.participant_id or "")
        agents.append(
            {key: getattr(one.profile, key) for key in NAMED}
            | {"goal": one.goal, "player": one.player.value, "scores": {**mean}, "overall": overall({**mean})}
        )
        lines.append(f"{one.profile.name}, played by a {one.player.value}")
        lines += [f"  wants: {one.goal}"] if one.goal else []
        lines += [f"  hides: {one.profile.secret}"] if one.profile.secret else []
        lines += [f"  rated: {', '.join(f'{key} {value:g}' for key, value in mean.items())}"] if mean else []
    lines += ["", *turns, "", f"{counted(state.turns, 'turn')}, {ENDED[state.episode.ended]}."]
    if failed:
        lines.append(f"{counted(len(failed), 'turn')} could not be had from a judge.")
    listed: list[Json] = [
        {
            "number": one.number,
            "agent": one.agent.profile.name if one.agent else None,
            "act": one.turn.act.value,
            "text": one.turn.text,
            "failed": one.number in failed,
        }
        for one in state.done
    ]
    told: dict[str, Json] = {
        "id": here.id,
        "number": here.number,
        "context": state.episode.context,
        "relationship": state.episode.relationship.value,
        "ended": state.episode.ended.value,
        "agents": agents,
        "turns": listed,
    }
    tell(as_json, told, "\n".join(lines))
