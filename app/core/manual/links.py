"""Where a link of a page leads."""

import posixpath
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.core.manual.contents import page_called
from resources import documentation

_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_PICTURES = (".png", ".svg")


@dataclass(frozen=True, slots=True)
class Target:
    """What a link means: a page with a place in it, a picture, or an address that is not ours; one of the three.

    Attributes:
        page: the name of a page, or "".
        anchor: the place in it; "" for its beginning.
        picture: the name of a picture, or "".
        address: an address outside the documentation, as it is written, or "".
    """

    page: str = ""
    anchor: str = ""
    picture: str = ""
    address: str = ""


def target(page: str, link: str) -> Target | None:
    """Return where a link on a page leads; None where it leads nowhere."""
    if _OUTSIDE.match(link):
        return Target(address=link)
    path, _, anchor = link.partition("#")
    name = _inside(posixpath.normpath(posixpath.join(posixpath.dirname(page), path))) if path else page
    if page_called(name) is not None:
        return Target(page=name, anchor=anchor)
    return Target(picture=name) if picture(name) is not None else None


def picture(name: str) -> Path | None:
    """Return the file of a picture that a page shows; None where there is none of that name."""
    outside = name.startswith(("/", "../"))
    if outside or not name.endswith(_PICTURES):
        return None
    try:
        return documentation(name)
    except FileNotFoundError:
        return None


def anchors(headings: Iterator[str]) -> Iterator[str]:
    """Yield the anchor of each heading of a page, as the site gives it: the same words twice get a number."""
    taken: set[str] = set()
    for heading in headings:
        anchor = wanted = _slug(heading)
        number = 0
        while anchor in taken:
            number += 1
            anchor = f"{wanted}_{number}"
        taken.add(anchor)
        yield anchor


def _slug(heading: str) -> str:
    plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def _inside(name: str) -> str:
    return name.removeprefix("../docs/")
