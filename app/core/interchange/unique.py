"""Names that must not repeat."""


def unique(name: str, taken: set[str]) -> str:
    """Return a name that is not taken yet, with a number after it where it has to be, and take it."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name} ({number})", number + 1
    taken.add(found)
    return found
