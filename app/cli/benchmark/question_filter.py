"""The command that hardens and filters questions step by step, and the one that shows how well judges answer them."""

from collections.abc import Sequence
from pathlib import Path

import click

from annotate.agreement.figure_intervals import StatisticResult
from app.cli.command import STUDY, json_option, print_result, progress_bar
from benchmark.judging.run_budget import Limits
from benchmark.judging.run_outcome import RunOutcome, refusal_error
from benchmark.metrics.published_figures import PublishedTableRow
from benchmark.questions.chain_consistency import ACCURACY, BIAS, FIGURE_NAMES
from benchmark.questions.filter_funnel import (
    Funnel,
    FunnelStage,
    apply_newest_proposals,
    build_funnel,
    deciding_steps,
    final_survivors,
)
from benchmark.questions.filter_outcomes import FunnelInput, read_funnel_input
from benchmark.questions.filter_rules import DISTRACTORS, STEPS, LimitSide, get_step
from benchmark.questions.question_measures import JudgeMeasures, Measures, QuestionFigure, measure_judges
from project.codec import dump
from project.entities.judgments import RAW_CONDITION, JudgeEntry
from project.entities.study_records import Json
from project.errors import UserError
from project.session.jobs import run_inline
from project.session.session import Session
from project.text_format import format_percent, pluralize

_KINDS = {"MSE": "mse", "EU": "eu", "CW": "cw", "CH/W": "chw"}
"""Kind of question -> its name in published tables."""
_SHOWN_MODELS = ("Chance", "Human", "GPT-4o", "Gemini 1.5 Pro (frames)", "Video-LLaVA")
_NAME_WIDTH = 42


@click.command()
@STUDY
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="A judge; again for each further one; all when not given."
)
@click.option("--all", "everything", is_flag=True, help="Also questions that nobody verified yet.")
@click.option("--samples", default=1000, show_default=True, type=click.IntRange(0, 10_000), help="Of the bootstrap.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of the bootstrap.")
@json_option
def consistency(study: Path, judges: tuple[str, ...], everything: bool, samples: int, seed: int, as_json: bool) -> None:
    """Say how well judges answer questions, and understand chains.

    A chain counts as understood when all questions about its nodes and subchains are answered right. Only verified
    questions count, unless --all is given. Nothing is written.

    \b
    Example:
      greenroom consistency my-study.greenroom
      greenroom consistency my-study.greenroom --judge gpt --all --json
    """
    with Session.open(study, read_only=True) as session:
        found = measure_judges(session, judges, everything=everything, samples=samples, seed=seed)
    asked = {judge.setup.judge for judge in found.judges} | {judge.setup.judge_id for judge in found.judges}
    if missing := [judge for judge in judges if judge not in asked]:
        raise UserError(f"“{missing[0]}” was not asked about these questions.", "Ask first: greenroom questions ask")
    print_result(as_json, found.as_json(), "\n".join(_measures_lines(found)))


def _measures_lines(found: Measures) -> list[str]:
    lines = [_count_text(found)]
    if not found.judges:
        lines.append("No judge was asked about these questions yet.")
        return lines
    lines.append(_heading())
    lines += [_judge_line(judge) for judge in found.judges]
    lines.append("Beside what R3-VQA reports:")
    lines += [
        _published_line(row)
        for row in found.published
        if row.table == 3 and row.model in _SHOWN_MODELS and _is_r3_row(row)
    ]
    lines.append("What the questions are like, by kind, judge and setting, beside table 3 of ESI-Bench:")
    lines += [_figure_line(question_figure) for question_figure in found.diagnostics]
    return [*lines, *found.departures]


def _figure_line(question_figure: QuestionFigure) -> str:
    result, name, setup = question_figure.result, question_figure.figure, question_figure.setup
    share = name in (BIAS, ACCURACY)
    value = "-" if result.value is None else format_percent(result.value) if share else f"{result.value:.2f}"
    beside = question_figure.published
    parts = [question_figure.kind.value, setup.name, setup.variant, setup.modality.value]
    parts += [setup.condition] if setup.condition != RAW_CONDITION else []
    parts += [f"seed {setup.seed}"] if setup.seed else []
    there = "" if beside is None else f"   there {beside.figures[name]:.2f}"
    return f"  {FIGURE_NAMES[name]:<{_NAME_WIDTH}} {value:>7}{there}   {', '.join(parts)}, n {result.n}"


