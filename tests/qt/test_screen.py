"""Whether there is a screen that the window could open on."""

import pytest

from app.gui import startup as screen
from project.errors import UserError


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


def test_without_a_screen_it_is_one_line() -> None:
    with pytest.raises(UserError, match="There is no screen"):
        screen.check_screen()


@pytest.mark.parametrize("name", [":4711", "nonsense"])
def test_a_screen_that_does_not_answer_is_one_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", name)
    with pytest.raises(UserError, match=f"The screen {name} cannot be reached"):
        screen.check_screen()


@pytest.mark.parametrize(
    "variables",
    [{"QT_QPA_PLATFORM": "offscreen"}, {"WAYLAND_DISPLAY": "wayland-0"}, {"WAYLAND_DISPLAY": "w", "DISPLAY": ":4711"}],
)
def test_what_needs_no_x11_is_not_asked(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    screen.check_screen()
