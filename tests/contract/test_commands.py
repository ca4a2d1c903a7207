"""What holds for every command of the command line, also for those that are yet to come."""

import re
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from app.cli.command_help import SCREEN_LINES
from app.cli.main import COMPLETION_VARIABLE
from app.cli.main import greenroom as program
from project.files.temporary_files import CACHE_FOLDER_VARIABLE
from tests.builders.command_chain import CHAIN, COMMANDS, WINDOW, WITH_TESTS_OF_THEIR_OWN
from tests.builders.terminal import Terminal

WITHOUT_STUDY = {"docs", "new", "study synthetic", "study check", "scheme show", "scheme check", "benchmark tasks"}


def test_each_is_in_the_chain_of_all_commands_or_has_tests_of_its_own() -> None:
    assert {name for name, _ in CHAIN} | WINDOW | WITH_TESTS_OF_THEIR_OWN == set(COMMANDS)


def test_the_first_level_has_few_names_on_one_screen(greenroom: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert len({name.split()[0] for name in COMMANDS} - {"demo", "open", "new", "add", "info", "doctor"}) <= 20
    assert len(greenroom("--help").splitlines()) <= 40


def test_its_help_fits_a_screen_and_names_every_option_with_an_example(
    greenroom: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name, command in COMMANDS.items():
        said = greenroom(*name.split(), "--help")
        assert len(said.splitlines()) <= SCREEN_LINES, name
        about, _, rest = said.partition("Example:")
        assert len(about.splitlines()) > 2, name
        assert f"greenroom {name}" in rest, name
        options = [option for option in command.params if isinstance(option, click.Option)]
        assert [option.name for option in options if option.opts[0] not in rest] == [], name
        assert name in WINDOW or any("--json" in option.opts for option in options), name
        whole = _squeeze(greenroom(*name.split(), "--help-all"))
        helps = [option.help or "" for option in options if option.name != "help"]
        assert [text for text in helps if not text.endswith(".") or _squeeze(text) not in whole] == [], name


def _squeeze(text: str) -> str:
    return "".join(text.split())


def test_the_help_lists_every_command_on_a_line_of_its_own_under_a_heading(
    greenroom: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = greenroom("--help").partition("Example:")[2]
    listed = re.findall(r"^  ([a-z][a-z-]*) +[A-Z].*\.$", said, re.MULTILINE)
    assert set(listed) == {name.split()[0] for name in COMMANDS}
    assert "..." not in said
    assert len(re.findall(r"^[A-Z].*:$", said, re.MULTILINE)) >= 4


def test_a_study_that_is_not_there_is_one_line_and_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, greenroom: Terminal
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clip.mp4").touch()
    about_studies = {name: arguments for name, arguments in CHAIN if name.partition(" ")[0] not in ("model", "setup")}
    for name in about_studies.keys() - WITHOUT_STUDY:
        arguments = [argument.replace("lab.greenroom", "gone.greenroom") for argument in about_studies[name]]
        assert "gone.greenroom" in greenroom(*name.split(), *arguments, code=2), name
        assert [path.name for path in tmp_path.iterdir()] == ["clip.mp4"], name


def test_the_shell_completes_the_options_that_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_FOLDER_VARIABLE, str(tmp_path))
    for name, command in COMMANDS.items():
        for kept in ("imported", "from the cache"):
            options = {flag for option in command.params for flag in (*option.opts, *option.secondary_opts)}
            asked = ShellComplete(program, {}, "greenroom", COMPLETION_VARIABLE).get_completions(name.split(), "--")
            expected = {"--help", *(flag for flag in options if flag.startswith("--"))}
            assert {item.value for item in asked} == expected, (name, kept)
