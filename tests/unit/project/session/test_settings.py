import errno
import json
from pathlib import Path

import pytest

from project.session.settings import (
    Settings,
    _settings_path,
    load_settings,
    load_view,
    log_path,
    save_settings,
    save_view,
)


def test_settings_and_views_come_back_as_they_were_saved() -> None:
    chosen = Settings(theme="dark", annotator="Ada", volume=30)
    for name in "abca":
        chosen = chosen.with_recent(Path(f"/lab/{name}.greenroom"))
    assert [Path(recent).stem for recent in chosen.recent] == ["a", "c", "b"], "the newest first, and only once"
    save_settings(chosen)
    assert load_settings() == chosen
    assert [p.name for p in _settings_path().parent.iterdir()] == ["settings.json"]
    save_view("one", {"playhead": 5})
    assert (load_view("one"), load_view("two")) == ({"playhead": 5}, {})


def test_a_full_disk_leaves_the_settings_as_they_were_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    save_settings(Settings(annotator="Ada"))

    def full(*_arguments: object, **_more: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(json, "dump", full)
    save_settings(Settings(annotator="Ben"))
    assert load_settings().annotator == "Ada"
    assert [p.name for p in _settings_path().parent.iterdir()] == ["settings.json"]


def test_damaged_settings_give_the_defaults() -> None:
    save_settings(Settings(theme="dark", annotator="Ada"))
    for content in ("{", "[]", '{"theme": 3, "unknown": 1}', '{"recent": 5}'):
        _settings_path().write_text(content)
        assert load_settings().volume == 80
    _settings_path().write_text('{"annotator": 7, "recent": ["a", 3], "window": [], "theme": "dark"}')
    found = load_settings()
    assert (type(found.annotator), found.recent, found.window, found.theme) == (str, ("a",), {}, "dark")


def test_of_a_long_log_the_newest_lines_stay_and_whoever_writes_goes_on() -> None:
    log = log_path()
    with log.open("a", buffering=1) as open_already:
        for number in range(100_000):
            open_already.write(f"line {number:06}\n")
        length = log.stat().st_size
        assert log_path() == log
        open_already.write("the last\n")
    lines = log.read_text().splitlines()
    assert log.stat().st_size < length
    assert lines[-1] == "the last"
    assert lines[:-1] == [f"line {number:06}" for number in range(100_000 - len(lines) + 1, 100_000)]
    assert log.stat().st_mode & 0o777 == 0o600
