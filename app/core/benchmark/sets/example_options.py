"""Options for examples of tasks about items of a set, drawn for a segment as for an item, from the study."""

import random
from collections.abc import Callable

from app.core.benchmark.sets.segments import segment_pool
from app.core.benchmark.sets.wishes import REVIEWED, Wishes
from app.core.session import Session
from benchmark.items.distractors import choices
from benchmark.items.order import in_order
from benchmark.suite.choices import FiveOptions
from benchmark.suite.registry import entry_of
from benchmark.suite.segments import label_of
from benchmark.tasks.base import Frozen
from project.types import Segment


def example_options(
    session: Session, task: str, one: Segment, usable: Callable[[str], bool]
) -> tuple[Frozen, tuple[str, ...]] | None:
    """Return what a segment would bring as an item, and the other recordings that its wrong options are from.

    The same segment brings the same, as long as the study does not change.

    Args:
        session: of the study.
        task: one of `benchmark.tasks.registry.OF_SETS`.
        one: of which people agree.
        usable: whether words of a recording may be sent.

    Returns:
        None where the task is not asked about such a segment, or there are not four wrong options.
    """
    entry = entry_of(task)
    assert isinstance(entry, FiveOptions)
    pool = segment_pool(session, Wishes((REVIEWED,), scheme=one.scheme, track=one.track))
    labelled = [each for each in in_order(pool.candidates) if label_of(each) == entry.label and entry.text(each)]
    own = next((each for each in labelled if each.about == one.id), None)
    if own is None:
        return None
    made = choices(
        own,
        entry.text,
        labelled,
        random.Random(one.id),
        lambda other: entry.fits(pool, own, other) and usable(other.recording_id),
    )
    if made is None:
        return None
    facts = {key: str(value) for key, value in entry.facts(own).items()}
    return Frozen(made.options, made.place, facts), made.homes
