"""Figures that a paper reports of its own data, to be shown beside a study's."""

import tomllib
from dataclasses import dataclass

from resources import resource


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """One figure of a paper. `figure` is the key of a study's own, `source` the place in the paper."""

    figure: str
    name: str
    value: float
    source: str


@dataclass(frozen=True, slots=True)
class Published:
    """What one paper reports."""

    name: str
    title: str
    figures: tuple[PublishedFigure, ...]


def published_for(scheme: str) -> Published | None:
    """Return what was published of data under this scheme, or None."""
    try:
        path = resource("published", f"{scheme}.toml")
    except FileNotFoundError:
        return None
    found = tomllib.loads(path.read_text("utf-8"))
    return Published(found["name"], found["title"], tuple(PublishedFigure(**one) for one in found["figures"]))
