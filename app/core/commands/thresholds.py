"""Edits of what a study asks of questions at each step of the filter."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from textwrap import shorten

from app.core.questions.hardening.rules import PARTS, Rule, Several, checked, property_of, rules_of
from app.core.questions.hardening.steps import STEPS, Needs, step_called
from app.core.session import Session
from project.errors import UserError
from project.queries.judges import all_judges
from project.types import Changes

LIMIT = PARTS[0]
_DIGITS = 6
"""Of the largest number that anybody types."""


def set_rules(session: Session, rules: Mapping[str, Rule]) -> Changes:
    """Set what is asked at some steps, as one step of the history.

    Args:
        session: of the study.
        rules: step -> what is asked there.

    Raises:
        UserError: there is no such step, a value is outside its limits, or a judge that is to count is not there.
    """
    wanted = _changed(session, rules)
    about = STEPS[next(iter(wanted))].name.lower() if len(wanted) == 1 else "questions"
    now = rules_of(session.study)
    typed = all(rule.decides == now[key].decides for key, rule in wanted.items())
    return _written(session, wanted, f"Change limits of {about}", f"limits {sorted(wanted)}" if typed else None)


def decide_by(session: Session, steps: Collection[str]) -> Changes:
    """Let these steps, and no others, decide which questions go on to verification and export.

    Raises:
        UserError: there is no such step, or it drops no question.
    """
    wanted = {step_called(one).key for one in steps}
    rules = {key: replace(rule, decides=key in wanted) for key, rule in rules_of(session.study).items()}
    return _written(session, _changed(session, rules), "Choose which steps decide", None)


def _changed(session: Session, rules: Mapping[str, Rule]) -> dict[str, Rule]:
    now = rules_of(session.study)
    known = {one.id for one in all_judges(session.study)}
    wanted = {}
    for key, rule in rules.items():
        step = step_called(key)
        made = checked(step, rule)
        if made.decides and step.needs is Needs.NOTHING:
            raise UserError(f"{step.name} drops no question, so it cannot decide.", "Choose another step.")
        if any(one not in known and one not in now[key].judges for one in made.judges):
            raise UserError("A judge that is to count is no longer part of the study.", "Choose others.")
        if made != now[key]:
            wanted[key] = made
    return wanted


def _written(session: Session, wanted: Mapping[str, Rule], name: str, merge_key: str | None) -> Changes:
    if not wanted:
        return Changes()
    with session.step(name, merge_key) as step:
        for key, rule in wanted.items():
            session.study.set_property(property_of(key), rule.as_json())
    return step.changes


def rule_from(session: Session, said: str, rules: Mapping[str, Rule]) -> tuple[str, Rule]:
    """Read `STEP=LIMIT` or `STEP.PART=VALUE`, such as `difficulty=2`, `options-only.runs=3`, `truth.judges=a+b`.

    Args:
        session: of the study.
        said: what somebody typed.
        rules: as they are so far.

    Returns:
        The step and its new rule.

    Raises:
        UserError: it cannot be read, or names a step, part or judge that is not there.
    """
    from app.core.judging.judges.entries import judge_called

    name, equals, value = (one.strip() for one in said.partition("="))
    if not equals or not name or not value:
        raise UserError(f"“{said}” sets nothing.", "Write STEP=LIMIT, such as difficulty=2.")
    key, _, part = name.partition(".")
    step, rule = step_called(key), rules[step_called(key).key]
    part = part or LIMIT
    match part:
        case "limit" | "runs":
            if not value.lstrip("-").isdecimal() or len(value) > _DIGITS:
                raise UserError(f"“{shorten(value, 40)}” is no whole number that fits.", f"Write {name}=NUMBER.")
            rule = replace(rule, **{part: int(value)})  # type: ignore[arg-type]
        case "several":
            if value not in {one.value for one in Several}:
                raise UserError(f"“{value}” is not allowed for {name}.", "Choose strictest or mean.")
            rule = replace(rule, several=Several(value))
        case "judges":
            names = [] if value == "all" else [one.strip() for one in value.split("+")]
            rule = replace(rule, judges=tuple(judge_called(session, one).id for one in names))
        case _:
            raise UserError(f"There is nothing called “{part}” at a step.", "Choose limit, runs, several or judges.")
    return step.key, checked(step, rule)