def _count_text(found: Measures) -> str:
    said = f"{pluralize(found.questions, 'question')} of {pluralize(len(found.sizes[0]), 'chain')}"
    if found.everything and found.unverified:
        said += f"; {found.unverified:,} of them are not verified"
    elif found.unverified:
        said += f"; {found.unverified:,} that are not verified do not count: --all counts them too"
    if found.dropped:
        said += f"; {found.dropped:,} that were dropped do not count"
    if found.stale:
        said += f"; {found.stale:,} are older than their chain and do not count"
    return said


def _heading() -> str:
    columns = [*_KINDS, "all", "chains", "subchains"]
    return f"{'':<{_NAME_WIDTH}}" + "".join(f"{column:>11}" for column in columns)


def _judge_line(judge_measures: JudgeMeasures) -> str:
    told = judge_measures.setup
    name = f"{told.name}, {told.setting}, {told.modality.value}"
    figures = [judge_measures.by_kind.get(kind) for kind in _KINDS]
    shares = "".join(
        f"{_percent_text(figure):>11}"
        for figure in (*figures, judge_measures.overall, judge_measures.chain, judge_measures.subchain)
    )
    apart = [
        f"{number} {what}"
        for number, what in ((judge_measures.unparsed, "unreadable"), (judge_measures.refused, "refused"))
        if number
    ]
    if missing := judge_measures.chain.more.get("missing"):
        apart.append(f"{missing} of their chains not asked")
    return f"{name[:_NAME_WIDTH]:<{_NAME_WIDTH}}{shares}" + (f"   {', '.join(apart)}" if apart else "")


def _published_line(row: PublishedTableRow) -> str:
    figures = [row.figures.get(text) for text in (*_KINDS.values(), "overall", "chain", "subchain")]
    shares = "".join(f"{'-' if figure is None else f'{figure:.1f}':>11}" for figure in figures)
    return f"{f'  {row.model}, {row.setting}'[:_NAME_WIDTH]:<{_NAME_WIDTH}}{shares}"


def _is_r3_row(row: PublishedTableRow) -> bool:
    return "overall" in row.figures


def _percent_text(figure: StatisticResult | None) -> str:
    return "-" if figure is None or figure.value is None else f"{100 * figure.value:.1f}"


MAX_LISTED = 5
"""How many questions of a step are listed with the reason; --json has all."""


