"""The wheel carries every page and every picture of the documentation, where the program looks for them."""

import posixpath
import re
import tomllib

import pytest

from app.docs_browser.docs_pages import list_pages, read_markdown, resolve_link
from tests.contract.documentation import ROOT

WHEEL = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
SHOWN = sorted(
    {
        found.picture
        for page in list_pages()
        for link in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", read_markdown(page.name))
        if (found := resolve_link(page.name, link)) is not None
    }
)


def place_in_wheel(path: str) -> str | None:
    """Return where the wheel has a file of the repository; None where it leaves it out."""
    if path in WHEEL["force-include"]:
        return str(WHEEL["force-include"][path])
    top = path.split("/")[0]
    left_out = any(path == one or path.startswith(f"{one}/") for one in WHEEL["exclude"])
    if left_out or top not in WHEEL["only-include"]:
        return None
    return path.replace(top, str(WHEEL["sources"][top]), 1)


@pytest.mark.parametrize("name", ["contents.toml", *(page.name for page in list_pages()), *SHOWN])
def test_it_is_in_the_wheel_beside_the_resources(name: str) -> None:
    path = posixpath.normpath(posixpath.join("docs", name))
    assert (ROOT / path).is_file()
    expected = posixpath.normpath(posixpath.join(str(place_in_wheel("resources/x")), "../../docs", name))
    assert place_in_wheel(path) == expected


def test_only_folders_are_moved_by_their_names() -> None:
    """Hatch leaves a single file where it is, whatever `sources` says: such files are forced in."""
    assert [one for one in WHEEL["only-include"] if one != "greenroom.py" and not (ROOT / one).is_dir()] == []
    assert set(WHEEL["sources"]) == {one for one in WHEEL["only-include"] if one != "greenroom.py"}


def test_what_fills_in_the_reference_is_there_too_and_what_only_the_site_needs_is_not() -> None:
    assert place_in_wheel("docs/site/parts.py") == "_greenroom/docs/site/parts.py"
    assert place_in_wheel("docs/site/hook.py") is None
    assert place_in_wheel("README.md") is None


def test_every_picture_is_shown_by_some_page_and_none_is_too_large() -> None:
    there = {path.name for path in (ROOT / "docs").glob("*.png")}
    assert there - set(SHOWN) == set()
    assert [name for name in there if (ROOT / "docs" / name).stat().st_size > 500_000] == []
