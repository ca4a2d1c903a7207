"""Numbers of things in words."""


def counted(number: int, thing: str) -> str:
    """Return `1 recording`, `2 recordings`, `0 recordings`: a number and what it counts, whose plural ends in s."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
