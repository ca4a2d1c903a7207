"""The format: what was sealed comes back, and whatever else was done to the file is noticed."""

import io
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.encryption.container import (
    CHUNK_BYTES,
    TAG_BYTES,
    EncryptionKey,
    WrongPassphrase,
    new_key,
    open_key,
    read_header,
    read_repaired_header,
    seal,
    unseal,
)
from project.errors import UserError

_KEY = EncryptionKey(bytes(range(32)), {"kdf": "none"})


def _sealed(content: bytes, key: EncryptionKey = _KEY) -> bytes:
    file = io.BytesIO()
    seal(iter([content]), file, key)
    return file.getvalue()


def _opened(sealed: bytes, key: EncryptionKey = _KEY, *, lenient: bool = False) -> bytes:
    file = io.BytesIO(sealed)
    return b"".join(unseal(file, key, read_header(file, "a"), "a", lenient=lenient))


@pytest.mark.parametrize(
    "size", [0, 1, 100, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES, 3 * CHUNK_BYTES + 7]
)
def test_what_was_sealed_comes_back(size: int) -> None:
    content = bytes(range(256)) * (size // 256 + 1)
    assert _opened(_sealed(content[:size])) == content[:size]


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_it_does_not_matter_in_which_pieces_it_comes(pieces: list[bytes]) -> None:
    file = io.BytesIO()
    seal(iter(pieces), file, _KEY)
    assert _opened(file.getvalue()) == b"".join(pieces)


def test_the_same_content_is_sealed_differently_each_time() -> None:
    assert _sealed(b"x" * 100)[-116:] != _sealed(b"x" * 100)[-116:]


def _harmed() -> Iterator[tuple[str, bytes]]:
    whole = _sealed(b"".join(bytes([number]) * CHUNK_BYTES for number in range(3)) + b"end")
    start = len(whole) - 3 * (CHUNK_BYTES + TAG_BYTES) - 3 - TAG_BYTES
    chunks = [
        whole[start + i * (CHUNK_BYTES + TAG_BYTES) : start + (i + 1) * (CHUNK_BYTES + TAG_BYTES)] for i in range(4)
    ]
    head = whole[:start]
    yield "a bit in a chunk", whole[:-50] + bytes([whole[-50] ^ 1]) + whole[-49:]
    yield "a bit in a tag", whole[:-1] + bytes([whole[-1] ^ 1])
    yield "cut in a chunk", whole[:-2]
    yield "cut between chunks", head + b"".join(chunks[:3])
    yield "cut to one chunk", head + chunks[0]
    yield "no chunk", head
    yield "two chunks in each other's place", head + chunks[1] + chunks[0] + chunks[2] + chunks[3]
    yield "a chunk twice", head + chunks[0] + chunks[0] + chunks[1] + chunks[2] + chunks[3]
    yield "a chunk left out", head + chunks[0] + chunks[2] + chunks[3]
    yield "something added", whole + b"x"
    yield "another's chunks under this header", head + _sealed(b"y" * (3 * CHUNK_BYTES + 3))[start:]
    yield "a bit in the header", whole[:40] + bytes([whole[40] ^ 1]) + whole[41:]
    yield "cut in the header", whole[:60]
    yield "a length without end", whole[:16] + b"\xff" * 4 + whole[20:]


@pytest.mark.parametrize(("what", "harmed"), list(_harmed()), ids=lambda one: one if isinstance(one, str) else "")
def test_damage_is_told_and_is_not_called_a_wrong_passphrase(what: str, harmed: bytes) -> None:
    with pytest.raises(UserError, match="damaged") as told:
        _opened(harmed)
    assert not isinstance(told.value, WrongPassphrase), what


def test_what_is_whole_of_a_damaged_file_can_be_had() -> None:
    whole = _sealed(b"a" * CHUNK_BYTES + b"b" * CHUNK_BYTES + b"c")
    harmed = whole[:-CHUNK_BYTES] + bytes([whole[-CHUNK_BYTES] ^ 1]) + whole[-CHUNK_BYTES + 1 :]
    assert _opened(harmed, lenient=True) == b"a" * CHUNK_BYTES + bytes(CHUNK_BYTES) + b"c"


def test_one_bit_of_the_header_can_be_mended() -> None:
    content = b"x" * 100
    whole = _sealed(content)
    end = len(read_header(io.BytesIO(whole), "a").raw)
    for bit in range(0, 8 * end, 7):
        harmed = bytearray(whole)
        harmed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(UserError, match="damaged"):
            read_header(io.BytesIO(harmed), "a")
        file = io.BytesIO(harmed)
        header = read_repaired_header(file, "a")
        assert header.raw == whole[:end]
        assert b"".join(unseal(file, _KEY, header, "a")) == content
    harmed[20] ^= 1
    with pytest.raises(UserError, match="damaged"):
        read_repaired_header(io.BytesIO(harmed), "a")


def test_a_wrong_passphrase_is_told_apart() -> None:
    key = new_key("the right one")
    sealed = _sealed(b"content", key)
    wrapped = read_header(io.BytesIO(sealed), "a").wrapped
    assert _opened(sealed, open_key(wrapped, "the right one", "a")) == b"content"
    for wrong in ("The right one", "the right one ", ""):
        with pytest.raises(WrongPassphrase):
            open_key(wrapped, wrong, "a")
    with pytest.raises(UserError, match="empty"):
        new_key("")
    assert b"the right one" not in sealed


@pytest.mark.parametrize(
    "change",
    [
        {"memory_kib": 1 << 30},
        {"memory_kib": 1 << 19},
        {"lanes": -1},
        {"passes": 10**9},
        {"kdf": "none"},
        {"salt": "?"},
    ],
)
def test_a_strangers_file_cannot_make_the_machine_compute_for_ever(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        open_key({**new_key("a sentence").wrapped, **change}, "a sentence", "a")
