"""One run of the filter from the command line: asks, takes harder options over, and says what came of it."""

from collections.abc import Sequence

from app.cli.output import progress_bar
from app.core.commands.hardening import take_all_over
from app.core.jobs import run_here
from app.core.judging.runs.asking import prepare
from app.core.judging.runs.budget import Limits
from app.core.judging.runs.outcome import Outcome, outcome_from, refusal
from app.core.questions.hardening.asking import reaching, wanted
from app.core.questions.hardening.funnel import funnel_of
from app.core.questions.hardening.reading import read
from app.core.questions.hardening.steps import DISTRACTORS, STEPS
from app.core.session import Session
from project.counted import counted
from project.judging import JudgeEntry
from project.types import Json

SHOWN = 5
"""Questions of a step that are listed with the reason; --json has all."""


class FilterRun:
    """Asks, one step after another, and keeps what came of it."""

    def __init__(
        self, session: Session, judges: Sequence[JudgeEntry], condition: str, budget: Limits, again: bool
    ) -> None:
        self._session, self._judges = session, judges
        self._condition, self._budget, self._again = condition, budget, again
        self._outcome = Outcome()
        self._left_out: dict[str, set[str]] = {}
        self._refused: dict[str, str] = {}
        self._cached = self._there = self._taken = 0

    def step(self, key: str, steps: Sequence[str], about: Sequence[str] = ()) -> None:
        """Ask what a step needs about the questions that reach it, or about these."""
        reading = read(self._session)
        found = wanted(
            reading,
            key,
            self._judges,
            {*(about or reaching(reading, key, steps))},
            condition=self._condition,
            budget=self._budget,
            again=self._again,
        )
        self._there += found.there
        for why, keys in found.left_out.items():
            self._left_out.setdefault(why, set()).update(keys)
        for request in found.requests:
            title = STEPS[key].name
            with progress_bar(title) as bar:
                asking = prepare(self._session, request, bar)
                self._outcome.add(Outcome(notes=[*asking.notes]))
                self._cached += len(asking.cached)
                if asking.work is not None:
                    result, _ = run_here(self._session, asking.work, bar)
                    came = outcome_from(result)
                    self._outcome.add(came)
                    self._outcome.seconds += came.seconds

    def take_over(self, steps: Sequence[str]) -> None:
        """Take over harder options, and ask the steps before anew about the questions that have them now."""
        reading = read(self._session)
        reach = reaching(reading, DISTRACTORS, steps)
        done = funnel_of(reading, reach, [DISTRACTORS]).at(DISTRACTORS).taken_over
        open_ = [key for key in reach if key not in done]
        changes, self._refused = take_all_over(self._session, reading, open_)
        changed = sorted(changes.ids("question"))
        self._taken = len(changed)
        for key in steps:
            if key == DISTRACTORS or not changed:
                break
            if STEPS[key].task:
                self.step(key, steps, changed)

    def require_something(self) -> None:
        """Return quietly where anything was answered, now or before.

        Raises:
            UserError: nothing could be asked; `Forbidden` where the policy is why.
        """
        if not (self._there or self._cached or self._outcome.asked) and self._outcome.notes:
            raise refusal(self._outcome.notes)

    def as_json(self) -> dict[str, Json]:
        """Return what came of it."""
        return {
            "asked": self._outcome.as_json(),
            "cached": self._cached + self._there,
            "not_asked": {why: [*sorted(keys)] for why, keys in self._left_out.items()},
            "taken_over": self._taken,
            "not_taken_over": dict(self._refused),
        }

    def lines(self) -> list[str]:
        """Say what came of it."""
        if not self._judges:
            return []
        lines = [one.as_text() for one in self._outcome.notes]
        lines += [f"{counted(len(keys), 'question')} not asked about: {why}" for why, keys in self._left_out.items()]
        if self._taken:
            told = counted(self._taken, "question")
            lines.append(f"{told} got harder wrong options; one undo takes that back: greenroom undo STUDY")
        for key, why in [*self._refused.items()][:SHOWN]:
            lines.append(f"  not taken over  {key}  {why}")
        before = f", {self._cached + self._there} from before" if self._cached + self._there else ""
        return [*lines, f"{self._outcome.as_text()}{before}."]
