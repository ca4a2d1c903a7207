"""What a study asks of questions at each step, and whether a step decides which questions go on."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum

from app.core.questions.hardening.steps import STEPS, Needs, Step
from project.errors import UserError
from project.store import Study
from project.types import Json

_PROPERTY = "question-filter/"


class Several(StrEnum):
    """What counts where several judges scored a question."""

    STRICTEST = "strictest"
    """Each of them has to keep it."""
    MEAN = "mean"
    """The mean of their values has to hold."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a study asks of questions at one step.

    Attributes:
        limit: that a value is held against, on the side that the step says.
        runs: how often each judge is asked about a question.
        several: what counts where several judges scored it.
        judges: ids of the judges whose scores count; all who scored it where empty.
        decides: what it does not keep is left out of verification and export.
    """

    limit: int
    runs: int
    several: Several = Several.STRICTEST
    judges: tuple[str, ...] = ()
    decides: bool = False

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        return {
            "limit": self.limit,
            "runs": self.runs,
            "several": self.several.value,
            "judges": [*self.judges],
            "decides": self.decides,
        }


PARTS = tuple(one.name for one in fields(Rule))


def usual(step: Step) -> Rule:
    """Return the rule of a step where a study says nothing."""
    return Rule(step.limit, step.runs)


def property_of(step: str) -> str:
    """Return the property of a study that holds its rule for a step; one each, so that they merge one by one."""
    return f"{_PROPERTY}{step}"


def step_of(property_key: str) -> Step | None:
    """Return the step whose rule a property of a study holds; None for any other property."""
    return STEPS.get(property_key.removeprefix(_PROPERTY)) if property_key.startswith(_PROPERTY) else None


def rules_of(study: Study) -> dict[str, Rule]:
    """Return step -> the study's rule for it.

    Where what a study holds cannot be understood, the usual rule decides: what nobody can read lets nothing through.

    Raises:
        UserError: the study is damaged.
    """
    return {key: _read(step, study.get_property(property_of(key))) for key, step in STEPS.items()}


def anything_decides(study: Study) -> bool:
    """Tell whether any step of a study decides which questions go on.

    Raises:
        UserError: the study is damaged.
    """
    return any(rule.decides for rule in rules_of(study).values())


def checked(step: Step, rule: Rule) -> Rule:
    """Return a rule that a step can have.

    Raises:
        UserError: a value is outside its limits.
    """
    if step.needs is not Needs.NOTHING and not (_whole(rule.limit) and step.low <= rule.limit <= step.high):
        fixed = f"It is always {step.low}." if step.low == step.high else ""
        raise UserError(
            f"“{rule.limit}” is no limit for {step.name.lower()}.",
            fixed or f"Give a whole number from {step.low} to {step.high}; usual is {step.limit}.",
        )
    least = step.runs
    if not (_whole(rule.runs) and least <= rule.runs <= step.most_runs):
        hint = f"Give {least} to {step.most_runs}." if step.most_runs > least else f"It is always {least}."
        raise UserError(f"“{rule.runs}” is no number of runs for {step.name.lower()}.", hint)
    return rule


def _read(step: Step, found: Json) -> Rule:
    if found is None:
        return usual(step)
    try:
        return checked(step, _parsed(found))
    except (UserError, ValueError, TypeError, KeyError):
        return Rule(step.limit, step.runs, decides=step.needs is not Needs.NOTHING)


def _parsed(found: Json) -> Rule:
    if not isinstance(found, Mapping):
        raise TypeError
    judges, decides = found["judges"], found["decides"]
    if not isinstance(judges, list) or not all(isinstance(one, str) for one in judges) or not isinstance(decides, bool):
        raise TypeError
    limit, runs = found["limit"], found["runs"]
    if not _whole(limit) or not _whole(runs):
        raise TypeError
    return Rule(
        int(str(limit)), int(str(runs)), Several(str(found["several"])), tuple(str(one) for one in judges), decides
    )


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
