"""Recordings and their lanes, as they gather while BORIS's events are read."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from app.core.interchange.document import Entry, Lane, MediaLink, RecordingPart
from app.core.interchange.unique import unique

NO_SUBJECT = "No focal subject"


class LaneKey(NamedTuple):
    """What tells lanes apart: our scheme and track where Greenroom wrote them, BORIS's category elsewhere."""

    kind: str
    annotator: str
    participant: str
    scheme: str
    track: str
    category: str

    @property
    def title(self) -> str:
        """What the lane is called."""
        if self.kind == "utterances":
            words = ["Speech", self.participant]
        elif self.scheme or self.track:
            words = [self.annotator, f"{self.scheme}.{self.track}"]
        else:
            words = [self.annotator, self.participant or NO_SUBJECT, self.category]
        return " ".join(word for word in words if word)


def _unknown(_key: LaneKey) -> tuple[str, ...]:
    return ()


@dataclass(slots=True)
class Part:
    """What is known of one recording so far."""

    name: str
    id: str
    media: tuple[MediaLink, ...]
    duration_us: int
    lanes: dict[LaneKey, list[Entry]] = field(default_factory=dict)

    def finished(self, vocabulary: Callable[[LaneKey], tuple[str, ...]] = _unknown) -> RecordingPart:
        """Return the recording; `vocabulary` gives the labels that a lane could have."""
        taken: set[str] = set()
        lanes = [
            Lane(unique(key.title, taken), tuple(entries), *key[:-1], vocabulary(key))
            for key, entries in self.lanes.items()
        ]
        return RecordingPart(self.name, tuple(lanes), self.media, self.duration_us, self.id)
