"""What `make docs` checks of the pages: their list, their links, and the menus, keys, commands and tests they name."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt

from app.cli.command_table import command_places
from app.docs_browser.docs_pages import DocsTheme, list_pages, page_html, read_markdown, resolve_link
from app.docs_browser.docs_search import page_sections
from app.gui.help.help_topics import DIALOG_PAGES, START_PAGE, TUTORIAL_PAGE
from app.gui.window.action_table import ACTIONS
from app.gui.window.page_registry import MODES, VIEW_PAGES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_LARGEST_PICTURE = 500_000
_WINDOW_TUTORIAL = "from-first-code-to-results"
_THEME = DocsTheme(10.0, "#000000", "#555555", "#0000ff", "#cccccc", "#eeeeee", "#000000")
_CLAIM = re.compile(r"^\| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)
_TEST_FILE = re.compile(r"`(tests/[\w/]+\.py)`(?:: ((?:`test_\w+`(?:, )?)+))?")
_FEWEST_CLAIMS, _FEWEST_KEYS, _FEWEST_COMMANDS = 20, 15, 10
"""Where fewer are found, the pattern above finds nothing any more."""


@cache
def page(name: str) -> str:
    """Return one page of docs/, given without its `.md`."""
    return (DOCS / f"{name}.md").read_text("utf-8")


@cache
def all_pages() -> str:
    """Return the README and every page."""
    return "\n".join(path.read_text("utf-8") for path in _files())


def page_problems() -> Iterator[str]:
    """Yield what is wrong with the pages, a line each."""
    for check in _CHECKS:
        yield from check()


def _files() -> list[Path]:
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def _lists() -> Iterator[str]:
    names = [listed.name for listed in list_pages()]
    there = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    listed = {name for name in names if not name.startswith("../")}
    yield from (f"docs/contents.toml and the folder differ about {name}" for name in there ^ listed)
    yield from (f"docs/contents.toml lists {name} twice" for name in {name for name in names if names.count(name) > 1})
    overview = page("index")
    yield from (f"docs/index.md does not list {name}" for name in listed - {"index.md"} if f"]({name})" not in overview)
    lines = [line for line in overview.splitlines() if line.startswith("- ")]
    yield from (f"docs/index.md has a line twice: {line}" for line in {line for line in lines if lines.count(line) > 1})


def _links() -> Iterator[str]:
    """Check every link as the help window follows it, and the place in a page that each topic names."""
    anchors = {listed.name: [section.anchor for section in page_sections(listed)] for listed in list_pages()}
    shown = set()
    for name, places in anchors.items():
        html = page_html(name, _THEME)
        if re.findall(r'<h\d><a name="([^"]*)">', html)[1:] != places[1:]:
            yield f"{name}: its headings and the places that links can mean differ"
        if "<!--" in html or re.search(r'(?:src|href)="(?:file|http):', html):
            yield f"{name}: something of it is not shown or is fetched in the help window"
        for block in MarkdownIt("commonmark").enable("table").parse(read_markdown(name)):
            for token in block.children or ():
                link = str(token.attrs.get("href", "") if token.type == "link_open" else token.attrs.get("src", ""))
                target = resolve_link(name, link) if link else None
                if target is None or (target.page and target.anchor not in anchors[target.page]):
                    yield from [f"{name}: {link} leads nowhere"] * bool(link)
                    continue
                shown.add(target.picture)
                if bool(target.picture) != (token.type == "image") or not re.match(
                    "https://|mailto:|$", target.address
                ):
                    yield f"{name}: {link} leads to something that it is not"
    for topic in {START_PAGE, TUTORIAL_PAGE, *VIEW_PAGES.values(), *DIALOG_PAGES.values()}:
        name, _, anchor = topic.partition("#")
        if anchor not in anchors.get(name, ()):
            yield f"{topic}, the page of a view or dialog, leads nowhere"
    for picture in DOCS.glob("*.png"):
        if picture.name not in shown or picture.stat().st_size > _LARGEST_PICTURE:
            yield f"docs/{picture.name} is shown by no page, or has more than {_LARGEST_PICTURE} bytes"


def _menus() -> Iterator[str]:
    """Check that what is said to stand in a menu stands there, under that name and with that key."""
    entries = {(_plain(spec.menu), _plain(spec.text)): spec.keys for spec in ACTIONS}
    named = re.compile(rf"\*({'|'.join({menu for menu, _ in entries})})(?: >|,)\s([^*]+)\*")
    keyed = re.compile(named.pattern + r"\s\(`?((?:Ctrl\+|Shift\+|Alt\+)*(?:F?\d+|[A-Z]))`?[),]")
    count = 0
    for path in _files():
        text = path.read_text("utf-8")
        for menu, entry in named.findall(text):
            if (menu, " ".join(entry.split())) not in entries:
                yield f"{path.name}: there is no {menu} > {entry}"
        for menu, entry, key in keyed.findall(text):
            count += 1
            if key not in entries.get((menu, " ".join(entry.split())), ()):
                yield f"{path.name}: {key} is no key of {menu} > {entry}"
    if count < _FEWEST_KEYS:
        yield f"only {count} keys of menu entries are named"
    told = all_pages().replace("\n", " ")
    for spec in ACTIONS:
        opens = spec.handler.__name__ == "<lambda>" and "open_view" in spec.handler.__code__.co_names
        menu, entry = _plain(spec.menu), _plain(spec.text).rstrip("…")
        if opens and not re.search(rf"\*{menu}(?: > |, ){re.escape(entry)}…?\*", told):
            yield f"no page names {menu} > {entry}, which opens a window"


def _plain(text: str) -> str:
    return text.replace("&", "")


def _labels() -> Iterator[str]:
    """Check that what the tutorial of the window sets in bold is written so in the window."""
    folders = (ROOT / "app" / "gui", ROOT / "widgets", ROOT / "annotate" / "agreement")
    sources = [_plain(path.read_text("utf-8")) for folder in folders for path in folder.rglob("*.py")]
    for label in re.findall(r"\*\*([^*]+)\*\*", page(_WINDOW_TUTORIAL)):
        if not any(f'"{" ".join(label.split())}"' in source for source in sources):
            yield f"docs/{_WINDOW_TUTORIAL}.md: the window has no “{label}”"


def _keys() -> Iterator[str]:
    """Check that the page about the keyboard names the modes with their keys, and the menus."""
    told = page("keyboard")
    yield from (f"docs/keyboard.md does not name {mode.keys}" for mode in MODES if f"`{mode.keys}`" not in told)
    menus = {_plain(spec.menu) for spec in ACTIONS}
    yield from (f"docs/keyboard.md does not name the menu {menu}" for menu in menus if f"*{menu}*" not in told)


def _claims() -> Iterator[str]:
    """Check that each claim of the page for ethics boards names a test, and that each test is there."""
    guaranteed = page("privacy-by-construction").partition("## What is guaranteed")[2]
    sections = [section.partition("\n## ")[0] for section in guaranteed.split("\n### ")[1:]]
    claims = [row for section in sections for row in _CLAIM.findall(section) if not row[0].startswith(("Claim", "-"))]
    if len(claims) < _FEWEST_CLAIMS:
        yield f"only {len(claims)} claims are found"
    for claim, _, tests in claims:
        files = _TEST_FILE.findall(tests)
        named = {name for _, names in files for name in re.findall(r"`(test_\w+)`", names)}
        if (not files and "`make lint`" not in tests) or named != set(re.findall(r"`(test_\w+)`", tests)):
            yield f"docs/privacy-by-construction.md names no test, or one without a file: {claim}"
        for file, names in files:
            text = (ROOT / file).read_text("utf-8") if (ROOT / file).exists() else ""
            for name in re.findall(r"`(test_\w+)`", names):
                if f"def {name}(" not in text:
                    yield f"docs/privacy-by-construction.md: {file} has no {name}"
            if not text:
                yield f"docs/privacy-by-construction.md: there is no {file}"


def _commands() -> Iterator[str]:
    lines = set(re.findall(r"(?:`|    )greenroom ([a-z][\w.-]*(?: [a-z][\w.-]*)*)", all_pages()))
    # A study in place of a command is opened.
    shown = {tuple(line.split()) for line in lines if not line.split()[0].endswith(".greenroom")}
    commands = [tuple(words.split()) for words, _ in command_places()]
    groups = {words[:count] for words in commands for count in range(len(words))}
    for words in shown:
        named = next((words[:count] for count in range(len(words)) if words[:count] not in groups), words)
        if named not in groups and named not in commands:
            yield f"a page shows greenroom {' '.join(words)}, which is no command"
    if len(shown) < _FEWEST_COMMANDS:
        yield f"only {len(shown)} commands are shown"


def _markdown() -> Iterator[str]:
    """Check that pages are plain enough for a Git host, and that links of those beside docs/ lead somewhere there."""
    for path in ROOT.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
            if not (ROOT / target).exists():
                yield f"{path.name}: {target} leads nowhere"
    for path in _files():
        text = path.read_text("utf-8")
        if re.search(r"^(?:!!!|\?\?\?|===) |\{: ", text, re.MULTILINE):
            yield f"{path.name}: a Git host does not show admonitions, tabs and attributes"
        plain = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        for before, line in pairwise(plain.splitlines()):
            begins = re.match(r"(?:[-*]|\d+\.) ", line)
            if begins and before.strip() and not re.match(r"(?:[-*]|\d+\.) |\s", before):
                yield f"{path.name}: a list begins after an empty line: {line}"


_CHECKS: tuple[Callable[[], Iterator[str]], ...] = (
    *(_lists, _links, _menus, _labels, _keys, _claims, _commands, _markdown),
)
