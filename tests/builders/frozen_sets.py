"""Item sets that a test puts together by hand, and a task of the benchmark that asks one thing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from benchmark.tasks.benchmark_task import Round
from project.entities.frozen_items import FrozenItem, ItemSet
from project.entities.study_records import Json
from project.queries.item_set_rows import insert_set
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK


class AskVerdict:
    """As much of a task of the suite as whoever asks its items needs."""

    key: ClassVar[str] = "verdict"
    name: ClassVar[str] = "Verdict"
    rounds: ClassVar[tuple[Round, ...]] = (Round("verdict"), Round("error", is_followup=True))


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
        insert_set(
            session.study, new, [replace(frozen_item, position=place) for place, frozen_item in enumerate(items)]
        )
    return new
