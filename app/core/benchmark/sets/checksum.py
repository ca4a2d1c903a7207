"""The hash by which an item set is known."""

import hashlib
import json
from collections.abc import Iterable, Mapping

from project.item_sets import FrozenItem
from project.types import Json


def set_sha256(task: str, seed: int, draws: int, rule: Mapping[str, Json], items: Iterable[FrozenItem]) -> str:
    """Return the SHA-256 of a set: of its task, its rule and all that its items are, without ids, name and date.

    So two studies of the same content give the same hash, and so does the same seed.
    """
    listed = [
        [
            *(one.draw, one.position, one.about, one.recording_id, one.start_us, one.end_us),
            *(dict(one.content), one.made_from),
        ]
        for one in items
    ]
    text = json.dumps([task, seed, draws, dict(rule), listed], sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
