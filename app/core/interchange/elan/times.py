"""Times of slots for which an EAF gives none: ELAN shares the time between their neighbours evenly."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Aligned:
    """The time slots between which an annotation lies."""

    start: str
    end: str


def fill_in(slots: Mapping[str, int | None], tiers: Iterable[Sequence[Aligned]]) -> dict[str, int | None]:
    """Return slot -> milliseconds, with those filled in that lie between known ones.

    The annotations of a tier from one known time to the next share the time between evenly. What no tier tells is
    shared evenly between the known neighbours in the order of time; what has none stays None.
    """
    found = dict(slots)
    for annotations in tiers:
        run: list[Aligned] = []
        for one in annotations:
            if found.get(one.start) is not None:
                run = []
            run.append(one)
            if found.get(one.end) is not None:
                _share(found, run)
                run = []
    _in_order(found)
    return found


def _share(found: dict[str, int | None], run: Sequence[Aligned]) -> None:
    start, end = found.get(run[0].start), found.get(run[-1].end)
    if len(run) < 2 or start is None or end is None or end < start:
        return
    for place, one in enumerate(run):
        if found.get(one.start) is None:
            found[one.start] = start + (end - start) * place // len(run)
        if found.get(one.end) is None:
            found[one.end] = start + (end - start) * (place + 1) // len(run)


def _in_order(found: dict[str, int | None]) -> None:
    names = list(found)
    before: int | None = None
    waiting: list[str] = []
    for name in names:
        value = found[name]
        if value is None:
            waiting.append(name)
            continue
        if before is not None and waiting and value >= before:
            for place, one in enumerate(waiting, start=1):
                found[one] = before + (value - before) * place // (len(waiting) + 1)
        before, waiting = value, []
