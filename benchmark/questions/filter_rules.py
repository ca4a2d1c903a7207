"""The steps of the question filter, in the order of ESI-Bench, and the rules of a study for them.

See appendices A.1.3 to A.1.5 of ESI-Bench.
"""

from dataclasses import dataclass, fields
from enum import StrEnum

from project.codec import dump, load
from project.entities.study_records import Json
from project.errors import UserError, unknown_choice
from project.store.column_values import to_json
from project.store.study import Study


class LimitSide(StrEnum):
    """On which side of the limit a question is kept."""

    AT_LEAST = "at least"
    AT_MOST = "at most"
    NO_LIMIT = ""
    """The step drops no question."""


@dataclass(frozen=True, slots=True)
class FilterStep:
    """One step of the filter.

    Attributes:
        name: for tables and menus.
        task: that judges are asked, key of `benchmark/prompts/judge_prompt.py`; "" if the value is computed.
        field: of the answer that holds the value.
        low: of a score; the least limit that can be set.
        high: of a score; the largest limit that can be set.
        needs: on which side of the limit a question is kept.
        limit: that of ESI-Bench, or else our own.
        runs: how often each judge is asked about a question, with another seed each time.
        max_runs: largest number of runs that can be set.
        temperature: for judges that are models; None for the setting of each.
        unit: after a value.
    """

    key: str
    name: str
    description: str
    task: str
    field: str
    low: int
    high: int
    needs: LimitSide
    limit: int
    runs: int = 1
    max_runs: int = 1
    temperature: float | None = None
    unit: str = ""

    @property
    def is_scored(self) -> bool:
        """Whether each answer is a score on the step's scale."""
        return self.field == "score"

    def keeps(self, value: float, limit: int) -> bool:
        return value >= limit if self.needs is LimitSide.AT_LEAST else value <= limit


DUPLICATES, REVIEW, DISTRACTORS, OPTIONS_ONLY, STABILITY = (
    "duplicates",
    "review",
    "distractors",
    "options-only",
    "stability",
)

_STEPS = (
    FilterStep(
        DUPLICATES,
        "Near-duplicates",
        "Drops a question that asks and answers nearly what an earlier one about the same recording does.",
        *("", "", 50, 100, LimitSide.AT_MOST, 90),
        unit="% alike",
    ),
    FilterStep(
        REVIEW,
        "Second judge",
        "A judge that did not make the question scores it from 1 to 5 (reciprocal scoring).",
        *("review_score", "score", 1, 5, LimitSide.AT_LEAST, 4),
    ),
    FilterStep(
        DISTRACTORS,
        "Harder distractors",
        "A judge proposes as many wrong options as there are, with a plausibility each; somebody takes them over.",
        *("distractors", "", 0, 0, LimitSide.NO_LIMIT, 0),
    ),
    FilterStep(
        "difficulty",
        "Difficulty",
        "How many cues an answer needs, from 0 (none of this recording) to 3 (many, put together).",
        *("difficulty", "score", 0, 3, LimitSide.AT_LEAST, 2),
    ),
    FilterStep(
        "truth",
        "Right answer",
        "Whether the option that is given as right is: 2 is right, 1 is about it, 0 is not.",
        *("truth", "score", 0, 2, LimitSide.AT_LEAST, 2),
    ),
    FilterStep(
        "separability",
        "Options apart",
        "Whether the options mean different things, from 1 (two are the same) to 3 (all differ).",
        *("separability", "score", 1, 3, LimitSide.AT_LEAST, 2),
    ),
    FilterStep(
        "relevance",
        "Options to the point",
        "Whether the options answer what is asked, from 1 (two or more do not) to 3 (all do).",
        *("relevance", "score", 1, 3, LimitSide.AT_LEAST, 3),
    ),
    FilterStep(
        OPTIONS_ONLY,
        "Options alone",
        "Drops what a judge answers right that sees the options and nothing else.",
        *("options_only", "answer", 0, 99, LimitSide.AT_MOST, 50),
        max_runs=25,
        unit="% right",
    ),
    FilterStep(
        STABILITY,
        "Stable answers",
        "Whether a judge that is asked twice, with other seeds at temperature 0.2, gives the same answer.",
        *("answer", "answer", 1, 1, LimitSide.AT_LEAST, 1),
        runs=2,
        max_runs=25,
        temperature=0.2,
    ),
)
STEPS = {filter_step.key: filter_step for filter_step in _STEPS}
"""Key -> step, in order. Near-duplicates come first, because finding them costs nothing and judges are not asked about
copies; and since copies do not depend on scores, a stricter limit never lets another question through."""


