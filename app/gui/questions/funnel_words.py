"""What the window of the funnel says, from what was computed."""

from app.core.questions.hardening.funnel import Stage
from app.core.questions.hardening.proposals import proposals_for
from app.core.questions.hardening.steps import DISTRACTORS, STEPS
from app.core.questions.hardening.words import rule_in_words
from app.gui.questions.funnel_computing import Found
from project.counted import counted
from widgets.judges.plain_text import plainly
from widgets.questions.funnel import FunnelBar
from widgets.questions.verdicts_table import VerdictRow

ALL, NOT_KEPT = "all", "not kept"
_LONGEST = 400


def bars_of(found: Found) -> list[FunnelBar]:
    """Return the steps as bars."""
    bars = []
    for stage in found.funnel.steps:
        names = {one.judge_id: one.judge for fate in stage.fates.values() for one in fate.scores}
        options = min((len(found.reading.questions[key].wrong) + 1 for key in stage.entered), default=0)
        bars.append(
            FunnelBar(
                stage.key,
                stage.step.name,
                len(stage.fates),
                len(stage.kept),
                len(stage.fallen),
                len(stage.open),
                rule_in_words(stage.step, stage.rule, names, options).replace(", decides", ""),
                stage.step.description,
                stage.rule.decides,
                f"{len(stage.taken_over):,} taken over" if stage.key == DISTRACTORS else "",
            )
        )
    return bars


def going_text(found: Found) -> str:
    """Say how many survive, and how many go on."""
    total = len(found.funnel.questions)
    if not total:
        return "There are no questions yet. Make some first: greenroom questions make STUDY"
    survive = f"{len(found.funnel.survivors):,} of {counted(total, 'question')} survive every step."
    if not found.deciding:
        return f"{survive} No step decides yet, so all of them go on to verification and export."
    names = ", ".join(STEPS[key].name.lower() for key in found.deciding)
    return f"{survive} {len(found.going):,} go on to verification and export, as decided by: {names}."


def verdict_rows(found: Found, stage: Stage, which: str) -> list[VerdictRow]:
    """Return the questions that reach a step: those that fell, then the open ones, then those that are kept.

    Args:
        found: what was computed.
        stage: the step.
        which: `ALL`, or a verdict, or `NOT_KEPT`.
    """
    rows = []
    for key, fate in stage.fates.items():
        verdict = fate.verdict.value
        if which not in (ALL, verdict) and not (which == NOT_KEPT and verdict != "kept"):
            continue
        one = found.reading.questions[key]
        why = _proposed(found, stage, key) if stage.key == DISTRACTORS else fate.reason
        rows.append(VerdictRow(key, verdict, plainly(why, _LONGEST), one.kind.value, plainly(one.text, _LONGEST)))
    order = {"fell": 0, "open": 1, "kept": 2}
    return sorted(rows, key=lambda row: order[row.verdict])


def _proposed(found: Found, stage: Stage, question_id: str) -> str:
    if question_id in stage.taken_over:
        return "has what a judge proposed"
    proposals = proposals_for(found.reading, found.reading.questions[question_id])
    if not proposals:
        return "nothing proposed"
    return "; ".join(f"{one.judge}: {'cannot be used' if one.why_not else 'proposed'}" for one in proposals)
