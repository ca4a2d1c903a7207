"""Commands about role-played episodes: import, play, show, rate and export them, with characters and scenarios."""

from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.benchmark.judge_ask import JUDGES, budget_options, run_ask_plan
from app.cli.command import EDIT, KEEP_REST, argument, command, given_options, option
from app.cli.console import UNSCRUBBED_NOTE, Output, record, table_lines
from benchmark.judging.run_budget import Limits
from project.entities.roleplay import PLAYED_RELATIONSHIPS, Profile, Relationship, Scenario
from project.entities.study_records import Recording
from project.queries.episode_rows import PROFILE_COLUMNS, all_characters, all_episodes, all_scenarios
from project.session.session import Session
from project.text_format import pluralize
from project.text_tables import EMPTY_CELL, Column, NumberFormat, table

if TYPE_CHECKING:
    from benchmark.episodes.episode_ratings import JudgeAgreement, RaterAgreement


@command(study=EDIT, annotator=option("Who does it.", metavar="NAME"))
def import_episodes(
    session: Session, files: tuple[Path, ...] = argument(required=True), keep_rest: bool = KEEP_REST
) -> Output:
    """Import files of SOTOPIA, told apart by their content.

    Episodes, agent, environment and relationship profiles, combinations of agents and environments, human scores.
    Scores become segments of the scheme sotopia-eval, by annotators of the raters' names. What other files refer to is
    imported first. What is in the study already is not imported again.

    \b
    Example:
      greenroom episode import my-study.greenroom agent_profiles.jsonl environment_profiles.jsonl
      greenroom episode import my-study.greenroom episodes.jsonl scores.csv
    """
    from benchmark.episodes.sotopia_files import import_file, sort_files

    lines: list[str] = []
    told: list[Any] = []
    for path in sort_files(files):
        found = import_file(session, path, keep_rest=keep_rest)
        told.append(
            {
                "file": path,
                "what": found.kind,
                "added": found.added,
                "known": found.existing,
                "unmatched": found.unmatched,
            }
        )
        parts = [f"{found.added} {found.kind} added"]
        parts += [f"{found.existing} here already"] if found.existing else []
        parts += [f"{found.unmatched} about what is not here"] if found.unmatched else []
        lines.append(f"{path.name}: {', '.join(parts)}.")
    return Output({"files": told}, lines)


@command()
def export(
    session: Session,
    out: Path = argument(),
    recordings: tuple[Recording, ...] = option("Number, file name or id of an episode; by default all.", "--recording"),
    ratings: bool = option("People's ratings as CSV in the place of the episodes."),
) -> Output:
    """Write episodes as SOTOPIA writes them, a JSON object a line, or people's ratings as CSV. Never hold-outs.

    \b
    Example:
      greenroom episode export my-study.greenroom episodes.jsonl
      greenroom episode export my-study.greenroom scores.csv --ratings
    """
    from benchmark.episodes.sotopia_files import write_episodes, write_scores

    ids = [owner.id for owner in recordings]
    count = (write_scores if ratings else write_episodes)(session, out, ids)
    what = pluralize(count, "rating" if ratings else "episode")
    return Output({"file": out, "count": count}, f"Wrote {what} to {out}. {UNSCRUBBED_NOTE}")


@command()
def list_episodes(session: Session) -> Output:
    """List the episodes of a study.

    \b
    Example:
      greenroom episode list my-study.greenroom
    """
    from benchmark.episodes.episode_ratings import blind_rater_reason
    from benchmark.episodes.episode_state import END_LABELS, read_episode_state, seen_end

    lines: list[str] = []
    told: list[Any] = []
    for episode in all_episodes(session.study):
        state, here = read_episode_state(session, episode.recording_id), session.recording(episode.recording_id)
        names = " and ".join(agent.profile.name for agent in state.agents)
        ended = seen_end(episode.ended, blind=bool(blind_rater_reason(session, here.id)))
        told.append(
            {
                "id": here.id,
                "number": here.number,
                "name": here.name,
                "source": episode.source.value,
                "agents": [agent.profile.name for agent in state.agents],
                "turns": state.turn_count,
                "ended": ended.value,
                "relationship": episode.relationship.value,
                "reference": episode.reference,
            }
        )
        facts = f"{episode.source.value}, {pluralize(state.turn_count, 'turn')}, {END_LABELS[ended]}"
        lines.append(f"{here.number}  {here.name}: {names}, {facts}")
    return Output({"episodes": told}, [*lines, f"{pluralize(len(lines), 'episode')}."])


