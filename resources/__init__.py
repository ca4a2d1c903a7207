"""Files the program ships: schemes, icons, style, fonts, the sample recording."""

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
