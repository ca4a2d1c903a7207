"""Active minutes of each annotator: measured, stored in the study, and reported by recording and day."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from project.entities.study_records import Annotator
from project.queries.annotator_rows import Active, Key, add_seconds, all_activity, annotator_names, delete_activity
from project.queries.recording_rows import all_recordings
from project.session.session import Session

IDLE_AFTER_S = 60.0
"""Seconds that somebody counts as active after the last input or playback."""
MAX_TICK_S = 15.0
"""A longer time between two ticks does not count: the machine slept."""


class ActiveTime:
    """Counts seconds. Times are seconds of a clock that never goes back."""

    def __init__(self) -> None:
        self._looked: float | None = None
        self._lively: float | None = None
        self._rest: dict[Key, float] = {}

    def record_activity(self, now: float) -> None:
        """Something was done, or is playing."""
        self._lively = now

    def tick(self, now: float, key: Key | None, in_sight: bool) -> None:
        """Count the time since the last look for `key`; nothing where the window is not in sight or nobody is active.

        `key` is None while there is nothing to count for.
        """
        before, self._looked = self._looked, now
        if before is None or key is None or not in_sight or self._lively is None:
            return
        passed = min(now, self._lively + IDLE_AFTER_S) - before
        if passed > 0 and now - before <= MAX_TICK_S:
            self._rest[key] = self._rest.get(key, 0.0) + passed

    def take_seconds(self) -> dict[Key, int]:
        """Return the whole seconds that were counted, and keep what is left of them for the next time."""
        whole = {key: int(seconds) for key, seconds in self._rest.items() if seconds >= 1}
        for key, seconds in whole.items():
            self._rest[key] -= seconds
        return whole

    def clear(self) -> None:
        """Drop what was counted and not taken."""
        self._rest.clear()


def store_seconds(session: Session, seconds: dict[Key, int]) -> None:
    """Write what was counted into the study; not in its history, so undo knows nothing of it."""
    if seconds and not session.study.read_only:
        with session.study.without_history():
            add_seconds(session.study, seconds)


def delete_activity_of(session: Session, annotator: Annotator) -> None:
    """Delete the minutes of an annotator from this study, for good."""
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
    places = {recording.id: f"{recording.number}  {recording.name}" for recording in all_recordings(session.study)}
    found = _sum_seconds(session, annotator, lambda active: active.recording_id)
    return [
        ActivityTotal(who, name, found[who, key], key)
        for key, name in places.items()
        for who in _list_names(found, key)
    ]


def totals_by_day(session: Session, annotator: Annotator | None = None) -> list[ActivityTotal]:
    """Return active seconds by annotator and day, the newest day first."""
    found = _sum_seconds(session, annotator, lambda active: active.day)
    days = sorted({day for _, day in found}, reverse=True)
    return [ActivityTotal(who, day, found[who, day]) for day in days for who in _list_names(found, day)]


def format_minutes(seconds: int) -> str:
    """Return such as `1 h 05 min`, `12 min` or `under a minute`."""
    whole = seconds // 60
    if whole < 1:
        return "under a minute"
    return f"{whole // 60} h {whole % 60:02} min" if whole >= 60 else f"{whole} min"


def _sum_seconds(
    session: Session, annotator: Annotator | None, key_of: Callable[[Active], str]
) -> Counter[tuple[str, str]]:
    """Return (name, key) -> seconds in the recordings of the study."""
    there = {recording.id for recording in all_recordings(session.study)}
    names = annotator_names(session.study)
    found: Counter[tuple[str, str]] = Counter()
    for active in all_activity(session.study, None if annotator is None else annotator.id):
        if active.recording_id in there:
            found[names.get(active.annotator_id, active.annotator_id), key_of(active)] += active.seconds
    return found


def _list_names(found: Counter[tuple[str, str]], key: str) -> list[str]:
    return sorted(who for who, place in found if place == key)
