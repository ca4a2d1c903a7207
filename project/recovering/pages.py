"""Reads rows from the pages of a SQLite file, without SQLite, so that one bad page costs what was on it alone.

The format: https://www.sqlite.org/fileformat2.html, sections 1.5 to 2.1. What a page says
may be wrong: pages are visited once, lengths are compared with the file, and a cell that makes no sense is left out.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

Value = str | int | float | bytes | None
Cells = list[Value]

INTERIOR_INDEX, INTERIOR_TABLE, LEAF_INDEX, LEAF_TABLE = 0x02, 0x05, 0x0A, 0x0D
_TABLES = (INTERIOR_TABLE, LEAF_TABLE)
_USUAL_PAGE = 4096
_LONGEST = 1_000_000_000
_FIXED = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


class _Senseless(Exception):
    """What a page says cannot be."""


@dataclass(frozen=True, slots=True)
class Found:
    """One row: its number in the table (0 in a table without), and its values as they lie in the file."""

    rowid: int
    values: Cells


@dataclass(slots=True)
class Tree:
    """What is left of one b-tree.

    Attributes:
        rows: those that could be read.
        bad_pages: pages that should hold rows and do not make sense.
        bad_rows: rows that do not make sense on pages that do.
    """

    rows: list[Found] = field(default_factory=list)
    bad_pages: int = 0
    bad_rows: int = 0


class PageReader:
    """The pages of one file; remembers which were used, so that what hangs loose can be looked at in the end."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        size = int.from_bytes(content[16:18])
        size = 65536 if size == 1 else size
        self.page_size = size if 512 <= size <= 65536 and size & (size - 1) == 0 else _USUAL_PAGE
        self.count = -(-len(content) // self.page_size)
        self._usable = self.page_size - (content[20] if len(content) > 20 and content[20] <= 32 else 0)
        self._used: set[int] = {1}

    def tree(self, root: int, *, table: bool) -> Tree:
        """Read every row below a root page, of a table or of an index."""
        found = Tree()
        waiting = [root]
        while waiting:
            number = waiting.pop()
            if number in self._used and number != 1:
                found.bad_pages += 1
                continue
            kind = self._kind(number)
            if kind is None or (kind in _TABLES) != table:
                found.bad_pages += 1
                continue
            self._used.add(number)
            waiting += self._read(number, kind, found)
        return found

    def skip_free(self) -> None:
        """Count the pages that the file says are free as used: what was deleted must not come back."""
        trunk, seen = int.from_bytes(self._content[32:36]), set[int]()
        while trunk and trunk <= self.count and trunk not in seen:
            seen.add(trunk)
            page = self._page(trunk)
            leaves = int.from_bytes(page[4:8])
            if leaves <= self._usable // 4 - 2:
                self._used.update(struct.unpack_from(f">{leaves}I", page, 8))
            trunk = int.from_bytes(page[:4])
        self._used |= seen

    def loose(self) -> Iterator[tuple[bool, Tree]]:
        """Read the leaves that no tree leads to; yield whether each is of a table, and its rows."""
        for number in range(2, self.count + 1):
            kind = self._kind(number) if number not in self._used else None
            if kind not in (LEAF_TABLE, LEAF_INDEX):
                continue
            found = Tree()
            self._read(number, kind, found)
            if found.rows and not found.bad_rows:
                yield kind == LEAF_TABLE, found

    def _page(self, number: int) -> bytes:
        page = self._content[(number - 1) * self.page_size : number * self.page_size]
        return page + bytes(self.page_size - len(page))

    def _kind(self, number: int) -> int | None:
        """Return which kind of page of a tree this is; None where it is none."""
        if not 1 <= number <= self.count:
            return None
        start = self._header(number)
        page = self._page(number)
        kind, cells = page[start], int.from_bytes(page[start + 3 : start + 5])
        if kind not in (INTERIOR_INDEX, INTERIOR_TABLE, LEAF_INDEX, LEAF_TABLE):
            return None
        return kind if start + 12 + 2 * cells <= self._usable + 4 else None

    @staticmethod
    def _header(number: int) -> int:
        return 100 if number == 1 else 0

    def _read(self, number: int, kind: int, found: Tree) -> list[int]:
        """Read a page's rows into `found`; return the pages below it."""
        page, start = self._page(number), self._header(number)
        inner = kind in (INTERIOR_INDEX, INTERIOR_TABLE)
        count = int.from_bytes(page[start + 3 : start + 5])
        below = [int.from_bytes(page[start + 8 : start + 12])] if inner else []
        places = struct.unpack_from(f">{count}H", page, start + (12 if inner else 8))
        for at in places:
            try:
                if inner:
                    below.append(int.from_bytes(page[at : at + 4]))
                    at += 4
                if kind != INTERIOR_TABLE:
                    found.rows.append(self._cell(page, at, kind))
            except (_Senseless, IndexError, ValueError, struct.error):
                found.bad_rows += 1
        return below

    def _cell(self, page: bytes, at: int, kind: int) -> Found:
        size, at = _varint(page, at)
        rowid = 0
        if kind == LEAF_TABLE:
            rowid, at = _varint(page, at)
            rowid -= (rowid >> 63) << 64
        if not 0 < size <= _LONGEST:
            raise _Senseless
        return Found(rowid, _record(self._payload(page, at, size, kind)))

    def _payload(self, page: bytes, at: int, size: int, kind: int) -> bytes:
        usable = self._usable
        most = usable - 35 if kind == LEAF_TABLE else (usable - 12) * 64 // 255 - 23
        if size <= most:
            return _exactly(page, at, size)
        least = (usable - 12) * 32 // 255 - 23
        here = least + (size - least) % (usable - 4)
        here = here if here <= most else least
        parts, left = [_exactly(page, at, here)], size - here
        following, used = int.from_bytes(_exactly(page, at + here, 4)), list[int]()
        while left:
            if not 1 < following <= self.count or following in self._used or following in used:
                raise _Senseless
            used.append(following)
            page = self._page(following)
            parts.append(page[4 : min(usable, 4 + left)])
            left -= len(parts[-1])
            following = int.from_bytes(page[:4])
        self._used.update(used)
        return b"".join(parts)


def _exactly(page: bytes, at: int, size: int) -> bytes:
    part = page[at : at + size]
    if len(part) != size:
        raise _Senseless
    return part


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return an integer of one to nine bytes and the place after it (section 1.6)."""
    value = 0
    for count in range(8):
        byte = data[at + count]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + count + 1
    return value << 8 | data[at + 8], at + 9


def _record(payload: bytes) -> Cells:
    """Return the values of a row (section 2.1)."""
    end, at = _varint(payload, 0)
    if not at <= end <= len(payload):
        raise _Senseless
    values: Cells = []
    body = end
    while at < end:
        kind, at = _varint(payload, at)
        match kind:
            case 0:
                values.append(None)
            case 8 | 9:
                values.append(kind - 8)
            case 7:
                values.append(struct.unpack(">d", _exactly(payload, body, 8))[0])
                body += 8
            case 10 | 11:
                raise _Senseless
            case _ if kind in _FIXED:
                values.append(int.from_bytes(_exactly(payload, body, _FIXED[kind]), signed=True))
                body += _FIXED[kind]
            case _:
                size = (kind - 12) // 2
                part = _exactly(payload, body, size)
                values.append(part.decode() if kind % 2 else part)
                body += size
    if body != len(payload):
        raise _Senseless
    return values
