"""What a study asks at a step, in words."""

from collections.abc import Mapping

from app.core.questions.hardening.fates import chance_of
from app.core.questions.hardening.rules import Rule, Several
from app.core.questions.hardening.steps import STABILITY, Needs, Step
from project.percent import percent


def rule_in_words(step: Step, rule: Rule, names: Mapping[str, str], options: int) -> str:
    """Return what has to hold for a question to be kept, such as `at least 2, every judge`.

    Args:
        step: of the funnel.
        rule: of the study.
        names: of judges, by id.
        options: the fewest that a question has; 0 where there is none.
    """
    if step.needs is Needs.NOTHING:
        return "drops none"
    if step.key == STABILITY:
        parts = [f"same in {rule.runs} runs"]
    else:
        unit = "" if not step.unit else step.unit if step.unit.startswith("%") else f" {step.unit}"
        parts = [f"{step.needs.value} {rule.limit}{' ' if unit.startswith('%') else ''}{unit}"]
    if step.most_runs > 1 and step.key != STABILITY:
        parts.append(f"{rule.runs} run{'s' if rule.runs > 1 else ''}")
    if step.task:
        parts.append("mean of judges" if rule.several is Several.MEAN else "every judge")
    if rule.judges:
        parts.append(f"only {' and '.join(names.get(one, 'a judge that has not answered') for one in rule.judges)}")
    chance = chance_of(step, rule, options)
    if chance is not None:
        parts.append(f"guessing alone drops {percent(chance, 0)}")
    if rule.decides:
        parts.append("decides")
    return ", ".join(parts)
