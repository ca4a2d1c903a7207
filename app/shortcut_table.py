"""The table of shortcuts: defaults, changes of the user, and that no two actions share a key.

Keys are texts in Qt's portable format, such as `Ctrl+Shift+Z`, already normalized; this module only compares them.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from project.entities.study_records import Json
from project.errors import UserError
from project.files.atomic_files import explain_os_errors, write_atomically
from project.text_format import escape_unprintable

Keys = Mapping[str, tuple[str, ...]]
_KIND = "greenroom shortcuts"
_MAX_FILE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class KeyTable:
    """The keys of all actions.

    Attributes:
        usual: action -> default keys.
        changed: action -> keys that the user set; they can be empty.
    """

    usual: Keys
    changed: Keys

    @classmethod
    def from_settings(cls, usual: Keys, kept: Mapping[str, Json]) -> "KeyTable":
        """Read the settings; unknown actions, invalid values and keys that are taken are left out."""
        table = cls(usual, {})
        for action, given in kept.items():
            if action not in usual or not isinstance(given, list):
                continue
            wanted = tuple(dict.fromkeys(key for key in given if isinstance(key, str) and key))
            table = table._with(action, wanted)
        seen: set[str] = set()
        clean: dict[str, tuple[str, ...]] = {}
        # Keys that the user set take precedence over defaults.
        for action in (*table.changed, *(action for action in usual if action not in table.changed)):
            keys = table.keys(action)
            free = tuple(key for key in keys if key not in seen)
            seen.update(free)
            if free != usual[action]:
                clean[action] = free
        return cls(usual, clean)

    def keys(self, action: str) -> tuple[str, ...]:
        """Return the keys of an action."""
        return self.changed.get(action, self.usual[action])

    def owner(self, key: str) -> str | None:
        """Return the action that has a key, or None."""
        return next((action for action in self.usual if key in self.keys(action)), None)

    def is_changed(self, action: str) -> bool:
        """Tell whether an action has other keys than its defaults."""
        return action in self.changed

    def assign(self, action: str, key: str, *, add: bool = False, take: bool = False) -> "KeyTable":
        """Return a table in which an action has a key, instead of its others or, with `add`, in addition."""
        other = self.owner(key)
        table = self
        if other is not None and other != action:
            if not take:
                raise UserError(
                    f"{key} already belongs to another action.", "Remove it from that action, or choose another key."
                )
            table = table._with(other, tuple(other_key for other_key in table.keys(other) if other_key != key))
        before = table.keys(action) if add else ()
        return table._with(action, (*(old_key for old_key in before if old_key != key), key))

    def clear(self, action: str) -> "KeyTable":
        """Return a table in which an action has no key."""
        return self._with(action, ())

    def reset(self, action: str) -> "KeyTable":
        """Return a table in which an action has its default keys, except those that other actions have."""
        taken = {key for other in self.usual if other != action for key in self.keys(other)}
        return self._with(action, tuple(key for key in self.usual[action] if key not in taken))

    def reset_all(self) -> "KeyTable":
        """Return the table with all defaults."""
        return KeyTable(self.usual, {})

    def as_json(self) -> dict[str, Json]:
        """Return the changed keys as JSON, for the settings."""
        return {action: [*keys] for action, keys in self.changed.items()}

    def _with(self, action: str, keys: tuple[str, ...]) -> "KeyTable":
        changed = {other: given for other, given in self.changed.items() if other != action}
        if keys != self.usual[action]:
            changed[action] = keys
        return KeyTable(self.usual, changed)


def shared_keys(table: KeyTable) -> list[str]:
    """Return the keys that more than one action has; edits of a table never produce any."""
    found: dict[str, int] = {}
    for action in table.usual:
        for key in table.keys(action):
            found[key] = found.get(key, 0) + 1
    return [key for key, count in found.items() if count > 1]


def write_keys(table: KeyTable, path: Path) -> None:
    """Write the changed keys to a file."""
    text = json.dumps({"kind": _KIND, "keys": table.as_json()}, indent=1, ensure_ascii=False) + "\n"
    with (
        explain_os_errors(f"“{escape_unprintable(path.name)}” cannot be written", "Choose another folder."),
        write_atomically(path, private=False) as file,
    ):
        file.write(text.encode())


def read_keys(usual: Keys, path: Path) -> KeyTable:
    """Read a file that `write_keys` wrote; actions that this version does not have are left out."""
    wrong = UserError(
        f"“{escape_unprintable(path.name)}” contains no shortcuts.", "Choose a file that was exported here."
    )
    try:
        with explain_os_errors(f"“{escape_unprintable(path.name)}” cannot be read", "Choose another file."):
            if path.stat().st_size > _MAX_FILE_BYTES:
                raise wrong
            found = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError):
        raise wrong from None
    if not isinstance(found, dict) or found.get("kind") != _KIND or not isinstance(found.get("keys"), dict):
        raise wrong
    given: dict[str, tuple[str, ...]] = {}
    for action, keys in found["keys"].items():
        if not isinstance(keys, list) or not all(isinstance(key, str) and key for key in keys):
            raise wrong
        if action in usual:
            given[action] = tuple(dict.fromkeys(keys))
    table = KeyTable(usual, {action: keys for action, keys in given.items() if keys != usual[action]})
    twice = shared_keys(table)
    if twice:
        raise UserError(
            f"“{escape_unprintable(path.name)}” assigns {_join_keys(twice)} to two actions.",
            "Correct the file, or set the keys here.",
        )
    return table


def _join_keys(keys: Iterable[str]) -> str:
    return ", ".join(escape_unprintable(key) for key in [*keys][:3])
