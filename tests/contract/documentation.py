"""What users can read: the README and the pages in docs/."""

from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def page(name: str) -> str:
    """Return one page of docs/, given without its `.md`."""
    return (ROOT / "docs" / f"{name}.md").read_text("utf-8")


@cache
def all_pages() -> str:
    """Return the README and every page."""
    return "\n".join(path.read_text("utf-8") for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))])
