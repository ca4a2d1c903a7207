"""What holds for every command of the command line, also for those that are yet to come."""

import re
from pathlib import Path

import click
import pytest

from tests.builders.command_chain import CHAIN, COMMANDS, WINDOW, WITH_TESTS_OF_THEIR_OWN
from tests.builders.terminal import Terminal

WITHOUT_STUDY = {"desktop", "docs", "new", "synthetic", "check", "scheme show", "scheme check", "benchmark tasks"}


def test_each_is_in_the_chain_of_all_commands_or_has_tests_of_its_own() -> None:
    assert {name for name, _ in CHAIN} | WINDOW | WITH_TESTS_OF_THEIR_OWN == set(COMMANDS)


def test_its_help_says_what_it_and_its_options_do_with_an_example_of_it(greenroom: Terminal) -> None:
    for name, command in COMMANDS.items():
        said = greenroom(*name.split(), "--help")
        about, _, example = said.partition("\n")[2].partition("Example:")
        assert about.strip(), name
        assert f"greenroom {name}" in example, name
        options = [option for option in command.params if isinstance(option, click.Option) and option.name != "help"]
        assert [option.name for option in options if not (option.help or "").endswith(".")] == [], name
        assert name in WINDOW or any("--json" in option.opts for option in options), name


def test_the_help_lists_every_command_on_a_line_of_its_own_under_a_heading(
    greenroom: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = greenroom("--help").partition("Options:")[2]
    listed = re.findall(r"^  ([a-z][a-z-]*) +[A-Z].*\.$", said, re.MULTILINE)
    assert set(listed) == {name.split()[0] for name in COMMANDS}
    assert "..." not in said
    assert len(re.findall(r"^[A-Z].*:$", said, re.MULTILINE)) >= 6


def test_a_study_that_is_not_there_is_one_line_and_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, greenroom: Terminal
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clip.mp4").touch()
    about_studies = {name: arguments for name, arguments in CHAIN if name.partition(" ")[0] != "models"}
    for name in about_studies.keys() - WITHOUT_STUDY:
        arguments = [argument.replace("lab.greenroom", "gone.greenroom") for argument in about_studies[name]]
        assert "gone.greenroom" in greenroom(*name.split(), *arguments, code=2), name
        assert [path.name for path in tmp_path.iterdir()] == ["clip.mp4"], name
