"""Paths of the files that the program ships: schemes, icons, style, fonts, the sample recording, the documentation."""

from pathlib import Path

_ROOT = Path(__file__).resolve().parent


def resource(*parts: str) -> Path:
    """Return the path of a shipped file.

    Raises:
        FileNotFoundError: the file is not part of this installation.
    """
    path = _ROOT.joinpath(*parts)
    if not path.exists():
        raise FileNotFoundError(f"not part of this installation: {path}")
    return path


def documentation(name: str) -> Path:
    """Return the path of a page or picture of the documentation, given by its path from `docs/`.

    `docs/` lies beside this folder, in a checkout and in a wheel alike.

    Raises:
        FileNotFoundError: the file is not part of this installation.
    """
    return resource("..", "docs", *name.split("/"))
