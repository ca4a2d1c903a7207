"""Identifiers."""

import uuid
from concurrent.futures import ThreadPoolExecutor

from project.ids import is_id, new_id


def test_ids_sort_in_the_order_they_were_made() -> None:
    made = [new_id() for _ in range(20_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert all(
        is_id(text) and uuid.UUID(text).version == 7 and uuid.UUID(text).variant == uuid.RFC_4122 for text in made
    )


def test_threads_never_make_the_same() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = [text for batch in pool.map(lambda _: [new_id() for _ in range(2_000)], range(8)) for text in batch]
    assert len(set(made)) == len(made)


def test_an_id_is_told_from_other_texts() -> None:
    assert not any(map(is_id, ("", "1", str(uuid.uuid4()), new_id().upper(), f"{new_id()}x")))
