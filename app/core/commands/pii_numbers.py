"""Keeps the numbers that are written in place of personal information, so that none ever means somebody else."""

from collections.abc import Iterable, Mapping

from app.core.pii.hits import PlacedHit
from app.core.pii.replacing import NUMBERS, kept_numbers, replacements_of
from app.core.session import Session

Numbers = Mapping[str, Mapping[str, int]]
"""Label -> what a number stands for -> the number."""


def keep_numbers(session: Session, found: Iterable[PlacedHit]) -> None:
    """Keep the numbers of all hits of a study from now on: whoever shows or writes them calls this.

    It is no step that can be undone, because a number that somebody has seen must not be given to anybody else. Where
    the study cannot be written to, nothing is kept.

    Args:
        session: of the study.
        found: all hits, as `app.core.pii.hits.hits` returns them for the whole study.
    """
    if not session.study.read_only:
        store_numbers(session, numbers_of(session, found))


def numbers_of(session: Session, found: Iterable[PlacedHit]) -> Numbers:
    """Return the numbers of all hits of a study, which `store_numbers` keeps; this reads every text."""
    return replacements_of(session, (one.hit for one in found)).numbers


def store_numbers(session: Session, numbers: Numbers) -> None:
    """Keep numbers from now on, where the study can be written to."""
    if not session.study.read_only and numbers != kept_numbers(session):
        with session.study.step("Number personal information", undoable=False):
            session.study.set_property(NUMBERS, {label: {**each} for label, each in numbers.items()})
