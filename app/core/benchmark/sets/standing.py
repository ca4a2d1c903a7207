"""Whether a study still holds what the items of a set were made from, as it was then."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.benchmark.sets.segments import Stretches
from app.core.benchmark.sets.sources import pool_of
from app.core.benchmark.sets.wishes import wishes_from
from app.core.session import Session
from benchmark.items.base import Candidate
from benchmark.suite.registry import entry_of
from project.item_sets import FrozenItem, ItemSet
from project.queries.item_sets import items_of


@dataclass(frozen=True, slots=True)
class Changed:
    """The items of a set whose source is not what it was.

    Attributes:
        items: their ids, by draw and position: their source was edited or removed, is no longer agreed on, held out by
            now, or other words are told with it; a stretch that nobody had marked was marked.
    """

    items: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.items)


def changed_since(session: Session, item_set: ItemSet) -> Changed:
    """Return the items of a set whose source has changed since it was made, by the checksum that was kept of it.

    Raises:
        UserError: the set is damaged, or what it was drawn from cannot be read any more.
    """
    pool = pool_of(session, entry_of(item_set.task).source, wishes_from(item_set.rule))
    now = {(one.about, one.start_us, one.end_us, one.made_from) for one in pool.candidates}
    gaps: dict[str, list[Candidate]] = {}
    for one in pool.gaps:
        gaps.setdefault(one.recording_id, []).append(one)
    stretches = Stretches(session)

    def as_it_was(item: FrozenItem) -> bool:
        if item.about:
            return (item.about, item.start_us, item.end_us, item.made_from) in now
        return _free(item, gaps.get(item.recording_id, ())) and item.made_from == stretches.state(
            item.recording_id, item.start_us, item.end_us
        )

    return Changed(tuple(one.id for one in items_of(session.study, item_set.id) if not as_it_was(one)))


def _free(item: FrozenItem, gaps: Sequence[Candidate]) -> bool:
    return any(one.start_us <= item.start_us and item.end_us <= one.end_us for one in gaps)
