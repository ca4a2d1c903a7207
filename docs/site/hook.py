"""Called by MkDocs while it builds: pages of the project's root join the site, and marks in pages become reference.

What is wrong with a page or the site is a warning, with which a strict build fails.
"""

import logging
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from app.docs_browser.docs_pages import list_pages  # noqa: E402
from docs.site.page_checks import page_problems  # noqa: E402
from docs.site.parts import filled  # noqa: E402
from docs.site.printed_page import MOST_SIDES, pdf_name, print_page  # noqa: E402
from docs.site.reference_checks import reference_problems, site_problems  # noqa: E402

_LOG = logging.getLogger("mkdocs.hooks.checks")

FROM_THE_ROOT = {
    "ARCHITECTURE.md": "ARCHITECTURE.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "NOTICE": "NOTICE.md",
    "LICENSE": "LICENSE.txt",
    "CITATION.cff": "CITATION.cff",
    "pyproject.toml": "pyproject.toml",
    "resources/icons/greenroom.svg": "greenroom.svg",
}
"""A file of the repository -> what it is called in the site, where it lies beside the pages of docs/."""
_OUT_OF_DOCS = re.compile(r"\]\(\.\./([^)#]+)")
_INTO_DOCS = re.compile(r"\]\(docs/([^)]+)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Give the site the order of pages that the window has."""
    nav: list[Any] = []
    sections: dict[tuple[str, ...], list[Any]] = {}
    for page in list_pages():
        below: list[Any] = nav
        path: tuple[str, ...] = ()
        for heading in filter(None, (page.section, page.group)):
            path = (*path, heading)
            if path not in sections:
                sections[path] = []
                below.append({heading: sections[path]})
            below = sections[path]
        name = page.name.removeprefix("../")
        below.append(FROM_THE_ROOT.get(name, name) if page.section else {"Home": name})
    config.nav = nav
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and files that lie outside docs/, and the PDFs of pages that are printed."""
    for source, name in FROM_THE_ROOT.items():
        path = ROOT / source
        if path.exists():
            files.append(File.generated(config, name, abs_src_path=str(path)))
    for page, most in MOST_SIDES.items():
        pdf, sides = print_page(page)
        if sides > most:
            _LOG.warning("%s is printed on %d sides, more than %d", page, sides, most)
        files.append(File.generated(config, pdf_name(page), content=pdf))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Fill in what is made from the code, link PDFs, and lead links out of docs/ to where the site has their target."""
    name = page.file.src_uri
    if name in MOST_SIDES:
        title, rest = markdown.split("\n", 1)
        markdown = f"{title}\n\n[To print: this page as a PDF]({pdf_name(name)})\n{rest}"
    if name == "NOTICE.md":
        return f"# Licences\n\n{markdown.removeprefix('Greenroom').lstrip()}"
    if name in FROM_THE_ROOT.values():
        return _INTO_DOCS.sub(r"](\1)", markdown)
    if "/" not in name:
        markdown = _OUT_OF_DOCS.sub(lambda found: f"]({FROM_THE_ROOT.get(found[1], found[1])}", markdown)
    return filled(markdown)


def on_pre_build(**_: object) -> None:
    """Warn of everything that the pages say and the code does not, and the other way round."""
    for problem in (*page_problems(), *reference_problems()):
        _LOG.warning(problem)
    in_site = {f"../{source}" for source, name in FROM_THE_ROOT.items() if name.endswith(".md")}
    for name in in_site ^ {page.name for page in list_pages() if page.name.startswith("../")}:
        _LOG.warning("%s is shown by the site alone, or by the window alone", name)


def on_post_build(config: MkDocsConfig) -> None:
    """Warn of what the site would ask other machines for, and of what is lost in it."""
    for problem in site_problems(Path(config.site_dir)):
        _LOG.warning(problem)
