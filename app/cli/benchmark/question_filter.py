"""The command that hardens and filters questions step by step, and the one that shows how well judges answer them."""

from collections.abc import Sequence
from typing import Any

import click

from annotate.agreement.figure_intervals import StatisticResult
from app.cli.benchmark.judge_ask import JUDGES, budget_options
from app.cli.command import command, option
from app.cli.console import Output, aligned, progress_bar
from benchmark.judging.ask_run import RunOutcome, refusal_error
from benchmark.judging.run_budget import Limits
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
from benchmark.questions.question_measures import (
    JudgeMeasures,
    Measures,
    QuestionFigure,
    compute_measures,
    read_measures_input,
)
from project.codec import dump
from project.entities.judgments import RAW_CONDITION, JudgeEntry
from project.errors import UserError
from project.session.jobs import run_inline
from project.session.session import Session
from project.text_format import format_percent, pluralize

_KINDS = {"MSE": "mse", "EU": "eu", "CW": "cw", "CH/W": "chw"}
"""Kind of question -> its name in published tables."""
_SHOWN_MODELS = ("Chance", "Human", "GPT-4o", "Gemini 1.5 Pro (frames)", "Video-LLaVA")
_NAME_WIDTH = 42


@command()
def consistency(
    session: Session,
    judges: tuple[str, ...] = JUDGES,
    everything: bool = option("Also questions that nobody verified yet.", "--all"),
    samples: int = option("Of the bootstrap.", default=1000, type=click.IntRange(0, 10_000)),
    seed: int = option("Of the bootstrap.", default=0, type=click.IntRange(0)),
) -> Output:
    """Say how well judges answer questions, and understand chains.

    A chain counts as understood when all questions about its nodes and subchains are answered right. Only verified
    questions count, unless --all is given. Nothing is written.

    \b
    Example:
      greenroom question consistency my-study.greenroom
      greenroom question consistency my-study.greenroom --judge gpt --all --json
    """
    found = compute_measures(read_measures_input(session), judges, everything=everything, samples=samples, seed=seed)
    asked = {judge.setup.judge for judge in found.judges} | {judge.setup.judge_id for judge in found.judges}
    if missing := [judge for judge in judges if judge not in asked]:
        raise UserError(f"“{missing[0]}” was not asked about these questions.", "Ask first: greenroom question ask")
    return Output(found.as_json(), _measures_lines(found))


def _measures_lines(found: Measures) -> list[str]:
    lines = [_count_text(found)]
    if not found.judges:
        lines.append("No judge was asked about these questions yet.")
        return lines
    published = (row for row in found.published if row.table == 3 and row.model in _SHOWN_MODELS and _is_r3_row(row))
    rows = [*map(_judge_row, found.judges), *map(_published_row, published)]
    lines += aligned(rows, "", *_KINDS, "all", "chains", "subchains", " ")
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


def _judge_row(judge_measures: JudgeMeasures) -> list[str]:
    setup = judge_measures.setup
    figures = [judge_measures.by_kind.get(kind) for kind in _KINDS]
    figures += [judge_measures.overall, judge_measures.chain, judge_measures.subchain]
    apart = [
        f"{number} {what}"
        for number, what in ((judge_measures.unparsed, "unreadable"), (judge_measures.refused, "refused"))
        if number
    ]
    if missing := judge_measures.chain.more.get("missing"):
        apart.append(f"{missing} of their chains not asked")
    name = f"{setup.name}, {setup.setting}, {setup.modality.value}"
    return [name, *map(_percent_text, figures), ", ".join(apart) or " "]


def _published_row(row: PublishedTableRow) -> list[str]:
    figures = [row.figures.get(text) for text in (*_KINDS.values(), "overall", "chain", "subchain")]
    shares = ["-" if figure is None else f"{figure:.1f}" for figure in figures]
    return [f"R3-VQA: {row.model}, {row.setting}", *shares, " "]


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

    def as_json(self) -> dict[str, Any]:
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
            lines.append(f"{told} got harder wrong options; one undo takes that back: greenroom study undo STUDY")
        for key, why in [*self._refused.items()][:MAX_LISTED]:
            lines.append(f"  not taken over  {key}  {why}")
        before = f", {self._cached + self._there} from before" if self._cached + self._there else ""
        return [*lines, f"{self._outcome.as_text()}{before}."]


_STEPS = ", ".join(STEPS)


@command(
    edits=("judges", "settings", "harden", "drop"),
    annotator=option("Annotator; by default the name in the settings."),
)
def filter_questions(
    session: Session,
    steps: tuple[str, ...] = option(f"A step: {_STEPS}. By default all.", "--step", metavar="KEY"),
    judges: tuple[str, ...] = option("A judge to ask what is missing.", "--judge", metavar="NAME"),
    settings: tuple[str, ...] = option(
        "A limit of this study, such as difficulty=2, or another part: options-only.runs=3, truth.several=mean, "
        "truth.judges=a+b (or all).",
        "--set",
        metavar="STEP=LIMIT",
    ),
    harden: bool = option("Ask for harder wrong options too, and take over those that can be used."),
    drop: bool | None = option(
        "From now on leave out of verification and export what these steps do not keep, or nothing at all.",
        "--drop/--no-drop",
    ),
    condition: str = option("What is shown: raw, or a rendering.", default="raw"),
    retry: bool = option("Ask again what was refused or could not be read."),
    budget: Limits = budget_options("each run"),
) -> Output:
    """Harden and filter questions step by step; shows how many survive each step and why the others fell.

    Without --judge nothing is asked: what the study has been told is counted. With it, each step asks about what
    reaches it and has no answer of that judge yet. A question without an answer that can be counted is open, and
    goes no further. Nothing is deleted: --drop says that the steps decide what is verified and exported.

    \b
    Example:
      greenroom question filter my-study.greenroom
      greenroom question filter my-study.greenroom --step difficulty --judge gpt --judge gemini --set difficulty=2
      greenroom question filter my-study.greenroom --judge gpt --harden --drop
    """
    from benchmark.authoring import question_requests
    from benchmark.judging.judge_registry import get_judge
    from benchmark.questions.filter_rules import read_rules

    chosen = [key for key in STEPS if not steps or key in {get_step(step).key for step in steps}]
    if settings:
        rules = read_rules(session.study)
        for setting in settings:
            key, rules[key] = question_requests.parse_rule(session, setting, rules)
        question_requests.set_rules(session, rules)
    entries = [get_judge(session, name) for name in dict.fromkeys(judges)]
    if harden and not entries:
        raise UserError("Harder wrong options need a judge.", "Give one: --judge NAME")
    run = FilterRun(session, entries, condition, budget, retry)
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
    return Output({**_funnel_json(reading, found), **run.as_json()}, [*_funnel_lines(reading, found), *run.lines()])


def _funnel_json(reading: FunnelInput, found: Funnel) -> dict[str, Any]:
    return {
        "questions": len(found.questions),
        "steps": [step.as_json() for step in found.steps],
        "survive": found.survivors,
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
