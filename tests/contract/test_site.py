"""The documentation as a site: it builds without a warning, holds what the code has, and asks nobody for anything."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from html.parser import HTMLParser
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from app.cli.main import greenroom as program
from app.docs_browser.docs_pages import list_pages
from docs.site.markdown import attributes
from docs.site.parts import PARTS
from project.schemes.scheme_file import shipped_names
from project.session.settings import Settings
from project.version import __version__
from tests.contract.documentation import ROOT, all_pages, page
from tests.contract.test_commands import COMMANDS, leaves

SOURCES = ("app", "models", "project", "resources", "widgets")
VARIABLE = re.compile(r"\"(GREENROOM_[A-Z_]*[A-Z])\"")
PAGES = sorted(path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, re.findall(r"^(?:WARNING|ERROR).*", done.stderr, re.MULTILINE)) == (0, [])
    return folder


def test_every_page_is_in_the_navigation_and_in_the_list_of_pages() -> None:
    names = [each_page.name for each_page in list_pages()]
    assert len(names) == len(set(names)), "a page is listed twice"
    assert {name for name in names if not name.startswith("../")} == {str(path) for path in PAGES}
    overview = page("index")
    assert [path for path in PAGES if path.name != "index.md" and f"]({path})" not in overview] == []
    lines = [line for line in overview.splitlines() if line.startswith("- ")]
    assert len(lines) == len(set(lines)), "a page is listed twice"


def test_the_reference_holds_every_command_with_every_option(site: Path) -> None:
    shown = (site / "reference" / "commands.html").read_text("utf-8")
    for name, command in COMMANDS.items():
        section = shown.partition(f'id="greenroom-{name.replace(" ", "-")}"')[2].partition("<h3")[0]
        assert section, name
        options = [flag for param in command.params for flag in param.opts if flag.startswith("-")]
        assert [flag for flag in options if f"<code>{flag}</code>" not in section] == [], name


def test_no_command_is_left_out() -> None:
    assert {name for name, _ in leaves(program)} - set(COMMANDS) == {"worker"}


def test_the_reference_holds_every_scheme_setting_and_variable() -> None:
    assert set(attributes(Settings)) == set(Settings.__dataclass_fields__)
    assert all(f"`{name}`" in PARTS["schemes"]() for name in shipped_names())
    sources = "\n".join(path.read_text("utf-8") for root in SOURCES for path in (ROOT / root).rglob("*.py"))
    assert [name for name in VARIABLE.findall(sources) if f"`{name}`" not in page("reference/settings")] == []


@pytest.mark.parametrize("name", PARTS)
def test_every_part_is_used_by_one_page_and_has_no_empty_cell_at_a_beginning(name: str) -> None:
    assert (
        sum(f"<!-- made from the code: {name} -->" in (ROOT / "docs" / path).read_text("utf-8") for path in PAGES) == 1
    )
    assert not re.search(r"^\|  \|", PARTS[name](), re.MULTILINE)


def test_the_reference_can_be_made_where_no_optional_part_is_installed() -> None:
    """The window has it filled in by the program as it is installed."""
    missing = ["torch", "torchvision", "diffusers", "transformers", "accelerate", "distributed", "dask", "llama_cpp"]
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({[*missing, 'mkdocs', 'pytest']}));"
        "from docs.site.parts import PARTS; print([name for name, make in PARTS.items() if not make()])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def registered(found: object) -> set[str]:
    """Return the keys of a table of `module:name` texts, and of the tables in it."""
    if not isinstance(found, Mapping):
        return set()
    own = {str(key) for key, value in found.items() if isinstance(value, str) and re.fullmatch(r"[\w.]+:\w+", value)}
    return own.union(*(registered(inner) for inner in found.values()))


REGISTRIES = sorted(
    str(path.relative_to(ROOT).with_suffix("")).replace("/", ".")
    for root in ("app", "anonymize", "benchmark", "models")
    for path in (ROOT / root).rglob("registry.py")
)


@pytest.mark.parametrize("module", REGISTRIES)
def test_the_reference_holds_every_entry_of_every_registry(module: str) -> None:
    keys = set().union(*(registered(found) for found in vars(import_module(module)).values()))
    assert keys
    told = PARTS["registries"]() + PARTS["formats"]()
    assert [key for key in keys if f"`{key}`" not in told] == []


class _Asked(HTMLParser):
    """Collects what a browser would fetch by itself while it shows a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag != "a":
            self.found += [
                value or "" for key, value in given.items() if key in ("src", "srcset", "href", "data", "poster")
            ]


def test_no_page_of_the_site_asks_another_machine_for_anything_or_loses_a_command(site: Path) -> None:
    for path in site.rglob("*.html"):
        parser = _Asked()
        text = path.read_text("utf-8")
        parser.feed(text)
        assert "<p>greenroom " not in text, f"{path.name}: a command in a list is not indented far enough to be code"
        assert [one for one in parser.found if re.match(r"(?:[a-z]+:)?//", one)] == [], path.name
        assert 'class="mermaid"' not in path.read_text("utf-8"), (
            "diagrams of that kind are drawn by a script from elsewhere"
        )
    for path in site.rglob("*.css"):
        assert re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", path.read_text("utf-8")) == [], path.name


def test_lists_begin_after_an_empty_line_so_that_every_renderer_shows_them() -> None:
    wrong = []
    for path in PAGES:
        text = re.sub(r"^```.*?^```", "", (ROOT / "docs" / path).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        lines = text.splitlines()
        for before, line in pairwise(lines):
            begins = re.match(r"(?:[-*]|\d+\.) ", line)
            if begins and before.strip() and not re.match(r"(?:[-*]|\d+\.) |\s", before):
                wrong.append(f"{path}: {line}")
    assert wrong == []


def test_the_citation_names_the_version_and_the_licence() -> None:
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert (said["version"], said["license"], said["cff-version"]) == (__version__, "Apache-2.0", "1.2.0")


def test_pages_are_plain_enough_for_a_git_host() -> None:
    assert re.findall(r"^(?:!!!|\?\?\?|===) ", all_pages(), re.MULTILINE) == []
    assert "{: " not in all_pages()
