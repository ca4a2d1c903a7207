"""What is known of questions, judges and chains, as a thread computes it."""

from dataclasses import dataclass

from app.core.chains.statistics import ChainStatistics, statistics
from app.core.questions.measures import Measures, computed, read
from app.core.session import Session
from project.progress import Progress

MATTERS = frozenset(
    {
        *("question", "verification", "judgment", "judge"),
        *("chain", "chain_node", "chain_edge", "chain_person", "recording"),
    }
)
"""Tables that the figures depend on."""


@dataclass(frozen=True, eq=False)
class Found:
    """All figures of one moment."""

    measures: Measures
    chains: ChainStatistics


def measure(second: Session, progress: Progress, everything: bool) -> Found:
    """Read the study and compute.

    Args:
        second: a look into the study that nobody else uses.
        progress: told how far it is.
        everything: whether what takes long is computed too.

    Raises:
        Cancelled: the user stopped it.
    """
    material = read(second)
    progress.check_cancelled()
    chains = statistics(material.graphs)
    progress.check_cancelled()
    return Found(computed(material, everything=everything, progress=progress), chains)
