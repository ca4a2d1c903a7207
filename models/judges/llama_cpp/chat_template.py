"""Arranges messages for a model's own chat template, and neutralizes special words in texts."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
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
