"""Sets of items made by hand, without a rule of sampling."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from project.entities.frozen_items import FrozenItem, ItemSet
from project.entities.study_records import Json
from project.ids import new_id
from project.queries.item_set_rows import insert_set
from project.session.session import Session
from project.timebase import utc_now
from project.version import __version__
from tests.builders.marked_study import SECOND, WALK

LABELS: list[Json] = ["error", "competence", "none"]


def lasting_longer(place: int) -> tuple[int, int]:
    """Return a stretch a tenth of a second longer than the one before, so that no two questions are equal."""
    start = place * SECOND // 2
    return start, start + SECOND + place * SECOND // 10


def verdicts(
    session: Session,
    labels: Sequence[str],
    *,
    name: str = "by hand",
    draws: int = 1,
    recordings: Sequence[str] = (WALK,),
    traits: Sequence[Mapping[str, Json]] = (),
    span: Callable[[int], tuple[int, int]] = lasting_longer,
    same: bool = False,
) -> tuple[ItemSet, list[FrozenItem]]:
    """Freeze one stretch for each label as an item of the task `verdict`, in turn over draws and recordings.

    With `same`, every draw has the moments of the first.
    """
    set_id = new_id()
    made = ItemSet(set_id, name, "verdict", 0, draws, {}, {}, "0" * 64, utc_now(), __version__)
    items = []
    for at, label in enumerate(labels):
        place = at // draws if same else at
        content: dict[str, Json] = {
            "scheme": session.scheme.key,
            "track": session.scheme.tracks[0].key,
            "label": label,
            "truth": {"verdict": {"label": label}},
            "traits": {"labels": LABELS, **(traits[at] if traits else {})},
        }
        home = recordings[place % len(recordings)]
        items.append(FrozenItem(new_id(), set_id, at % draws, at // draws, "", home, *span(place), content))
    with session.study.run_transaction():
        insert_set(session.study, made, items)
    return made, items


def stretch(
    identifier: str, start: float, end: float, about: str = "", *, draw: int = 0, **content: Json
) -> FrozenItem:
    """Return an item of the scheme of SHREC, from and to a second; of nothing that was marked where `about` is ""."""
    usual: dict[str, Json] = {"scheme": "shrec", "track": "segments", "label": "error" if about else "none"}
    span = round(start * SECOND), round(end * SECOND)
    return FrozenItem(identifier, "set", draw, 0, about, WALK, *span, usual | content, "made")


def freeze(
    session: Session, items: Sequence[FrozenItem], task: str = "verdict", draws: int = 1, key: str = "set"
) -> ItemSet:
    """Store a set called as its task; `key` is its id, which its items know too."""
    new = ItemSet(key, task, task, 0, draws, {}, {}, "0" * 64, "2026-01-01T00:00:00", "1")
    with session.study.run_transaction():
        insert_set(session.study, new, [replace(item, position=place) for place, item in enumerate(items)])
    return new
