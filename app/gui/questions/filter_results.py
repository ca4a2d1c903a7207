"""The question funnel of a study, and the texts that the filter window shows of it."""

from dataclasses import dataclass

from app.gui.questions.filter_views import FunnelBar, VerdictRow
from benchmark.questions.filter_funnel import (
    Funnel,
    FunnelStage,
    build_funnel,
    deciding_steps,
    final_survivors,
    format_rule,
    newest_proposals,
)
from benchmark.questions.filter_outcomes import FunnelInput, drop_chance, read_funnel_input
from benchmark.questions.filter_rules import DISTRACTORS, STEPS, LimitSide
from project.progress import Progress
from project.session.session import Session
from project.text_format import format_percent
from resources.translation import tr, trn
from widgets.text_labels import escape_control_chars

RELEVANT_TABLES = frozenset({"question", "judgment", "property", "judge", "chain"})


@dataclass(frozen=True, eq=False)
class FunnelResult:
    """The funnel of a study.

    Attributes:
        deciding_steps: steps that decide what goes on.
        survivors: questions that go on to verification and export.
    """

    funnel_input: FunnelInput
    funnel: Funnel
    deciding_steps: tuple[str, ...]
    survivors: frozenset[str]


def compute_funnel(second: Session, _progress: Progress) -> FunnelResult:
    """Return every step of the funnel; in any thread."""
    reading = read_funnel_input(second)
    return FunnelResult(reading, build_funnel(reading), deciding_steps(reading), final_survivors(reading))


def compute_survivors(second: Session, _progress: Progress) -> frozenset[str]:
    """Return the questions that go on to verification and export; in any thread."""
    return final_survivors(read_funnel_input(second))


ALL, NOT_KEPT = "all", tr("not kept")
_MAX_CELL_CHARS = 400


def funnel_bars(found: FunnelResult) -> list[FunnelBar]:
    """Return the steps as bars."""
    bars = []
    for stage in found.funnel.steps:
        names = {score.judge_id: score.judge for fate in stage.outcomes.values() for score in fate.scores}
        options = min_options(found, stage)
        bars.append(
            FunnelBar(
                stage.key,
                stage.step.name,
                len(stage.outcomes),
                len(stage.kept),
                len(stage.dropped),
                len(stage.undecided),
                format_rule(stage.step, stage.rule, names, options).replace(", decides", ""),
                stage.step.description,
                stage.rule.decides,
                tr("{taken_over:,} taken over").format(taken_over=len(stage.with_proposed_options))
                if stage.key == DISTRACTORS
                else "",
            )
        )
    return bars


def survivors_text(found: FunnelResult) -> str:
    """Say how many survive, and how many go on."""
    total = len(found.funnel.questions)
    if not total:
        return tr("There are no questions yet. Make some first, in the mode Questions.")
    count = trn("{count} question", "{count} questions", total)
    if not found.deciding_steps:
        return tr("No filter decides yet: all {total:,} continue. {survivors:,} would pass every filter.").format(
            total=total, survivors=len(found.funnel.survivors)
        )
    survive = tr("{survivors:,} of {count} pass every filter.").format(
        survivors=len(found.funnel.survivors), count=count
    )
    every = [key for key, step in STEPS.items() if step.needs is not LimitSide.NO_LIMIT]
    names = ", ".join(STEPS[key].name.lower() for key in found.deciding_steps)
    by = tr("all steps decide") if [*found.deciding_steps] == every else tr("decided by: {names}").format(names=names)
    return tr("{survive} {going:,} go on to verification and export, as {by}.").format(
        survive=survive, going=len(found.survivors), by=by
    )


def step_description(found: FunnelResult, stage: FunnelStage) -> str:
    """Say what a step does, and of one that can be passed or failed by luck how likely that is."""
    options = min_options(found, stage)
    chance = drop_chance(stage.step, stage.rule, options)
    if chance is None:
        return stage.step.description
    told = tr("Of {count}, guessing alone would drop {chance} of the questions").format(
        count=trn("{count} option", "{count} options", options), chance=format_percent(chance, 0)
    )
    return tr("{description} {told}; more runs or judges drop fewer.").format(
        description=stage.step.description, told=told
    )


def min_options(found: FunnelResult, stage: FunnelStage) -> int:
    """Return the fewest options of the questions that reach a step; 0 where there is none."""
    return min((len(found.funnel_input.questions[key].wrong) + 1 for key in stage.entered), default=0)


def verdict_rows(found: FunnelResult, stage: FunnelStage, which: str) -> list[VerdictRow]:
    """Return the questions that reach a step: those that fell, then the open ones, then those that are kept.

    Args:
        found: what was computed.
        stage: the step.
        which: `ALL`, or a verdict, or `NOT_KEPT`.
    """
    rows = []
    for key, fate in stage.outcomes.items():
        verdict = fate.verdict.value
        if which not in (ALL, verdict) and not (which == NOT_KEPT and verdict != "kept"):
            continue
        question = found.funnel_input.questions[key]
        why = _proposal_text(found, stage, key) if stage.key == DISTRACTORS else fate.reason
        rows.append(
            VerdictRow(
                key,
                verdict,
                escape_control_chars(why, _MAX_CELL_CHARS),
                question.kind.value,
                escape_control_chars(question.text, _MAX_CELL_CHARS),
            )
        )
    order = {"fell": 0, "open": 1, "kept": 2}
    return sorted(rows, key=lambda row: order[row.verdict])


def _proposal_text(found: FunnelResult, stage: FunnelStage, question_id: str) -> str:
    if question_id in stage.with_proposed_options:
        return tr("has what a judge proposed")
    proposals = newest_proposals(found.funnel_input, found.funnel_input.questions[question_id])
    if not proposals:
        return tr("nothing proposed")
    return "; ".join(
        f"{proposal.judge}: {tr('cannot be used') if proposal.rejection_reason else 'proposed'}"
        for proposal in proposals
    )
