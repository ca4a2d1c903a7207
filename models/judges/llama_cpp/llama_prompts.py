"""Arranges messages for a model's own chat template, and writes the grammar that holds its answer to a JSON schema."""

import json
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from models.judges.judge_interface import Message, Role
from project.entities.study_records import Json

ChatMessage = dict[str, Any]
Render = Callable[[list[ChatMessage]], str]
"""Applies the template of a model; raises where the template refuses the messages."""

_Turn = tuple[str, list[str | bytes]]
"""The role of a message, then what it consists of in order: texts and JPEGs."""
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


def build_chat(
    messages: Sequence[Message],
    manners: MessageFormats,
    marks: re.Pattern[str],
    picture: Callable[[bytes], Mapping[str, Any]],
) -> list[ChatMessage]:
    """Return messages as llama-cpp-python takes them: each picture after its time, then the text."""

    def part_of(part: str | bytes) -> Mapping[str, Any]:
        return (
            {"type": "text", "text": neutralize_special_words(part, marks)} if isinstance(part, str) else picture(part)
        )

    turns = [(message.role.value, _parts(message)) for message in messages]
    if not manners.accepts_system:
        turns = _without_system(turns)
    return [{"role": role, "content": [part_of(part) for part in parts]} for role, parts in turns]


def _parts(message: Message) -> list[str | bytes]:
    parts: list[str | bytes] = []
    for picture in message.pictures:
        parts += [picture.time_label, picture.jpeg] if picture.time_label else [picture.jpeg]
    return [*parts, message.text] if message.text or not parts else parts


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


def _without_system(turns: Sequence[_Turn]) -> list[_Turn]:
    spoken = [turn for turn in turns if turn[0] != Role.SYSTEM]
    before = [part for role, parts in turns if role == Role.SYSTEM for part in parts]
    return [(role, [*before, *parts] if at == 0 else parts) for at, (role, parts) in enumerate(spoken)]


def _try_render(render: Render, messages: list[ChatMessage]) -> str:
    # Templates refuse by raising whatever they like.
    try:
        return render(messages)
    except Exception:
        return ""


_MAX_LISTED_NUMBERS = 1001
"""Whole numbers between two bounds are listed one by one up to so many: grammars know no bounds."""
_SHORT = 100
"""Characters up to which the library's own rule of a text does. From some 1,800 on llama.cpp refuses it."""
_PIECE = 50
"""Characters of a longer text that are counted as one."""
_MANY = ("anyOf", "oneOf", "allOf", "prefixItems")
_ONE = ("items", "additionalProperties", "not")
_NAMED = ("properties", "$defs", "definitions")


def schema_to_grammar(schema: Mapping[str, Json], longest: int) -> str:
    """Return the grammar of the texts that fit a schema, in GBNF.

    Whole numbers keep their bounds and every text ends, which the library's own translation does not see to.

    Args:
        schema: of an object.
        longest: characters that no text in it may exceed, whatever its `maxLength`.

    Raises:
        Exception: of the library, which does not say of what kind, where it does not understand the schema.
    """
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    lengths: set[int] = set()
    rules = str(json_schema_to_gbnf(json.dumps(_bound_schema(dict(schema), longest, lengths))))
    for char in sorted(set(re.findall(r"\((char\d*) \(", rules))):
        # The longest first: the rule of a shorter one is part of it.
        for length in sorted(lengths, reverse=True):
            if length > _SHORT:
                rules = rules.replace(_nested(char, length), _repeat_by_pieces(char, length))
        rules += f"\nPIECE-{char} ::= {' '.join([char] * _PIECE)}\nTAIL-{char} ::= {_nested(char, _PIECE - 1)}"
    return rules


def _repeat_by_pieces(char: str, length: int) -> str:
    """Return what stands for up to so many characters: whole pieces, and less than one."""
    pieces, rest = divmod(length, _PIECE)
    rule = _nested(char, rest) if rest else '""'
    for _ in range(pieces):
        rule = f"(PIECE-{char} {rule} | TAIL-{char})"
    return rule


def _nested(char: str, length: int) -> str:
    """Return what the library writes for up to so many characters."""
    return f"({char} " * (length - 1) + f"({char}" + ")?" * length


def _bound_schema(schema: Json, longest: int, lengths: set[int]) -> Json:
    """Return a schema in which bounds are lists and texts have an end; `lengths` gets what the texts may grow by."""
    if not isinstance(schema, dict):
        return schema
    found = dict(schema)
    for key in _NAMED:
        if isinstance(named := found.get(key), dict):
            found[key] = {name: _bound_schema(subschema, longest, lengths) for name, subschema in named.items()}
    for key in _MANY:
        if isinstance(many := found.get(key), list):
            found[key] = [_bound_schema(subschema, longest, lengths) for subschema in many]
    for key in _ONE:
        if key in found:
            found[key] = _bound_schema(found[key], longest, lengths)
    if "enum" in found or "const" in found:
        return found
    if found.get("type") == "integer" and (listed := _listed_integers(found)):
        return {"enum": [*listed]}
    if found.get("type") == "string" and "pattern" not in found and "format" not in found:
        stated = found.get("maxLength")
        most = min(stated, longest) if isinstance(stated, int) else longest
        wanted = found.get("minLength")
        least = min(wanted, most) if isinstance(wanted, int) else 0
        found |= {"maxLength": most, "minLength": least}
        lengths.add(most - least)
    return found


def _listed_integers(schema: Mapping[str, Json]) -> range | None:
    """Return the whole numbers within the bounds of a schema; None where it has not two, or they are far apart."""
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    lows = [math.ceil(low)] if isinstance(low, (int, float)) else []
    lows += [math.floor(above) + 1] if isinstance(above, (int, float)) else []
    highs = [math.floor(high)] if isinstance(high, (int, float)) else []
    highs += [math.ceil(below) - 1] if isinstance(below, (int, float)) else []
    if not lows or not highs or not 0 <= min(highs) - max(lows) < _MAX_LISTED_NUMBERS:
        return None
    return range(max(lows), min(highs) + 1)
