"""Which sets of items are asked: those that are named, else one of each task, which is made where there is none."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.benchmark.sets.making import make_set
from app.core.benchmark.sets.sources import resolved
from app.core.benchmark.sets.wishes import Wishes, wishes_from
from app.core.session import Session
from benchmark.suite.base import Entry
from benchmark.suite.registry import entry_of
from project.errors import UserError
from project.item_sets import ItemSet
from project.judging import RAW
from project.names import shown
from project.queries.item_sets import all_sets, set_called
from project.types import Changes


@dataclass(frozen=True, slots=True)
class Chosen:
    """Sets that are asked.

    Attributes:
        made: ids of those that were made for that.
        changes: rows that were written.
    """

    sets: tuple[ItemSet, ...]
    made: frozenset[str]
    changes: Changes


def choose_sets(
    session: Session,
    tasks: Sequence[str] = (),
    names: Sequence[str] = (),
    *,
    seed: int = 0,
    draws: int | None = None,
    conditions: Sequence[str] = (RAW,),
) -> Chosen:
    """Return the sets that are named, and of each other task the newest that was drawn in the usual way.

    It is one of this seed, these draws and conditions, and of the size that the task has; it is made where there is
    none, from recordings that have a rendering of every condition, so that all conditions are about the same moments.

    Args:
        session: of the study.
        tasks: keys of the suite.
        names: names or ids of sets.
        seed: of what is drawn.
        draws: samples; as many as the task usually has where None.
        conditions: that it is to be asked under.

    Raises:
        UserError: there is no such set or task, a set is none of the named tasks, nothing is named, or nothing can be
            drawn.
    """
    if not tasks and not names:
        raise UserError("There is nothing to run.", "Name a task, --task verdict, or a set of items, --set NAME.")
    named = {one.id: one for one in (_named(session, name, tasks) for name in names)}
    methods = tuple(one for one in dict.fromkeys(conditions) if one != RAW)
    changes, made = Changes(), set[str]()
    for task in dict.fromkeys(tasks):
        entry = entry_of(task)
        if any(one.task == task for one in named.values()):
            continue
        number = entry.draws if draws is None else draws
        matched = resolved(session, entry.source, Wishes(conditions=methods)).conditions
        found = _newest(session, entry, seed, number, matched)
        if found is None:
            name = _free(session, f"{task}-seed-{seed}")
            found, new = make_set(session, task, name, seed, number, None, Wishes(conditions=methods))
            changes |= new
            made.add(found.id)
        named[found.id] = found
    return Chosen(tuple(named.values()), frozenset(made), changes)


def _named(session: Session, name: str, tasks: Sequence[str]) -> ItemSet:
    found = set_called(session.study, name)
    if found is None:
        known = ", ".join(one.name for one in all_sets(session.study))
        hint = f"There are: {known}." if known else "Make one: greenroom benchmark make STUDY --task TASK"
        raise UserError(f"There is no set of items “{shown(name)}” in this study.", hint)
    if tasks and found.task not in tasks:
        raise UserError(
            f"The set “{shown(found.name)}” is one of the task “{found.task}”.", f"Name the task: --task {found.task}"
        )
    return found


def _newest(session: Session, entry: Entry, seed: int, draws: int, methods: Sequence[str]) -> ItemSet | None:
    """Return the newest set that was drawn as one would be drawn now; not one that somebody wished otherwise."""
    default = session.scheme

    def fits(one: ItemSet) -> bool:
        if (one.task, one.seed, one.draws) != (entry.key, seed, draws) or one.rule.get(
            "size", entry.size
        ) != entry.size:
            return False
        wishes = wishes_from(one.rule)
        of_default = wishes.scheme in ("", default.key) and wishes.track in ("", default.tracks[0].key)
        usual = Wishes(scheme=wishes.scheme, track=wishes.track, conditions=wishes.conditions)
        return of_default and wishes == usual and {*wishes.conditions} == {*methods}

    return next((one for one in reversed(all_sets(session.study)) if fits(one)), None)


def _free(session: Session, name: str) -> str:
    taken = {one.name for one in all_sets(session.study)}
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found
