"""Running the benchmark on the command line."""

from collections.abc import Iterable
from pathlib import Path

import click

from app.cli.output import json_option, progress_bar, tell
from app.cli.scheduler_option import scheduler_option
from app.cli.study import STUDY
from app.core.judging.runs.outcome import Note, refusal
from app.core.session import Session
from benchmark.tasks.base import VARIANTS
from project.counted import counted
from project.item_sets import ItemSet, Shown
from project.judging import RAW
from project.types import Json


@click.command()
@STUDY
@click.option("--task", "tasks", multiple=True, metavar="KEY", help="A task; again for each further one.")
@click.option("--set", "names", multiple=True, metavar="NAME", help="A set of items; again for each further one.")
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="A judge; again for each further one; all when not given."
)
@click.option("--draws", type=click.IntRange(1), help="Samples of a set that is made; as the task has when not given.")
@click.option("--seed", default=0, show_default=True, help="Of what is drawn into a set, and of the judges' sampling.")
@click.option(
    "--variant", default="plain", show_default=True, type=click.Choice(VARIANTS), help="How questions are put."
)
@click.option(
    "--shown",
    type=click.Choice([one.value for one in Shown]),
    help="Words, words and pictures, or pictures alone; what each judge sees when not given.",
)
@click.option(
    "--condition",
    "conditions",
    multiple=True,
    default=(RAW,),
    show_default=True,
    help="raw, or a rendering by its method; again for each further one.",
)
@click.option("--again", is_flag=True, help="Begin a new run that asks again what was refused or could not be read.")
@click.option("--fresh", is_flag=True, help="Begin a new run that asks everything again.")
@click.option("--budget-money", type=click.FloatRange(0), help="What all of it may cost, in the judges' currency.")
@click.option("--budget-tokens", type=click.IntRange(0), help="Tokens that all of it may take.")
@scheduler_option
@json_option
def run(
    study: Path,
    tasks: tuple[str, ...],
    names: tuple[str, ...],
    judges: tuple[str, ...],
    draws: int | None,
    seed: int,
    variant: str,
    shown: str | None,
    conditions: tuple[str, ...],
    again: bool,
    fresh: bool,
    budget_money: float | None,
    budget_tokens: int | None,
    scheduler: str,
    as_json: bool,
) -> None:
    """Ask judges all items of a task, and measure their answers.

    A task that has no set of items yet gets one. Each answer is in the study as soon as it is there; a run that was
    stopped goes on where it was when it is run again.

    \b
    Example:
      greenroom benchmark run my-study.greenroom --task verdict --judge gpt --judge random --draws 3 --seed 0
      greenroom benchmark run my-study.greenroom --set disputed --shown L --variant cot --json
      greenroom benchmark run my-study.greenroom --task conditions --condition raw --condition blur
    """
    from app.cli.benchmark_table import run_lines
    from app.core.benchmark.results.figures import figures_of
    from app.core.benchmark.running.running import run_benchmark
    from app.core.benchmark.running.sets import choose_sets
    from app.core.benchmark.running.wanted import Wanted
    from app.core.judging.judges.entries import judges_called
    from app.core.judging.runs.budget import Limits

    with Session.open(study) as session:
        session.study.require_writable()
        entries = judges_called(session, judges)
        chosen = choose_sets(session, tasks, names, seed=seed, draws=draws, conditions=conditions)
        wanted = Wanted(
            chosen.sets,
            entries,
            variant,
            Shown(shown) if shown else None,
            conditions,
            seed,
            Limits(budget_money, budget_tokens),
            again,
            fresh,
        )
        with progress_bar("Benchmark") as bar:
            ran = run_benchmark(session, wanted, bar, scheduler)
        if not ran.runs and ran.notes:
            raise refusal(ran.notes)
        found = figures_of(session, [one.id for one in ran.runs], [one.id for one in chosen.sets], parts=False)
        changed, standing = changed_sets(session, [one for one in chosen.sets if one.id not in chosen.made])
    if ran.notes and not any(one.counts.counted for one in found):
        raise refusal(ran.notes)
    results: list[Json] = [{**line, **one.spent.as_json()} for one in found for line in one.results()]
    sets: list[Json] = [_told(one, made=one.id in chosen.made) for one in chosen.sets]
    told: dict[str, Json] = {
        "results": results,
        "sets": sets,
        "changed": changed,
        "runs": [one.id for one in ran.runs],
        "taken_up": [*sorted(ran.taken_up)],
        "cached": ran.cached,
        **ran.outcome.as_json(),
        "notes": [_note(one) for one in ran.notes],
    }
    lines = [f"Made a set of items, {one.name}." for one in chosen.sets if one.id in chosen.made]
    lines += standing
    lines += [one.as_text() for one in ran.notes]
    said = [ran.outcome.as_text()] if ran.outcome.asked or ran.outcome.over_budget else []
    said += [f"{ran.cached:,} from before"] if ran.cached else []
    lines += [f"{', '.join(said)}."] if said else ["Everything was answered before."]
    tell(as_json, told, "\n".join([*lines, *run_lines(found)]))


def changed_sets(session: Session, sets: Iterable[ItemSet]) -> tuple[list[Json], list[str]]:
    """Return which sets were made from what is another by now, as JSON objects and in words."""
    from app.core.benchmark.sets.standing import changed_since

    told, lines = list[Json](), []
    for one in sets:
        if count := changed_since(session, one).count:
            told.append({"set": one.name, "sha256": one.sha256, "items": count})
            lines.append(
                f"{one.name}: the study says something else by now about {counted(count, 'item')}; "
                f"they are asked as they were frozen (set {one.sha256[:12]})."
            )
    return told, lines


def _note(one: Note) -> dict[str, Json]:
    return {"judge": one.judge, "message": one.message, "hint": one.hint, "rule": one.rule, "questions": len(one.about)}


def _told(one: ItemSet, *, made: bool) -> dict[str, Json]:
    return {"id": one.id, "name": one.name, "task": one.task, "sha256": one.sha256, "made": made}
