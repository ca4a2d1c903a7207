"""What is personal in the texts and speech of a study, as far as a release asks; searched once for all recordings."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from anonymize.pii.kinds import KINDS
from app.core.pii.hits import PlacedHit, hits, spoken_of
from app.core.release.sound import Spoken
from app.core.session import Session

_TEXTS = frozenset({"utterance", "segment_value", "comment"})
"""Where texts are kept that leave; names of recordings and notes about participants never do."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """A place that looks personal and that nobody decided on. It says what kind it is, never what stands there.

    Attributes:
        time_us: when it is said, or where what it is about begins.
        where: `utterance`, `rationale`, ...
        what: the kind, for people.
    """

    time_us: int
    where: str
    what: str


@dataclass(frozen=True)
class Personal:
    """What is personal in a study, searched when it is first asked for."""

    session: Session

    def undecided(self, recording_id: str, *, texts: bool, speech: bool) -> Iterator[Undecided]:
        """Yield the places of a recording that leave and that nobody decided on, by time.

        Args:
            recording_id: of the recording.
            texts: whether its texts leave, the transcript among them.
            speech: whether its sound leaves.
        """
        if not (texts or speech):
            return
        for one in self._found.get(recording_id, ()):
            leaves = texts if one.place.table in _TEXTS else False
            if one.verdict is None and (leaves or (speech and one.is_spoken)):
                where = "utterance" if one.is_spoken else one.place.field
                yield Undecided(one.time_us, where, KINDS[one.kind].title.lower())

    def spoken(self, recording_id: str) -> list[Spoken]:
        """Return where something personal is said in a recording that nobody decided to keep."""
        found = spoken_of(self._found.get(recording_id, ()))
        return [Spoken(one.start_us, one.end_us, one.kind, one.measured) for one in found]

    @cached_property
    def _found(self) -> dict[str, list[PlacedHit]]:
        found: dict[str, list[PlacedHit]] = {}
        for one in hits(self.session):
            if one.recording_id is not None:
                found.setdefault(one.recording_id, []).append(one)
        return found
