"""Active minutes: what is counted, kept in the study, and told to the annotator."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from project.entities.study_records import Annotator, Json
from project.queries.annotator_rows import Active, Key, add_seconds, all_activity, all_annotators, delete_activity
from project.queries.recording_rows import all_recordings
from project.session.session import Session

IDLE_AFTER_S = 60.0
"""How long somebody counts as active after the last input or the last moment of playback."""
MAX_TICK_S = 15.0
"""Of a longer time between two looks nothing counts: the machine slept."""


class ActiveTime:
    """Counts seconds. Times are seconds of a clock that never goes back."""

    def __init__(self) -> None:
        self._looked: float | None = None
        self._lively: float | None = None
        self._rest: dict[Key, float] = {}

    def note(self, now: float) -> None:
        """Something was done, or is playing."""
        self._lively = now

    def look(self, now: float, key: Key | None, in_sight: bool) -> None:
        """Count the time since the last look for `key`; nothing where the window is not in sight or nobody is active.

        Args:
            now: the time.
            key: recording, annotator and day that it counts for; None while there is nothing to count for.
            in_sight: whether the window can be seen.
        """
        before, self._looked = self._looked, now
        if before is None or key is None or not in_sight or self._lively is None:
            return
        passed = min(now, self._lively + IDLE_AFTER_S) - before
        if passed > 0 and now - before <= MAX_TICK_S:
            self._rest[key] = self._rest.get(key, 0.0) + passed

    def take(self) -> dict[Key, int]:
        """Return the whole seconds that were counted, and keep what is left of them for the next time."""
        whole = {key: int(seconds) for key, seconds in self._rest.items() if seconds >= 1}
        for key, seconds in whole.items():
            self._rest[key] -= seconds
        return whole

    def forget(self) -> None:
        """Drop what was counted and not taken."""
        self._rest.clear()


def store_seconds(session: Session, seconds: dict[Key, int]) -> None:
    """Write what was counted into the study; not in its history, so undo knows nothing of it."""
    if seconds and not session.study.read_only:
        with session.study.without_history():
            add_seconds(session.study, seconds)


def delete_activity_of(session: Session, annotator: Annotator) -> None:
    """Delete the minutes of an annotator from this study, for good.

    Raises:
        UserError: the study is open for reading only.
    """
    session.study.require_writable()
    with session.study.without_history():
        delete_activity(session.study, annotator.id)


@dataclass(frozen=True, slots=True)
class ActivityTotal:
    """Active seconds of one annotator on one recording, or in one day; `name` is that of either."""

    annotator: str
    name: str
    seconds: int
    recording_id: str = ""


def totals_by_recording(session: Session, annotator: Annotator | None = None) -> list[ActivityTotal]:
    """Return active seconds by annotator and recording, in the order of the recordings."""
    found = _sum_by_key(
        ((one.annotator_id, one.recording_id), one.seconds)
        for one in all_activity(session.study, _annotator_id(annotator))
    )
    names = {one.id: one.name for one in all_annotators(session.study)}
    return [
        ActivityTotal(names.get(who, who), f"{place.number}  {place.name}", found[who, place.id], place.id)
        for place in all_recordings(session.study)
        for who in sorted(names, key=lambda one: names[one])
        if (who, place.id) in found
    ]


def totals_by_day(session: Session, annotator: Annotator | None = None) -> list[ActivityTotal]:
    """Return active seconds by annotator and day, the newest day first."""
    there = {one.id for one in all_recordings(session.study)}
    rows = [one for one in all_activity(session.study, _annotator_id(annotator)) if one.recording_id in there]
    found = _sum_by_key(((one.annotator_id, one.day), one.seconds) for one in rows)
    names = {one.id: one.name for one in all_annotators(session.study)}
    days = sorted({one.day for one in rows}, reverse=True)
    order = sorted(names, key=lambda one: names[one])
    return [ActivityTotal(names[who], day, found[who, day]) for day in days for who in order if (who, day) in found]


def activity_to_json(session: Session) -> dict[str, Json]:
    """Return every counter, with numbers of recordings and names of annotators."""
    numbers = {one.id: one.number for one in all_recordings(session.study)}
    names = {one.id: one.name for one in all_annotators(session.study)}

    def row(one: Active) -> Json:
        return {
            "recording": numbers[one.recording_id],
            "annotator": names.get(one.annotator_id, one.annotator_id),
            "day": one.day,
            "seconds": one.seconds,
        }

    rows = [one for one in all_activity(session.study) if one.recording_id in numbers]
    return {"seconds": sum(one.seconds for one in rows), "activity": [row(one) for one in rows]}


def format_minutes(seconds: int) -> str:
    """Return such as `1 h 05 min`, `12 min` or `under a minute`."""
    whole = seconds // 60
    if whole < 1:
        return "under a minute"
    return f"{whole // 60} h {whole % 60:02} min" if whole >= 60 else f"{whole} min"


def _sum_by_key(pairs: Iterable[tuple[tuple[str, str], int]]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for key, seconds in pairs:
        found[key] += seconds
    return found


def _annotator_id(annotator: Annotator | None) -> str | None:
    return annotator.id if annotator is not None else None
