"""Numbers of things in words."""


def counted(number: int, thing: str) -> str:
    """Return `1 recording`, `2 recordings`, `0 recordings`: a number and what it counts, whose plural ends in s."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def counted_rows(number: int, thing: str, recordings: int = 1) -> str:
    """Return what a step of the history is about: `segment`, `2 segments`, `22 segments in 2 recordings`."""
    rows = thing if number == 1 else f"{number} {thing}s"
    return rows if recordings < 2 else f"{rows} in {recordings} recordings"
