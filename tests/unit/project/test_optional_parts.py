"""Optional parts: told apart by their modules, and said in one line where they are missing."""

import sys

import pytest

from project.errors import UserError
from project.session.optional_parts import GPU, NAMES, OptionalPart


def part(*modules: str) -> OptionalPart:
    return OptionalPart("toy", "Playing", "Toys", "MIT", 1, {module: module for module in modules})


def test_it_is_installed_where_all_of_its_modules_are_there() -> None:
    assert part("json", "email.message").is_installed
    assert not part("json", "no_such_module").is_installed
    assert not part("no_such_package.module").is_installed


def test_nothing_is_imported_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "this", raising=False)
    assert part("this").is_installed
    assert "this" not in sys.modules


def test_where_it_is_missing_one_line_names_the_command(without_names: None) -> None:
    with pytest.raises(UserError) as raised:
        NAMES.require()
    assert str(raised.value) == (
        "Searching texts for personal information needs the optional part “names”, which is not installed. "
        "Get it: greenroom models fetch names"
    )


def test_the_usual_onnxruntime_alone_is_not_that_of_a_graphics_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nvidia", None)
    assert not GPU.is_installed