@command(annotator=option("Annotator who reads it; by default the name in the settings.", metavar="NAME"))
def show(session: Session, recording: Recording = argument()) -> Output:
    """Show an episode: who takes part, what each wants and hides, what was done, and how it was rated.

    Who played and what others gave is hidden from an annotator who has not rated everybody in it, as long as judges
    are hidden: greenroom judge blind.

    \b
    Example:
      greenroom episode show my-study.greenroom 3
    """
    from benchmark.episodes.episode_ratings import blind_rater_reason, mean_scores, read_ratings
    from benchmark.episodes.episode_state import END_LABELS, failed_turns, format_turns, read_episode_state, seen_end
    from benchmark.metrics.published_figures import overall_score

    state = read_episode_state(session, recording.id)
    turns = format_turns(session, state)
    blind = blind_rater_reason(session, recording.id)
    failed = set() if blind else failed_turns(session, state)
    ratings = [] if blind else read_ratings(session, recording.id)
    ended = seen_end(state.episode.ended, blind=bool(blind))
    agents: list[Any] = []
    lines = [f"{recording.number}  {recording.name} ({state.episode.relationship.value})", state.episode.context, ""]
    for agent in state.agents:
        mean = mean_scores(ratings, agent.participant_id or "")
        agents.append(
            {key: getattr(agent.profile, key) for key in PROFILE_COLUMNS}
            | {"goal": agent.goal, "player": "" if blind else agent.player.value}
            | {"scores": mean, "overall": overall_score({**mean})}
        )
        lines.append(agent.profile.name if blind else f"{agent.profile.name}, played by a {agent.player.value}")
        lines += [f"  wants: {agent.goal}"] if agent.goal else []
        lines += [f"  hides: {agent.profile.secret}"] if agent.profile.secret else []
        lines += [f"  rated: {', '.join(f'{key} {value:g}' for key, value in mean.items())}"] if mean else []
    lines += [
        "",
        *turns,
        "",
        f"{pluralize(state.turn_count, 'turn')}, {END_LABELS[ended]}.",
        *([blind] if blind else []),
    ]
    if failed:
        lines.append(f"{pluralize(len(failed), 'turn')} could not be had from a judge.")
    listed = [
        {
            "number": episode_turn.number,
            "agent": episode_turn.agent.profile.name if episode_turn.agent else None,
            "act": episode_turn.turn.act.value,
            "text": episode_turn.turn.text,
            "failed": episode_turn.number in failed,
        }
        for episode_turn in state.played_turns
    ]
    told = {
        "id": recording.id,
        "number": recording.number,
        "context": state.episode.context,
        "relationship": state.episode.relationship.value,
        "ended": ended.value,
        "hidden": blind,
        "agents": agents,
        "turns": listed,
    }
    return Output(told, lines)


@command(study=EDIT)
def rate(
    session: Session,
    recordings: tuple[Recording, ...] = argument(),
    judges: tuple[str, ...] = JUDGES,
    budget: Limits = budget_options("the run"),
    fresh: bool = option("Ask again also what was answered."),
) -> Output:
    """Ask judges to rate everybody in the episodes that are named, or in all that are over, on seven dimensions.

    Set a judge's temperature to 0 for that, as SOTOPIA does. People rate in the window, or with greenroom segment add
    under the scheme sotopia-eval.

    \b
    Example:
      greenroom episode rate my-study.greenroom --judge gpt
    """
    from benchmark.episodes.episode_runs import prepare_ratings
    from benchmark.judging.judge_registry import get_judges

    ids = [owner.id for owner in recordings]
    asking = prepare_ratings(session, get_judges(session, judges), ids, budget, fresh=fresh)
    came = run_ask_plan(session, asking)
    came.require_answers()
    return Output(came.as_json(), came.lines())


