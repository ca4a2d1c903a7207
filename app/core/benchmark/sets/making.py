"""Makes item sets: draws the items of a task, freezes them, and stores them under a name."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.core.benchmark.sets.checksum import set_sha256
from app.core.benchmark.sets.segments import Stretches
from app.core.benchmark.sets.sources import pool_of, resolved
from app.core.benchmark.sets.wishes import HELD_OUT, Wishes, wishes_from
from app.core.clock import utc_now
from app.core.session import Session
from benchmark.items.base import Candidate, Pool, Rule
from benchmark.items.reasons import nothing_to_draw
from benchmark.suite.base import Entry
from benchmark.suite.registry import entry_of
from project.errors import UserError
from project.ids import new_id
from project.item_sets import FrozenItem, ItemSet
from project.names import shown
from project.queries.hold_outs import hold_outs
from project.queries.item_sets import all_sets, insert_set
from project.queries.recordings import all_recordings
from project.types import Changes, Json
from project.version import __version__

MOST_DRAWS = 1000
_USUAL = Wishes()


def make_set(
    session: Session,
    task: str,
    name: str = "",
    seed: int = 0,
    draws: int | None = None,
    size: int | None = None,
    options: Wishes = _USUAL,
) -> tuple[ItemSet, Changes]:
    """Draw the items of a task, freeze them, and store them; written once, never changed.

    Without a name, a set that is the same already is returned as it is, and nothing is written.

    Args:
        session: of the study.
        task: key of `benchmark.suite.registry`.
        name: of the set; "" for the task's key, with a number where that is taken.
        seed: the same seed draws the same items from the same study.
        draws: samples; None for as many as the task usually has.
        size: items of one sample at most; 0 for all there are, None for as many as the task usually has.
        options: what else is wished.

    Raises:
        UserError: there is no such task, the name is taken, a number makes no sense, a class is missing, or nothing can
            be drawn at all.
    """
    entry = entry_of(task)
    session.study.require_writable()
    name = free_name(session, name, task)
    made, items = drawn(session, entry, seed, entry.draws if draws is None else draws, size, options)
    return store_set(session, made, items, name)


def store_set(session: Session, made: ItemSet, items: Sequence[FrozenItem], name: str = "") -> tuple[ItemSet, Changes]:
    """Store what was drawn, also in another session of the study, as `make_set` does.

    Raises:
        UserError: the name is taken, nothing can be written, or a recording went or was held out since it was drawn.
    """
    session.study.require_writable()
    name = free_name(session, name, made.task)
    if not name:
        same = next(
            (one for one in all_sets(session.study) if (one.task, one.sha256) == (made.task, made.sha256)), None
        )
        if same is not None:
            return same, Changes()
    there = {one.id for one in all_recordings(session.study)}
    if HELD_OUT not in wishes_from(made.rule).include:
        there -= hold_outs(session.study)
    if not there.issuperset(one.recording_id for one in items):
        raise UserError("A recording was taken out or held out while the set was drawn.", "Make the set again.")
    made = replace(made, name=name or _next_name(session, made.task))
    with session.study.recording_run():
        insert_set(session.study, made, items)
    return made, Changes.of([("item_set", made.id), *(("item", one.id) for one in items)])


def drawn(
    session: Session, entry: Entry, seed: int, draws: int, size: int | None, wishes: Wishes
) -> tuple[ItemSet, list[FrozenItem]]:
    """Return a set without a name and its items; nothing is written.

    Raises:
        UserError: as `make_set`, but for the name.
    """
    most = entry.size if size is None else size
    if not 1 <= draws <= MOST_DRAWS:
        raise UserError("A set has at least one draw, and no more than a thousand.", "Give a number from 1.")
    if most < 0:
        raise UserError("A draw cannot have fewer than no items.", "Give a size from 1, or 0 for all there are.")
    wishes = resolved(session, entry.source, wishes)
    pool = pool_of(session, entry.source, wishes)
    more: dict[str, Json] = {"shares": dict(wishes.shares), "negatives": wishes.negatives}
    rule = Rule(most, wishes.stratify, more)
    set_id, stretches = new_id(), Stretches(session)
    items: list[FrozenItem] = []
    left_out = dict(pool.left_out)
    for draw in range(draws):
        found = entry.sample(pool, rule, random.Random(f"{seed} {draw}"))
        for reason, number in found.left_out.items():
            left_out[reason] = max(left_out.get(reason, 0), number)
        items += _frozen(set_id, draw, found.items, stretches)
    if not items:
        raise nothing_to_draw(f"nothing that “{entry.name}” can be asked about", Pool((), left_out))
    kept: dict[str, Json] = {"size": most, **wishes.as_json(), **_of_pool(pool)}
    sha256 = set_sha256(entry.key, seed, draws, kept, items)
    made = ItemSet(set_id, "", entry.key, seed, draws, kept, left_out, sha256, utc_now(), __version__)
    return made, items


def _of_pool(pool: Pool) -> dict[str, Json]:
    """Return the scheme that segments were read under."""
    if pool.scheme is None:
        return {}
    return {"scheme": pool.scheme.key, "track": pool.track, "scheme_version": pool.scheme.version}


def _frozen(set_id: str, draw: int, chosen: Sequence[Candidate], stretches: Stretches) -> list[FrozenItem]:
    return [
        FrozenItem(
            new_id(),
            set_id,
            draw,
            position,
            one.about,
            one.recording_id,
            one.start_us,
            one.end_us,
            _content(one.content),
            one.made_from or stretches.state(one.recording_id, one.start_us, one.end_us),
        )
        for position, one in enumerate(chosen)
    ]


def _content(content: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in content.items() if value not in (None, "", [], {})}


def free_name(session: Session, name: str, task: str) -> str:
    """Return a wished name of a set without spaces around it.

    Raises:
        UserError: another set has it.
    """
    name = name.strip()
    if name and any(name in (one.id, one.name) for one in all_sets(session.study)):
        raise UserError(
            f"There is an item set “{shown(name)}” already.",
            f"Choose another name, such as {_next_name(session, task)}.",
        )
    return name


def _next_name(session: Session, task: str) -> str:
    taken = {one.name for one in all_sets(session.study)}
    number, name = 1, task
    while name in taken:
        number += 1
        name = f"{task} {number}"
    return name
