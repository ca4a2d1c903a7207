"""Whatever a model or a study says, it does not steer the terminal that shows it."""

import json
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.cli.console import Bar, Output, print_output, to_json_line

EVIL = "\x1b[31m\x1b]0;title\x07\u202eevil\x9b31m\x7f\u2028\U000e0041"


@given(st.dictionaries(st.text(), st.text() | st.lists(st.text())))
def test_an_object_is_printable_and_says_the_same(result: dict[str, str | list[str]]) -> None:
    line = to_json_line(result)
    assert line.isprintable()
    assert json.loads(line) == result


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text() | st.just(EVIL))
def test_lines_for_people_are_printable(capsys: pytest.CaptureFixture[str], text: str) -> None:
    capsys.readouterr()
    print_output(Output({}, text), as_json=False)
    assert all(line.isprintable() for line in capsys.readouterr().out.split("\n"))


def test_progress_is_printable(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    bar = Bar(f"Ask {EVIL}")
    bar.progress(1, 1, EVIL)
    bar.progress(1, 0, EVIL)
    drawn = capsys.readouterr().err.split("\r\033[K")
    assert len(drawn) == 2 or len(drawn) == 3
    assert all(line.isprintable() for line in drawn)
