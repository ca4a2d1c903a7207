"""What people rated, as a source of items."""

from app.core.benchmark.sets.wishes import Wishes
from app.core.episodes.candidates import rating_candidates
from app.core.session import Session
from benchmark.items.base import Pool


def rating_pool(session: Session, wishes: Wishes) -> Pool:  # noqa: ARG001
    """Return a candidate for each participant and stretch that people rated."""
    return rating_candidates(session)
