"""Frozen items that hold personal information are counted, and left as they are."""

from pathlib import Path

from anonymize.release.private_content import count_personal_items
from project.entities.frozen_items import FrozenItem, ItemSet
from project.queries.item_set_rows import insert_set, items_of
from project.queries.pii_rows import PrivateWord, put_private_word
from project.session.session import Session
from project.store.study import Study


def test_items_with_a_private_word_are_counted_by_their_set(tmp_path: Path) -> None:
    Study.create(tmp_path / "lab.greenroom").close()
    contents = ({"options": ["Quillerin laughs", "nobody does"]}, {"options": ["it waits"], "facts": {"a": "it rains"}})
    items = [FrozenItem(f"i{at}", "set", 0, at, "", "r", 0, 5, content) for at, content in enumerate(contents)]
    with Session.open(tmp_path / "lab.greenroom", "Ada") as session:
        with session.step("Hide"):
            put_private_word(session.study, PrivateWord("Quillerin", "P01"))
        with session.study.run_transaction():
            insert_set(session.study, ItemSet("set", "verdict", "verdict", 0, 1, {}, {}, "ab", "2026", "1"), items)
        assert count_personal_items(session) == {"verdict": 1}
        assert items_of(session.study, "set") == items
