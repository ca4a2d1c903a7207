"""Asking judges from a command that waits for what comes of it, and telling that at its end."""

from dataclasses import dataclass

from app.cli.output import Bar, progress_bar
from app.core.jobs import run_here
from app.core.judging.runs.asking import Asking, prepare
from app.core.judging.runs.outcome import Outcome, outcome_from, refusal
from app.core.judging.runs.wanted import AskRequest
from app.core.session import Session
from project.types import Json


class _Bar(Bar):
    """Progress of a run, whose own words begin with the time that is left; the bar says that itself."""

    def progress(self, done: int, total: int, text: str = "") -> None:
        super().progress(done, total, text.rpartition(" · ")[2] if "left" in text else text)


@dataclass(frozen=True, slots=True)
class Came:
    """What came of asking.

    Attributes:
        cached: ids of judgments that were there before.
        new: ids of those that came now, in their order.
        outcome: counts, and why something was not asked.
    """

    cached: tuple[str, ...]
    new: tuple[str, ...]
    outcome: Outcome

    @property
    def ids(self) -> list[str]:
        """All judgments, those from before first."""
        return [*self.cached, *self.new]

    def require_something(self) -> None:
        """Return quietly where there is an answer, or no reason why there is none.

        Raises:
            UserError: nothing could be asked; `Forbidden` where the policy is why.
        """
        if not self.ids and self.outcome.notes:
            raise refusal(self.outcome.notes)

    def as_json(self) -> dict[str, Json]:
        """Return it for `--json`."""
        return {"cached": len(self.cached), **self.outcome.told()}

    def lines(self) -> list[str]:
        """Say it: what was not asked and why, and at last what was."""
        found = self.outcome
        said = [found.as_text()] if found.asked or found.over_budget or found.withdrawn else []
        said += [f"{len(self.cached)} from before"] if self.cached else []
        return [*(one.as_text() for one in found.notes), f"{', '.join(said)}." if said else "Nothing was asked."]


def ask_here(session: Session, request: AskRequest) -> Came:
    """Ask, with progress; what was answered before is not asked again.

    Raises:
        UserError: as in `prepare`.
    """
    with progress_bar("Looking up") as bar:
        asking = prepare(session, request, bar)
    return finish(session, asking)


def finish(session: Session, asking: Asking) -> Came:
    """Ask what is left to ask, with progress."""
    outcome, new = Outcome(), []
    if asking.work is not None:
        bar = _Bar(asking.work.title)
        try:
            result, changes = run_here(session, asking.work, bar)
        finally:
            bar.clear()
        outcome, new = outcome_from(result), sorted(changes.ids("judgment"))
    outcome.notes[:0] = asking.notes
    return Came(tuple(one.id for one in asking.cached), tuple(new), outcome)
