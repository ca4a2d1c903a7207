"""What the window of the funnel says, from what was computed."""

from app.core.questions.hardening.fates import chance_of
from app.core.questions.hardening.funnel import Stage
from app.core.questions.hardening.proposals import proposals_for
from app.core.questions.hardening.steps import DISTRACTORS, STEPS, Needs
from app.core.questions.hardening.words import rule_in_words
from app.gui.questions.funnel_computing import Found
from project.percent import percent
from resources.translation import tr, trn
from widgets.judges.plain_text import plainly
from widgets.questions.funnel import FunnelBar
from widgets.questions.verdicts_table import VerdictRow

ALL, NOT_KEPT = "all", tr("not kept")
_LONGEST = 400


def bars_of(found: Found) -> list[FunnelBar]:
    """Return the steps as bars."""
    bars = []
    for stage in found.funnel.steps:
        names = {one.judge_id: one.judge for fate in stage.fates.values() for one in fate.scores}
        options = fewest_options(found, stage)
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
                tr("{taken_over:,} taken over").format(taken_over=len(stage.taken_over))
                if stage.key == DISTRACTORS
                else "",
            )
        )
    return bars


def going_text(found: Found) -> str:
    """Say how many survive, and how many go on."""
    total = len(found.funnel.questions)
    if not total:
        return tr("There are no questions yet. Make some first, in the mode Questions.")
    survive = tr("{survivors:,} of {count} survive every step.").format(
        survivors=len(found.funnel.survivors), count=trn("{count} question", "{count} questions", total)
    )
    if not found.deciding:
        return tr("{survive} No step decides yet, so all of them go on to verification and export.").format(
            survive=survive
        )
    every = [key for key, step in STEPS.items() if step.needs is not Needs.NOTHING]
    names = ", ".join(STEPS[key].name.lower() for key in found.deciding)
    by = tr("all steps decide") if [*found.deciding] == every else tr("decided by: {names}").format(names=names)
    return tr("{survive} {going:,} go on to verification and export, as {by}.").format(
        survive=survive, going=len(found.going), by=by
    )


def described(found: Found, stage: Stage) -> str:
    """Say what a step does, and of one that can be passed or failed by luck how likely that is."""
    options = fewest_options(found, stage)
    chance = chance_of(stage.step, stage.rule, options)
    if chance is None:
        return stage.step.description
    told = tr("Of {count}, guessing alone would drop {chance} of the questions").format(
        count=trn("{count} option", "{count} options", options), chance=percent(chance, 0)
    )
    return tr("{description} {told}; more runs or judges drop fewer.").format(
        description=stage.step.description, told=told
    )


def fewest_options(found: Found, stage: Stage) -> int:
    """Return the fewest options of the questions that reach a step; 0 where there is none."""
    return min((len(found.reading.questions[key].wrong) + 1 for key in stage.entered), default=0)


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
        return tr("has what a judge proposed")
    proposals = proposals_for(found.reading, found.reading.questions[question_id])
    if not proposals:
        return tr("nothing proposed")
    return "; ".join(f"{one.judge}: {tr('cannot be used') if one.why_not else 'proposed'}" for one in proposals)
