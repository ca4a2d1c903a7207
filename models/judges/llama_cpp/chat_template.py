"""Arranges messages for a model's own chat template, and neutralizes special words in texts.

It also checks a GGUF file's header before llama.cpp reads it, which may abort on an unexpected one.
"""

import mmap
import re
import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from models.judges.llama_cpp.process_messages import LlamaMessage

ChatMessage = dict[str, Any]
Render = Callable[[list[ChatMessage]], str]
"""Applies the template of a model; raises where the template refuses the messages."""

_NEEDLE = "needle in a haystack"


@dataclass(frozen=True, slots=True)
class MessageFormats:
    """The message formats that a chat template accepts.

    Attributes:
        accepts_text: the content of a message may be one text.
        accepts_parts: it may be a list of parts.
        accepts_system: there may be a system message; else its text goes before the first question.
    """

    accepts_text: bool = True
    accepts_parts: bool = False
    accepts_system: bool = True


def detect_manners(render: Render) -> MessageFormats:
    """Find out by trying what a template does with a text, a list of parts and a system message."""
    part = {"type": "text", "text": _NEEDLE}
    texts = _NEEDLE in _try_render(render, [{"role": "user", "content": _NEEDLE}])
    listed = _try_render(render, [{"role": "user", "content": [part]}])
    # A template that knows no lists writes one down as Python does.
    lists = _NEEDLE in listed and "'type'" not in listed and '"type"' not in listed
    manners = MessageFormats(texts or not lists, lists)
    talk = [{"role": "system", "content": _NEEDLE}, {"role": "user", "content": "question"}]
    return MessageFormats(manners.accepts_text, lists, _NEEDLE in _try_render(render, arrange_messages(talk, manners)))


def build_messages(
    turns: Sequence[LlamaMessage],
    manners: MessageFormats,
    marks: re.Pattern[str],
    picture: Callable[[bytes], Mapping[str, Any]],
) -> list[ChatMessage]:
    """Return turns as llama-cpp-python takes messages.

    Args:
        turns: in order.
        manners: of the model's template.
        marks: what stands for something else than text; see `neutralize_special_words`.
        picture: makes a part of a message from a JPEG.
    """

    def part_of(part: str | bytes) -> Mapping[str, Any]:
        return (
            {"type": "text", "text": neutralize_special_words(part, marks)} if isinstance(part, str) else picture(part)
        )

    told = turns if manners.accepts_system else _without_system(turns)
    return [{"role": turn.role, "content": [part_of(part) for part in turn.parts]} for turn in told]


def arrange_messages(messages: Sequence[Mapping[str, Any]], manners: MessageFormats) -> list[ChatMessage]:
    """Return messages, in which there is nothing but text by now, as a template takes them.

    A message of one text is given as such where it may be, one of several as a list where that may be.
    """
    found: list[ChatMessage] = []
    for message in messages:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        joined = manners.accepts_text and (len(parts) == 1 or not manners.accepts_parts)
        found.append({**message, "content": "\n".join(part["text"] for part in parts) if joined else parts})
    return found


def special_word_pattern(special: Collection[str]) -> re.Pattern[str]:
    """Return what finds any of the words that are no text to a model, such as the end of a turn."""
    words = sorted({word for word in special if len(word) > 2 and not word.isalnum()}, key=len, reverse=True)
    return re.compile("|".join(re.escape(word) for word in words) or r"(?!)")


def neutralize_special_words(text: str, marks: re.Pattern[str]) -> str:
    """Return a text in which no word stands for the end of a turn, a picture and the like: each gets a space inside.

    A transcript may hold such words. Left as they are, they would let it speak as if it were the program.
    """
    return marks.sub(lambda found: f"{found[0][0]} {found[0][1:]}", text)


def _without_system(turns: Sequence[LlamaMessage]) -> list[LlamaMessage]:
    spoken = [turn for turn in turns if turn.role != "system"]
    before = tuple(part for turn in turns if turn.role == "system" for part in turn.parts)
    return [LlamaMessage(spoken[0].role, (*before, *spoken[0].parts)), *spoken[1:]] if spoken else []


def _try_render(render: Render, messages: list[ChatMessage]) -> str:
    # Templates refuse by raising whatever they like.
    try:
        return render(messages)
    except Exception:
        return ""


_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_KEYS, _MOST_TENSORS, _MOST_ITEMS, _LONGEST_KEY, _DEEPEST = 65_536, 65_536, 1 << 24, 65_535, 2
_STRING, _ARRAY, _BOOL = 8, 9, 7
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of a value, by its type."""
_UNSIGNED = {0: "<B", 2: "<H", 4: "<I", 10: "<Q"}
_ALIGNMENT = "general.alignment"
_LAYERS = ".block_count"
"""Ends the names of what llama.cpp makes room for before it looks for the tensors of each."""
_BLOCKS = {
    **{0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34)},
    **{10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292)},
    **{16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82)},
    **{23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2)},
    **{34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18)},
}
"""How many numbers a block holds and how many bytes it takes, by the type of a tensor."""
_NEWER = 42
"""From here on are types that a newer llama.cpp may know; it has to say itself whether it does."""


class DamagedModelError(Exception):
    """What is wrong with a file, as a clause."""


class Incomplete(DamagedModelError):
    """Its end is missing."""


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a file says of itself.

    Attributes:
        keys: names of what is told about the model.
        tensors: how many there are.
    """

    keys: frozenset[str]
    tensors: int


