"""What a card says about a face track or a region."""

from dataclasses import dataclass
from enum import StrEnum

from resources.translation import later


class CardState(StrEnum):
    """What was said about a face so far."""

    UNDECIDED = later("to decide")
    DOUBTFUL = later("doubtful")
    ASSIGNED = later("assigned")
    DRAWN = later("drawn by hand")
    AREA = later("always masked")
    NOTHING = later("no face in it")
    DISMISSED = later("not a face")


TO_DECIDE = frozenset({CardState.UNDECIDED, CardState.DOUBTFUL})


@dataclass(frozen=True, slots=True)
class FaceCard:
    """One card.

    Attributes:
        key: id of the track or region.
        title: such as `Face 3`.
        who: pseudonym of the participant; "" for nobody.
        participant_id: of the participant.
        start_us: when it begins.
        length_us: for how long it lasts.
        score: the best confidence of the detector, 0 to 1; None where a person drew it.
        places: how many uncertain or uncovered places are about it.
        rank: where the first of those is in the queue; large for none.
        drawn: a person drew it.
    """

    key: str
    title: str
    state: CardState
    start_us: int
    length_us: int
    score: float | None = None
    who: str = ""
    participant_id: str | None = None
    places: int = 0
    rank: int = 1 << 30
    drawn: bool = False

    @property
    def to_decide(self) -> bool:
        """Whether nobody said anything about it yet."""
        return self.state in TO_DECIDE