def get_step(key: str) -> FilterStep:
    """Return a step."""
    if key not in STEPS:
        raise unknown_choice("step", key, STEPS)
    return STEPS[key]


_PROPERTY = "question-filter/"


class ScoreCombination(StrEnum):
    """How scores of several judges are combined."""

    STRICTEST = "strictest"
    """Each judge has to keep it."""
    MEAN = "mean"
    """The mean of their values is compared with the limit."""


@dataclass(frozen=True, slots=True)
class FilterRule:
    """The rule of a study for one step.

    Attributes:
        limit: that values are compared with.
        runs: how often each judge is asked about a question.
        several: how scores of several judges are combined.
        judges: ids of the judges whose scores count; all if empty.
        decides: questions that the step does not keep are left out of verification and export.
    """

    limit: int
    runs: int
    several: ScoreCombination = ScoreCombination.STRICTEST
    judges: tuple[str, ...] = ()
    decides: bool = False


RULE_PARTS = tuple(rule_field.name for rule_field in fields(FilterRule))


def default_rule(step: FilterStep) -> FilterRule:
    """Return the rule of a step in a study without one."""
    return FilterRule(step.limit, step.runs)


def rule_property(step: str) -> str:
    """Return the property of a study that holds its rule for a step; each has its own, so they merge separately."""
    return f"{_PROPERTY}{step}"


def step_of_property(property_key: str) -> FilterStep | None:
    """Return the step whose rule is in a property of a study; None for any other property."""
    return STEPS.get(property_key.removeprefix(_PROPERTY)) if property_key.startswith(_PROPERTY) else None


def read_rules(study: Study) -> dict[str, FilterRule]:
    """Return step -> the study's rule for it.

    If a stored rule is invalid, the default rule is used and decides, so that nothing gets through unchecked.
    """
    return {key: _read_rule(step, study.get_property(rule_property(key))) for key, step in STEPS.items()}


def has_deciding_step(study: Study) -> bool:
    """Tell whether any step of a study decides which questions go on."""
    return any(rule.decides for rule in read_rules(study).values())


def validate_rule(step: FilterStep, rule: FilterRule) -> FilterRule:
    """Return a rule after checking that a step can have it."""
    if step.needs is not LimitSide.NO_LIMIT and not step.low <= rule.limit <= step.high:
        fixed = f"It is always {step.low}." if step.low == step.high else ""
        raise UserError(
            f"“{rule.limit}” is not allowed as limit of {step.name.lower()}.",
            fixed or f"Give a whole number from {step.low} to {step.high}; usual is {step.limit}.",
        )
    least = step.runs
    if not least <= rule.runs <= step.max_runs:
        hint = f"Give {least} to {step.max_runs}." if step.max_runs > least else f"It is always {least}."
        raise UserError(f"“{rule.runs}” is not allowed as number of runs of {step.name.lower()}.", hint)
    return rule


def _read_rule(step: FilterStep, stored: Json) -> FilterRule:
    if stored is None:
        return default_rule(step)
    try:
        rule = validate_rule(step, load(FilterRule, stored, "The rule"))
    except UserError:
        rule = None
    if rule is None or to_json(dump(rule)) != to_json(stored):
        return FilterRule(step.limit, step.runs, decides=step.needs is not LimitSide.NO_LIMIT)
    return rule
