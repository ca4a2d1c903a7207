"""The steps that questions go through, in the order of ESI-Bench (appendices A.1.3 to A.1.5)."""

from dataclasses import dataclass
from enum import StrEnum

from project.errors import UserError


class Needs(StrEnum):
    """On which side of its limit a value has to lie for a question to be kept."""

    LEAST = "at least"
    MOST = "at most"
    NOTHING = ""
    """The step drops no question."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        name: for tables and menus.
        description: one sentence.
        task: that judges are asked, key of `benchmark/tasks/registry.py`; "" where the value is computed.
        field: of the task's answer that holds the value.
        low: of a score; the least limit that can be set.
        high: of a score; the largest limit that can be set.
        needs: on which side of the limit a question is kept.
        limit: as ESI-Bench sets it; where it names none, the project's own.
        runs: how often each judge is asked about a question, with another seed each time.
        most_runs: that can be set.
        temperature: that judges which are models are asked with; None for what each is set to.
        unit: after a value.
    """

    key: str
    name: str
    description: str
    task: str
    field: str
    low: int
    high: int
    needs: Needs
    limit: int
    runs: int = 1
    most_runs: int = 1
    temperature: float | None = None
    unit: str = ""

    @property
    def scored(self) -> bool:
        """Whether each answer is a score on the step's scale."""
        return self.field == "score"

    def holds(self, value: float, limit: int) -> bool:
        """Tell whether a question with this value is kept."""
        return value >= limit if self.needs is Needs.LEAST else value <= limit


DUPLICATES, REVIEW, DISTRACTORS, OPTIONS_ONLY, STABILITY = (
    "duplicates",
    "review",
    "distractors",
    "options-only",
    "stability",
)

_STEPS = (
    Step(
        DUPLICATES,
        "Near-duplicates",
        "Drops a question that asks and answers nearly what an earlier one about the same recording does.",
        *("", "", 50, 100, Needs.MOST, 90),
        unit="% alike",
    ),
    Step(
        REVIEW,
        "Second judge",
        "A judge that did not make the question scores it from 1 to 5 (reciprocal scoring).",
        *("review_score", "score", 1, 5, Needs.LEAST, 4),
    ),
    Step(
        DISTRACTORS,
        "Harder distractors",
        "A judge proposes as many wrong options as there are, with a plausibility each; somebody takes them over.",
        *("distractors", "", 0, 0, Needs.NOTHING, 0),
    ),
    Step(
        "difficulty",
        "Difficulty",
        "How many cues an answer needs, from 0 (none of this recording) to 3 (many, put together).",
        *("difficulty", "score", 0, 3, Needs.LEAST, 2),
    ),
    Step(
        "truth",
        "Right answer",
        "Whether the option that is given as right is: 2 is right, 1 is about it, 0 is not.",
        *("truth", "score", 0, 2, Needs.LEAST, 2),
    ),
    Step(
        "separability",
        "Options apart",
        "Whether the options mean different things, from 1 (two are the same) to 3 (all differ).",
        *("separability", "score", 1, 3, Needs.LEAST, 2),
    ),
    Step(
        "relevance",
        "Options to the point",
        "Whether the options answer what is asked, from 1 (two or more do not) to 3 (all do).",
        *("relevance", "score", 1, 3, Needs.LEAST, 3),
    ),
    Step(
        OPTIONS_ONLY,
        "Options alone",
        "Drops what a judge answers right that sees the options and nothing else.",
        *("options_only", "answer", 0, 99, Needs.MOST, 50),
        most_runs=25,
        unit="% right",
    ),
    Step(
        STABILITY,
        "Stable answers",
        "Whether a judge that is asked twice, with other seeds at temperature 0.2, gives the same answer.",
        *("answer", "answer", 1, 1, Needs.LEAST, 1),
        runs=2,
        most_runs=25,
        temperature=0.2,
    ),
)
STEPS = {one.key: one for one in _STEPS}
"""Key -> step, in order. Near-duplicates come first: finding them costs nothing and no judge is asked about a copy, and
because which questions are copies does not depend on scores, a stricter limit never lets another question through."""


def step_called(key: str) -> Step:
    """Return a step.

    Raises:
        UserError: there is none of that key.
    """
    if key not in STEPS:
        raise UserError(f"There is no step “{key}”.", f"Choose one of {', '.join(STEPS)}.")
    return STEPS[key]