class FilterRun:
    """Asks step by step and keeps the outcome of each step."""

    def __init__(
        self, session: Session, judges: Sequence[JudgeEntry], condition: str, budget: Limits, again: bool
    ) -> None:
        self._session, self._judges = session, judges
        self._condition, self._budget, self._again = condition, budget, again
        self._outcome = RunOutcome()
        self._left_out: dict[str, set[str]] = {}
        self._refused: dict[str, str] = {}
        self._cached = self._there = self._taken = 0

    def run_step(self, key: str, steps: Sequence[str], about: Sequence[str] = ()) -> None:
        """Ask what a step needs about the questions that reach it, or about the given ones."""
        from benchmark.authoring.question_requests import plan_step_requests, questions_reaching
        from benchmark.judging.ask_job import prepare

        reading = read_funnel_input(self._session)
        found = plan_step_requests(
            reading,
            key,
            self._judges,
            {*(about or questions_reaching(reading, key, steps))},
            condition=self._condition,
            budget=self._budget,
            again=self._again,
        )
        self._there += found.answered_count
        for why, keys in found.left_out.items():
            self._left_out.setdefault(why, set()).update(keys)
        for request in found.requests:
            title = STEPS[key].name
            with progress_bar(title) as bar:
                asking = prepare(self._session, request, bar)
                self._outcome.add(RunOutcome(notes=[*asking.notes]))
                self._cached += len(asking.cached)
                if asking.job is not None:
                    came, _ = run_inline(self._session, asking.job, bar)
                    self._outcome.add(came)
                    self._outcome.seconds += came.seconds

    def apply_options(self, steps: Sequence[str]) -> None:
        """Apply harder options, and repeat the earlier steps for the questions that have them now."""
        from benchmark.authoring.question_requests import questions_reaching

        reading = read_funnel_input(self._session)
        reach = questions_reaching(reading, DISTRACTORS, steps)
        done = build_funnel(reading, reach, [DISTRACTORS]).stage(DISTRACTORS).with_proposed_options
        open_ = [key for key in reach if key not in done]
        changes, self._refused = apply_newest_proposals(self._session, reading, open_)
        changed = sorted(changes.ids("question"))
        self._taken = len(changed)
        for key in steps:
            if key == DISTRACTORS or not changed:
                break
            if STEPS[key].task:
                self.run_step(key, steps, changed)

    def require_answers(self) -> None:
        """Raise an error if nothing was answered, now or before."""
        if not (self._there or self._cached or self._outcome.completed) and self._outcome.notes:
            raise refusal_error(self._outcome.notes)

    def as_json(self) -> dict[str, Json]:
        """Return the outcome as a JSON object."""
        return {
            "asked": dump(self._outcome),
            "cached": self._cached + self._there,
            "not_asked": {why: [*sorted(keys)] for why, keys in self._left_out.items()},
            "taken_over": self._taken,
            "not_taken_over": dict(self._refused),
        }

    def lines(self) -> list[str]:
        """Return the outcome as lines."""
        if not self._judges:
            return []
        lines = [note.as_text() for note in self._outcome.notes]
        lines += [f"{pluralize(len(keys), 'question')} not asked about: {why}" for why, keys in self._left_out.items()]
        if self._taken:
            told = pluralize(self._taken, "question")
            lines.append(f"{told} got harder wrong options; one undo takes that back: greenroom undo STUDY")
        for key, why in [*self._refused.items()][:MAX_LISTED]:
            lines.append(f"  not taken over  {key}  {why}")
        before = f", {self._cached + self._there} from before" if self._cached + self._there else ""
        return [*lines, f"{self._outcome.as_text()}{before}."]


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
    from benchmark.authoring import question_requests
    from benchmark.judging.judge_registry import get_judge
    from benchmark.questions.filter_rules import read_rules

    chosen = [key for key in STEPS if not steps or key in {get_step(step).key for step in steps}]
    changes = bool(judges or settings or harden or drop is not None)
    with Session.open(study, annotator, read_only=not changes) as session:
        if settings:
            rules = read_rules(session.study)
            for setting in settings:
                key, rules[key] = question_requests.parse_rule(session, setting, rules)
            question_requests.set_rules(session, rules)
        entries = [get_judge(session, name) for name in dict.fromkeys(judges)]
        if harden and not entries:
            raise UserError("Harder wrong options need a judge.", "Name one: --judge NAME")
        run = FilterRun(session, entries, condition, Limits(budget_money, budget_tokens), again)
        for key in chosen if entries else ():
            if STEPS[key].task and (key != DISTRACTORS or harden or key in steps):
                run.run_step(key, chosen)
            if key == DISTRACTORS and harden:
                run.apply_options(chosen)
        if drop is not None:
            deciders = [key for key in chosen if STEPS[key].needs is not LimitSide.NO_LIMIT] if drop else []
            question_requests.set_deciding_steps(session, deciders)
        reading = read_funnel_input(session)
    if entries:
        run.require_answers()
    found = build_funnel(reading, (), chosen)
    print_result(
        as_json,
        {**_funnel_json(reading, found), **run.as_json()},
        "\n".join([*_funnel_lines(reading, found), *run.lines()]),
    )


def _funnel_json(reading: FunnelInput, found: Funnel) -> dict[str, Json]:
    return {
        "questions": len(found.questions),
        "steps": [step.as_json() for step in found.steps],
        "survive": [*found.survivors],
        "deciding": [*deciding_steps(reading)],
        "go_on": len(final_survivors(reading)),
    }


def _funnel_lines(reading: FunnelInput, found: Funnel) -> list[str]:
    lines = [f"{'':22}{'in':>7}{'kept':>7}{'fell':>7}{'open':>7}  kept where"]
    for stage in found.steps:
        cells = (len(stage.entered), len(stage.kept), len(stage.dropped), len(stage.undecided))
        lines.append(f"{stage.step.name:22}{''.join(f'{cell:7}' for cell in cells)}  {_rule_text(reading, stage)}")
        for word, keys in (("fell", stage.dropped), ("open", stage.undecided)):
            lines += [f"    {word}  {key}  {why}" for key, why in [*keys.items()][:MAX_LISTED]]
            if len(keys) > MAX_LISTED:
                lines.append(f"    {word}  and {len(keys) - MAX_LISTED} more (all: --json)")
    steps = deciding_steps(reading)
    lines.append(f"{len(found.survivors)} of {pluralize(len(found.questions), 'question')} survive.")
    if steps:
        told = f"{len(final_survivors(reading))} go on to verification and export, as decided by {', '.join(steps)}."
    else:
        told = "No step decides yet, so all go on to verification and export; --drop changes that."
    return [*lines, told]


def _rule_text(reading: FunnelInput, stage: FunnelStage) -> str:
    from benchmark.questions.filter_funnel import format_rule

    if stage.key == DISTRACTORS:
        return f"drops none; {len(stage.with_proposed_options)} have options that a judge proposed"
    names = {score.judge_id: score.judge for fate in stage.outcomes.values() for score in fate.scores}
    options = [len(reading.questions[key].wrong) + 1 for key in stage.entered]
    return format_rule(stage.step, stage.rule, names, min(options, default=0))
