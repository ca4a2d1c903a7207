"""The checklist of a release as lines: every rule of every recording, kept, broken or waived."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.release.outcome import Outcome, outcome_from, reasons_after
from app.core.release.plan import ReleasePlan
from app.core.release.rules import RULES, Reason, waiver_for
from app.core.session import Session
from project.queries.face_reviews import mask_state
from project.queries.runs import latest_run
from project.timebase import format_time
from project.types import Waiver
from resources.translation import tr
from widgets.rows_table import Row

COLUMNS = [tr("Rule"), tr("Recording"), tr("Time"), tr("State")]
_ABOUT_ALL = ("something", "history", "texts-reviewed")
_RENDERED = ("rendered", "face-left", "face-under-mask", "not-recognized", "doubtful-hits")
_OF_TRACKS = ("faces-reviewed", "uncovered")
_AFTER = (*_RENDERED, "independent-check", "privacy-measured", "privacy-limit")


@dataclass(frozen=True, slots=True)
class Line:
    """One line: a rule of a recording.

    Attributes:
        recording: its number; None for the release as a whole.
        reason: what is wrong; None where the rule is kept, or not judged yet.
        waiver: that does away with it.
        judged: whether anything is known about it.
    """

    rule: str
    recording: int | None
    reason: Reason | None = None
    waiver: Waiver | None = None
    judged: bool = True

    @property
    def blocking(self) -> bool:
        """Whether it has to be mended first; what a rendering showed is judged anew by the next try."""
        return self.broken and self.rule not in _AFTER

    @property
    def broken(self) -> bool:
        """Whether it stands in the way."""
        return self.reason is not None and self.waiver is None

    def row(self, key: str) -> Row:
        """Return it as a row of a table."""
        if self.reason is None:
            later = (
                tr("Judged when faces were looked for") if self.rule in _OF_TRACKS else tr("Judged when it is rendered")
            )
            icon, state = ("circle-check", tr("Kept")) if self.judged else ("circle-dashed", later)
        elif self.waiver is not None:
            icon, state = "circle-dashed", tr("Waived: {reason}").format(reason=self.waiver.reason)
        else:
            icon, state = "triangle-alert", self.reason.sentence
        time_us = self.reason.time_us if self.reason is not None else None
        where = "all" if self.recording is None else str(self.recording)
        at = "" if time_us is None else format_time(time_us)
        return Row(key, (RULES[self.rule].title, where, at, state), icon, time_us or 0)


def lines_of(
    numbers: Sequence[int],
    reasons: Sequence[Reason],
    rendered: Sequence[int],
    waivers: Sequence[Waiver],
    by_id: Mapping[str, int],
) -> list[Line]:
    """Return a line for each reason, and one for each rule that nothing is said against.

    Args:
        numbers: of the recordings in the release.
        reasons: everything that stands in the way.
        rendered: numbers of recordings of which a rendering of the present state was looked at.
        waivers: of the study.
        by_id: recording id -> number.
    """
    found: list[Line] = []
    untracked = {one.recording for one in reasons if one.rule in ("file", "faces-tracked")}
    for number in (None, *numbers):
        for rule in RULES:
            if (rule in _ABOUT_ALL) != (number is None):
                continue
            here = [one for one in reasons if one.rule == rule and one.recording == number]
            found += [Line(rule, number, one, waiver_for(one, waivers, by_id)) for one in here]
            if not here:
                later = number not in rendered if rule in _AFTER else rule in _OF_TRACKS and number in untracked
                # The whole history is read when the release is made, not while a window waits.
                found.append(Line(rule, number, judged=not later and rule != "history"))
    return found


def rendered_before(
    session: Session, plan: ReleasePlan, recordings: Mapping[str, int]
) -> tuple[list[Reason], list[int]]:
    """Return what earlier tries found in renderings of the present state, and of which recordings there are any."""
    outcomes: list[Outcome] = []
    for recording_id, number in recordings.items():
        run = latest_run(session.study, recording_id, "release")
        if run is None or run.parameters.get("mask_state") != mask_state(session.study, recording_id):
            continue
        kept = run.result.get("outcomes")
        every = [outcome_from(one) for one in kept if isinstance(one, dict)] if isinstance(kept, list) else []
        if {one.method for one in every} == set(plan.methods_for(number)):
            outcomes += every
    return reasons_after(outcomes), [one.number for one in outcomes]
