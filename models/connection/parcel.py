"""What a request is for, as told by the code that makes it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from project.policy import Purpose


@dataclass(frozen=True, slots=True)
class Parcel:
    """What the requests of a piece of work are for.

    Attributes:
        purpose: what a connection is for.
        judge_id: who is asked.
        recording_id: whose footage it is.
        segment_id: which segment it is about.
        others: recordings of which words are sent too, as examples.
        condition: `raw`, or the id of the run that made the rendering; "" where nothing of the study is sent.
    """

    purpose: Purpose
    judge_id: str = ""
    recording_id: str = ""
    segment_id: str = ""
    condition: str = ""
    others: tuple[str, ...] = ()


_current: ContextVar[Parcel | None] = ContextVar("parcel", default=None)


@contextmanager
def carrying(parcel: Parcel) -> Iterator[None]:
    """Make every request in this block, and in tasks that start in it, carry a parcel."""
    token = _current.set(parcel)
    try:
        yield
    finally:
        _current.reset(token)


def current() -> Parcel | None:
    """Return what a request made here would carry; None outside every `carrying`."""
    return _current.get()
