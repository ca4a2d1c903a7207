"""Statements that people rated, and explanations of them, as sources of items."""

from app.core.benchmark.inferences.candidates import explanation_candidates, statement_candidates
from app.core.benchmark.sets.wishes import Wishes
from app.core.session import Session
from benchmark.items.base import Pool


def statement_pool(session: Session, wishes: Wishes) -> Pool:  # noqa: ARG001
    """Return a candidate for each statement that people rated."""
    return statement_candidates(session)


def explanation_pool(session: Session, wishes: Wishes) -> Pool:  # noqa: ARG001
    """Return a candidate for each explanation of a statement."""
    return explanation_candidates(session)
