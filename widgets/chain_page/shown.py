"""What the page shows about a node, a chain and its reviews."""

from collections.abc import Mapping
from dataclasses import dataclass

from project.chains import ChainDecision, Node
from resources.translation import tr


@dataclass(frozen=True, slots=True)
class ListedChain:
    """A chain to choose: its id, its name, and who drew it with how many nodes."""

    key: str
    name: str
    about: str


@dataclass(frozen=True, slots=True)
class ShownNode:
    """A node in the form.

    Attributes:
        node: the node.
        reasons: the nodes that are reasons for it, by time.
        results: the nodes that it is a reason for, by time.
        flags: what is wrong with it, in lines; "" for nothing.
    """

    node: Node
    reasons: tuple[Node, ...]
    results: tuple[Node, ...]
    flags: str


@dataclass(frozen=True, slots=True)
class ShownCheck:
    """One thing that is wrong: with which node ("" for the chain), what the node says, and the message."""

    node_id: str
    about: str
    message: str
    warning: bool


@dataclass(frozen=True, slots=True)
class SaidReview:
    """What somebody said: who, what, with which note, when, and whether the chain was changed since."""

    who: str
    decision: ChainDecision
    note: str
    when: str
    outdated: bool


@dataclass(frozen=True, slots=True)
class ShownReviews:
    """The review part.

    Attributes:
        chain_id: of the chain.
        lines: where the chain comes from, for people to read.
        said: what others, or oneself, said about it.
        decidable: whether who works here may say something about it.
        mine: what they said last; None for nothing.
        note: their note.
        copyable: whether they may make a version of their own of it.
        agreeable: whether it may be made the agreed version.
        why_not: why nothing can be said; "" where something can.
    """

    chain_id: str
    lines: tuple[str, ...]
    said: tuple[SaidReview, ...]
    decidable: bool
    mine: ChainDecision | None
    note: str
    copyable: bool
    agreeable: bool
    why_not: str


DECISIONS: Mapping[ChainDecision, tuple[str, str]] = {
    ChainDecision.AGREE: (tr("Agree"), "Y"),
    ChainDecision.CHANGE: (tr("Change"), "X"),
    ChainDecision.DISCUSS: (tr("Discuss"), "Q"),
}
"""What can be said about a chain: its name and its key."""
