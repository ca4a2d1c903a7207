"""Words in the bytes of files: coded pictures and sound hold any few letters by chance, on each processor others."""

from collections.abc import Iterable
from pathlib import Path

CERTAIN = 6
"""By chance a word of so many letters is in a megabyte of coded pictures once in four million files."""


def words_in(path: Path, words: Iterable[str], held: bytes | None = None) -> list[str]:
    """Return which words are in a file, whatever their case: short ones outside of coded pictures and sound alone.

    Args:
        path: of the file; its name counts too.
        words: to look for.
        held: what is in it, where something was taken out.
    """
    content = held if held is not None else path.read_bytes() if path.is_file() else b""
    outside, coded = _parts(path.suffix, content)
    outside = path.name.encode().lower() + b"\0" + outside.lower()
    coded = coded.lower()
    found = []
    for word in words:
        folded = word.casefold().encode()
        if folded in outside or (len(folded) >= CERTAIN and folded in coded):
            found.append(word)
    return found


def _parts(suffix: str, content: bytes) -> tuple[bytes, bytes]:
    """Split into what is not coded and what is."""
    if suffix in (".jpg", ".jpeg"):
        head, mark, coded = content.partition(b"\xff\xda")
        return head + mark, coded
    if suffix not in (".mp4", ".mov", ".m4a"):
        return content, b""
    outside, coded, place = b"", b"", 0
    while place + 8 <= len(content):
        size, kind = int.from_bytes(content[place : place + 4], "big"), content[place + 4 : place + 8]
        if size == 1:
            size = int.from_bytes(content[place + 8 : place + 16], "big")
        size = size or len(content) - place
        if kind == b"mdat":
            coded += content[place + 8 : place + size]
        else:
            outside += content[place : place + size]
        place += max(8, size)
    return outside + content[place:], coded
