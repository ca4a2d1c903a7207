"""Every block of the pages in docs/ that somebody types runs, page by page, on a copy of one small study."""

import contextlib
import io
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import click
import pytest

from app.cli.main import greenroom as program
from tests.builders.cheap_key import make_keys_cheap
from tests.builders.encrypted_study import PASSPHRASE
from tests.builders.page_study import NEEDS, STUDY, make_page_study
from tests.builders.terminal import Terminal
from tests.contract.documentation import ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("english_names")]

TYPED_ELSEWHERE = {"tutorial", "two-annotators"}
"""Pages whose figures `test_tutorials` checks while it types them."""
BLOCK = re.compile(r"^```\w*\n((?:.*\n)*?)```$|((?:^    .+\n|^\n(?=    ))+)", re.MULTILINE)
COMMAND = re.compile(r"^greenroom(?: .*)?$", re.MULTILINE)
PYTHON = re.compile(r"(?:import|from) |\w+ = \w+\.")
NOT_RUN = {
    "^greenroom$": "opens the window",
    "greenroom demo": "`test_demo` runs it",
    "greenroom doctor": "`test_doctor` runs it",
    "greenroom model fetch": "downloads",
    "tcp://node7": "no cluster is there; `test_cluster` has one",
    "/media/stick": "no stick is there",
    r"\bFOLDER\b": "a model that a lab brings",
    "--method diffusion": "takes long",
    "--language German": "needs the weights of Whisper",
    "import torchvision|import onnx|dask_jobqueue": "needs what the program does not install",
}
"""Part of a command or of Python code -> why it is only parsed."""
ENDS_WITH = {"release make my-study.greenroom --dry-run --withdraw": 2}
"""How a command begins -> with which exit code it ends as the page says, where that is not 0."""


def blocks(text: str) -> Iterator[str]:
    """Yield what is set as code on a page."""
    for fenced, indented in BLOCK.findall(text):
        block = dedent(fenced or indented).strip("\n")
        # A list may have text with the indentation of code before the code.
        for part in [block] if fenced or PYTHON.match(block) else block.split("\n\n"):
            yield dedent(part).replace("\\\n", " ")


def is_typed(block: str) -> bool:
    return bool(COMMAND.search(block) or PYTHON.match(block))


PAGES = {
    str(path.relative_to(ROOT)): typed
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if path.stem not in TYPED_ELSEWHERE and (typed := [*filter(is_typed, blocks(path.read_text("utf-8")))])
}


class Keyboard(io.StringIO):
    """The input of a terminal at which somebody sits."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    make_page_study(folder)
    return folder


@pytest.fixture
def folder(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the study; somebody answers what a command asks."""

    def answer(question: str, **_settings: object) -> str:
        return "P01" if "pseudonym" in question else PASSPHRASE

    shutil.copytree(base, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", Keyboard())
    monkeypatch.setattr(click, "prompt", answer)
    make_keys_cheap(monkeypatch)
    return tmp_path


@pytest.mark.parametrize("name", PAGES)
def test_every_block_of_a_page_runs(name: str, folder: Path, greenroom: Terminal) -> None:
    needs, names = dict(NEEDS), dict[str, object]()
    for block in PAGES[name]:
        if PYTHON.match(block):
            compiled = compile(block, name, "exec")
            if not is_left_out(block):
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compiled, names)
            continue
        for words in commands(block):
            command = " ".join(words)
            if is_left_out(f"greenroom {command}".rstrip()):
                parse(words)
                continue
            for beginning in [beginning for beginning in needs if command.startswith(beginning)]:
                needs.pop(beginning)(greenroom)
            ends = next((code for beginning, code in ENDS_WITH.items() if command.startswith(beginning)), 0)
            greenroom(*expand(words, greenroom), code=ends)


def commands(block: str) -> Iterator[list[str]]:
    """Yield the words of each command, without a comment and the name of the program."""
    for line in COMMAND.findall(block):
        yield shlex.split(line, comments=True)[1:]


def expand(words: list[str], greenroom: Terminal) -> Iterator[str]:
    """Replace patterns of files as a shell does, and the place of a segment by the id of one."""
    for word in words:
        if word == "SEGMENT":
            yield greenroom.json("segment", "list", STUDY, "--annotator", "Ada")["segments"][0]["id"]
        elif "*" in word:
            yield from sorted(map(str, Path().glob(word)))
        else:
            yield word


def is_left_out(text: str) -> bool:
    return any(re.search(pattern, text) for pattern in NOT_RUN)


def parse(words: list[str]) -> None:
    """Check that a command exists and takes these options and arguments."""
    command: click.Command | None = program
    context = click.Context(program, info_name="greenroom")
    while isinstance(command, click.Group) and words:
        name, command, words = command.resolve_command(context, words)
        assert command is not None
        if not isinstance(command, click.Group):
            command.make_context(name, words, parent=context)


def test_what_is_not_run_is_on_a_page() -> None:
    typed = [block for page_blocks in PAGES.values() for block in page_blocks]
    lines = [" ".join(("greenroom", *words)) for block in typed for words in commands(block)]
    code = [block for block in typed if PYTHON.match(block)]
    assert [part for part in NOT_RUN if not any(re.search(part, text) for text in (*lines, *code))] == []
    begins = (*NEEDS, *ENDS_WITH)
    assert [begin for begin in begins if not any(line.startswith(f"greenroom {begin}") for line in lines)] == []