_PEOPLE_COLUMNS: "tuple[Column[RaterAgreement], ...]" = (
    Column("dimension", "people", NumberFormat.TEXT, lambda found: found.dimension),
    Column("rated", "rated", NumberFormat.COUNT, lambda found: found.rated),
    Column("kappa", "kappa", NumberFormat.FIGURE, lambda found: found.kappa),
    Column("agreement", "agreement", NumberFormat.FIGURE, lambda found: found.agreement),
    Column("r", "r", NumberFormat.FIGURE, lambda found: found.pearson),
)
_JUDGE_COLUMNS: "tuple[Column[JudgeAgreement], ...]" = (
    Column("judge", "people and a judge", NumberFormat.TEXT, lambda found: f"{found.judge}, {found.dimension}"),
    Column("rated", "rated", NumberFormat.COUNT, lambda found: found.rated),
    Column("r", "r", NumberFormat.FIGURE, lambda found: found.pearson),
    Column("mae", "MAE", NumberFormat.FIGURE, lambda found: found.mae),
)


@command()
def figures(session: Session) -> Output:
    """Say how well people agree on the episodes, and judges with them, by dimension.

    Kappa is Randolph's on five bins; agreement is the share of pairs at most two points apart; r is Pearson's.

    \b
    Example:
      greenroom episode figures my-study.greenroom
    """
    from benchmark.episodes.episode_ratings import compute_agreement

    found = compute_agreement(session)
    lines = table_lines(table(found.people, _PEOPLE_COLUMNS), headings=True)
    if found.judges:
        lines += table_lines(table(found.judges, _JUDGE_COLUMNS), headings=True)
    lines.append(f"{EMPTY_CELL} means: undefined, because nothing varies or too little was rated.")
    return Output(record(found), lines)


@command()
def characters(session: Session) -> Output:
    """List the characters that can be played.

    \b
    Example:
      greenroom episode characters my-study.greenroom
    """
    found = all_characters(session.study)
    told = [
        {"id": character.id, **record(character.profile), "bonds": [astuple(bond) for bond in character.bonds]}
        for character in found
    ]
    lines = [
        ", ".join(
            part for part in (character.profile.name, character.profile.age, character.profile.occupation) if part
        )
        for character in found
    ]
    return Output({"characters": told}, [*lines, f"{pluralize(len(found), 'character')}."])


_PROFILE_TEXTS = given_options(
    "Texts of the profile",
    age=(str | None, option("How old they are.")),
    occupation=(str | None, option("What they do for a living.")),
    pronouns=(str | None, option("Such as she/her.")),
    personality=(str | None, option("How they are.")),
    personal_values=(str | None, option("What matters to them.")),
    decision_style=(str | None, option("How they decide.")),
    public_info=(str | None, option("What anybody who knows them knows.")),
    secret=(str | None, option("What nobody else is to know.")),
)


@command(study=EDIT, annotator=option("Who does it.", metavar="NAME"))
def add_character(
    session: Session,
    name: str = argument(),
    texts: dict[str, str] = _PROFILE_TEXTS,
) -> Output:
    """Write a character that can be played.

    \b
    Example:
      greenroom episode add-character my-study.greenroom "Anna Berg" --occupation Baker --secret "The lamp is stolen."
    """
    from benchmark.episodes.episode_setup import save_character

    made, _ = save_character(session, Profile(name, **texts))
    return Output({"id": made}, f"Added the character {name}.")


@command()
def scenarios(session: Session) -> Output:
    """List the scenarios that can be played.

    \b
    Example:
      greenroom episode scenarios my-study.greenroom
    """
    found = all_scenarios(session.study)
    told = [record(scenario, "reference") for scenario in found]
    lines = [
        f"{scenario.name} ({scenario.relationship.value}, {len(scenario.goals)}, "
        f"{pluralize(len(scenario.casts), 'cast')}): {scenario.context}"
        for scenario in found
    ]
    return Output({"scenarios": told}, [*lines, f"{pluralize(len(found), 'scenario')}."])


@command(study=EDIT, annotator=option("Who does it.", metavar="NAME"))
def add_scenario(
    session: Session,
    name: str = argument(),
    context: str = option("What all of them know: where they are, what is going on."),
    relationship: Relationship = option("How they stand to each other.", choices=PLAYED_RELATIONSHIPS),
    goals: tuple[str, ...] = option("What one of them wants.", "--goal", required=True),
) -> Output:
    """Write a scenario that can be played, with a goal for each who takes part.

    \b
    Example:
      greenroom episode add-scenario lab.greenroom lamp --context "At a flea market." --relationship stranger \\
        --goal "Sell the lamp for 40." --goal "Pay 30 at most."
    """
    from benchmark.episodes.episode_setup import save_scenario

    made, _ = save_scenario(session, Scenario("", name, context, relationship, goals))
    return Output({"id": made}, f"Added the scenario {name}.")
