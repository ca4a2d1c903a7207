"""Keys of actions: whatever a user does, no two actions share one."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.shortcut_table import KeyTable, read_keys, shared_keys, write_keys
from project.errors import UserError

USUAL = {"undo": ("Ctrl+Z",), "redo": ("Ctrl+Shift+Z", "Ctrl+Y"), "make": ("A",), "rename": (), "delete": ("Del",)}
ACTIONS = st.sampled_from(sorted(USUAL))
KEYS = st.sampled_from(["Ctrl+Z", "Ctrl+Y", "A", "B", "Del", "F9"])
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("assign"), ACTIONS, KEYS, st.booleans(), st.booleans()),
        st.tuples(st.just("clear"), ACTIONS),
        st.tuples(st.just("reset"), ACTIONS),
        st.tuples(st.just("reset_all")),
    ),
    max_size=30,
)


@given(EDITS)
def test_no_two_actions_share_a_key_after_any_edits(edits: list[tuple[object, ...]]) -> None:
    table = KeyTable(USUAL, {})
    for what, *about in edits:
        before = table
        if what == "assign":
            action, key, add, take = about
            other = table.owner(str(key))
            try:
                table = table.assign(str(action), str(key), add=bool(add), take=bool(take))
                assert take or other in (None, action), "a key that is taken is given only after a warning"
                assert str(key) in table.keys(str(action))
            except UserError:
                assert other not in (None, action)
                assert table == before
        else:
            table = getattr(table, str(what))(*map(str, about))
        assert shared_keys(table) == []
        assert KeyTable.from_settings(USUAL, table.as_json()) == table, "the settings keep it"


@given(st.dictionaries(ACTIONS, st.lists(KEYS, max_size=3), max_size=5))
def test_settings_that_somebody_wrote_by_hand_give_no_shared_keys(kept: dict[str, list[str]]) -> None:
    assert shared_keys(KeyTable.from_settings(USUAL, {**kept, "gone": ["Q"], "undo ": 3})) == []


def test_taking_a_key_leaves_the_other_action_without_it() -> None:
    table = KeyTable(USUAL, {}).assign("make", "Ctrl+Y", take=True)
    assert (table.keys("make"), table.keys("redo")) == (("Ctrl+Y",), ("Ctrl+Shift+Z",))
    assert table.reset("redo").keys("redo") == ("Ctrl+Shift+Z",), "what was given away stays away"
    assert table.reset("make").reset("redo").changed == {}


def test_a_file_brings_keys_to_another_machine(tmp_path: Path) -> None:
    table = KeyTable(USUAL, {}).assign("make", "F9").clear("undo")
    write_keys(table, tmp_path / "mine.json")
    assert read_keys(USUAL, tmp_path / "mine.json") == table
    assert [path.name for path in tmp_path.iterdir()] == ["mine.json"]


@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"kind": "other"}',
        json.dumps({"kind": "greenroom shortcuts", "keys": {"make": [3]}}).encode(),
        json.dumps({"kind": "greenroom shortcuts", "keys": {"make": ["Del"]}}).encode(),
        b" " * 2_000_000,
    ],
)
def test_bad_files_change_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.json").write_bytes(content)
    with pytest.raises(UserError):
        read_keys(USUAL, tmp_path / "bad.json")
