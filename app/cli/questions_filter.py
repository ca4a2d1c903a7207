"""The command that hardens questions and filters them, step by step."""

from pathlib import Path

import click

from app.cli.filter_run import SHOWN, FilterRun
from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.judging.runs.budget import Limits
from app.core.questions.hardening.funnel import Funnel, Stage, deciding, funnel_of, survivors_of
from app.core.questions.hardening.reading import Reading, read
from app.core.questions.hardening.steps import DISTRACTORS, STEPS, Needs, step_called
from app.core.session import Session
from project.counted import counted
from project.errors import UserError
from project.types import Json

_STEPS = ", ".join(STEPS)


@click.command("filter")
@STUDY
@click.option(
    "--step", "steps", multiple=True, metavar="KEY", help=f"A step; again for each further one: {_STEPS}. All if none."
)
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="A judge to ask what is missing; again for more."
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="STEP=LIMIT",
    help="A limit of this study, such as difficulty=2, or another part: options-only.runs=3, truth.several=mean, "
    "truth.judges=a+b (or all).",
)
@click.option("--harden", is_flag=True, help="Ask for harder wrong options too, and take over those that can be used.")
@click.option(
    "--drop/--no-drop",
    default=None,
    help="From now on leave out of verification and export what these steps do not keep, or nothing at all.",
)
@click.option("--condition", default="raw", show_default=True, help="What is shown: raw, or a rendering.")
@click.option("--again", is_flag=True, help="Ask again what was refused or could not be read.")
@click.option("--budget-money", type=click.FloatRange(0), help="What each run may cost, in the judges' currency.")
@click.option("--budget-tokens", type=click.IntRange(0), help="Tokens that each run may take.")
@click.option("--annotator", help="Who does it; the name in the settings when not given.")
@json_option
def filter_questions(
    study: Path,
    steps: tuple[str, ...],
    judges: tuple[str, ...],
    settings: tuple[str, ...],
    harden: bool,
    drop: bool | None,
    condition: str,
    again: bool,
    budget_money: float | None,
    budget_tokens: int | None,
    annotator: str | None,
    as_json: bool,
) -> None:
    """Harden and filter questions step by step; shows how many survive each step and why the others fell.

    Without --judge nothing is asked: what the study has been told is counted. With it, each step asks about what
    reaches it and has no answer of that judge yet. A question without an answer that can be counted is open, and
    goes no further. Nothing is deleted: --drop says that the steps decide what is verified and exported.

    \b
    Example:
      greenroom questions filter my-study.greenroom
      greenroom questions filter my-study.greenroom --step difficulty --judge gpt --judge gemini --set difficulty=2
      greenroom questions filter my-study.greenroom --judge gpt --harden --drop
    """
    from app.core.commands import thresholds
    from app.core.judging.judges.entries import judge_called
    from app.core.questions.hardening.rules import rules_of

    chosen = [key for key in STEPS if not steps or key in {step_called(one).key for one in steps}]
    changes = bool(judges or settings or harden or drop is not None)
    with Session.open(study, annotator, read_only=not changes) as session:
        if settings:
            rules = rules_of(session.study)
            for one in settings:
                key, rules[key] = thresholds.rule_from(session, one, rules)
            thresholds.set_rules(session, rules)
        entries = [judge_called(session, one) for one in dict.fromkeys(judges)]
        if harden and not entries:
            raise UserError("Harder wrong options need a judge.", "Name one: --judge NAME")
        run = FilterRun(session, entries, condition, Limits(budget_money, budget_tokens), again)
        for key in chosen if entries else ():
            if STEPS[key].task and (key != DISTRACTORS or harden or key in steps):
                run.step(key, chosen)
            if key == DISTRACTORS and harden:
                run.take_over(chosen)
        if drop is not None:
            deciders = [key for key in chosen if STEPS[key].needs is not Needs.NOTHING] if drop else []
            thresholds.decide_by(session, deciders)
        reading = read(session)
    if entries:
        run.require_something()
    found = funnel_of(reading, (), chosen)
    tell(as_json, {**_as_json(reading, found), **run.as_json()}, "\n".join([*_lines(reading, found), *run.lines()]))


def _as_json(reading: Reading, found: Funnel) -> dict[str, Json]:
    return {
        "questions": len(found.questions),
        "steps": [one.as_json() for one in found.steps],
        "survive": [*found.survivors],
        "deciding": [*deciding(reading)],
        "go_on": len(survivors_of(reading)),
    }


def _lines(reading: Reading, found: Funnel) -> list[str]:
    lines = [f"{'':22}{'in':>7}{'kept':>7}{'fell':>7}{'open':>7}  kept where"]
    for stage in found.steps:
        cells = (len(stage.entered), len(stage.kept), len(stage.fallen), len(stage.open))
        lines.append(f"{stage.step.name:22}{''.join(f'{one:7}' for one in cells)}  {_rule(reading, stage)}")
        for word, keys in (("fell", stage.fallen), ("open", stage.open)):
            lines += [f"    {word}  {key}  {why}" for key, why in [*keys.items()][:SHOWN]]
            if len(keys) > SHOWN:
                lines.append(f"    {word}  and {len(keys) - SHOWN} more (all: --json)")
    steps = deciding(reading)
    lines.append(f"{len(found.survivors)} of {counted(len(found.questions), 'question')} survive.")
    if steps:
        told = f"{len(survivors_of(reading))} go on to verification and export, as decided by {', '.join(steps)}."
    else:
        told = "No step decides yet, so all go on to verification and export; --drop changes that."
    return [*lines, told]


def _rule(reading: Reading, stage: Stage) -> str:
    from app.core.questions.hardening.words import rule_in_words

    if stage.key == DISTRACTORS:
        return f"drops none; {len(stage.taken_over)} have options that a judge proposed"
    names = {one.judge_id: one.judge for fate in stage.fates.values() for one in fate.scores}
    options = [len(reading.questions[key].wrong) + 1 for key in stage.entered]
    return rule_in_words(stage.step, stage.rule, names, min(options, default=0))