def read_header(path: Path) -> GgufHeader:
    """Return what a GGUF file says of itself, once every length, type and place in it is seen to fit the file.

    Raises:
        NotWhole: it does not hold together.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        try:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise DamagedModelError("it is empty") from None
        with content:
            return _GgufReader(content).header()


class _GgufReader:
    def __init__(self, content: mmap.mmap) -> None:
        self._content = content
        self._at = 0
        self._alignment = 32

    def header(self) -> GgufHeader:
        if self._bytes(4) != _MAGIC:
            raise DamagedModelError("it is no GGUF file")
        version = self._number("<I")
        if version not in _VERSIONS:
            raise DamagedModelError(f"it is of version {version} of the format, which is not known")
        tensors, keys = self._number("<Q"), self._number("<Q")
        if tensors > _MOST_TENSORS or keys > _MOST_KEYS:
            raise DamagedModelError("it says to hold more than any model does")
        names: set[str] = set()
        layers = 0
        for _ in range(keys):
            name = self._text(_LONGEST_KEY)
            if not name or name in names:
                raise DamagedModelError("it tells something twice, or without a name")
            names.add(name)
            kind = self._number("<I")
            if name == _ALIGNMENT:
                self._align(kind)
            elif name.endswith(_LAYERS) and kind in _UNSIGNED:
                layers = max(layers, self._number(_UNSIGNED[kind]))
            else:
                self._value(kind, 0)
        if layers > tensors:
            raise DamagedModelError("it tells of more layers than it has tensors")
        self._tensors(tensors)
        return GgufHeader(frozenset(names), tensors)

    def _tensors(self, count: int) -> None:
        ends: list[int] = []
        names: set[str] = set()
        for _ in range(count):
            name = self._text(63)
            if name in names:
                raise DamagedModelError("it holds two tensors of one name")
            names.add(name)
            dimensions = self._number("<I")
            if not 1 <= dimensions <= 4:
                raise DamagedModelError("a tensor has too many dimensions")
            shape = [self._number("<Q") for _ in range(dimensions)]
            kind, place = self._number("<I"), self._number("<Q")
            block = _BLOCKS.get(kind, (1, 0) if kind >= _NEWER else None)
            if block is None:
                raise DamagedModelError(f"a tensor is of type {kind}, which is not known")
            if any(not 0 < number < 1 << 40 for number in shape) or shape[0] % block[0] or place % self._alignment:
                raise DamagedModelError("a tensor is of a size, or at a place, that cannot be")
            ends.append(place + prod(shape) // block[0] * block[1])
        begin = -(-self._at // self._alignment) * self._alignment
        if ends and begin + max(ends) > len(self._content):
            raise Incomplete("its end is missing")

    def _align(self, kind: int) -> None:
        if kind != 4:
            raise DamagedModelError("its alignment is no number")
        self._alignment = self._number("<I")
        if not self._alignment or self._alignment & (self._alignment - 1) or self._alignment > 1 << 20:
            raise DamagedModelError("its alignment cannot be")

    def _value(self, kind: int, depth: int) -> None:
        if kind == _STRING:
            self._skip(self._number("<Q"))
        elif kind == _ARRAY and depth < _DEEPEST:
            self._array(self._number("<I"), self._number("<Q"), depth)
        elif kind == _BOOL:
            if self._bytes(1)[0] > 1:
                raise DamagedModelError("something that is true or false is neither")
        elif kind in _SIZES:
            self._skip(_SIZES[kind])
        else:
            raise DamagedModelError(f"it tells something of type {kind}, which is not known")

    def _array(self, kind: int, count: int, depth: int) -> None:
        if count > _MOST_ITEMS:
            raise DamagedModelError("a list in it is longer than any model has")
        if kind in _SIZES:
            self._skip(_SIZES[kind] * count)
            return
        for _ in range(count):
            self._value(kind, depth + 1)

    def _number(self, form: str) -> int:
        (found,) = struct.unpack(form, self._bytes(struct.calcsize(form)))
        return int(found)

    def _text(self, longest: int) -> str:
        length = self._number("<Q")
        if length > longest:
            raise DamagedModelError("a name in it is too long")
        try:
            return self._bytes(length).decode()
        except UnicodeDecodeError:
            raise DamagedModelError("a name in it is no text") from None

    def _bytes(self, count: int) -> bytes:
        begin = self._at
        self._skip(count)
        return self._content[begin : self._at]

    def _skip(self, count: int) -> None:
        self._at += count
        if self._at > len(self._content):
            raise Incomplete("its end is missing")
