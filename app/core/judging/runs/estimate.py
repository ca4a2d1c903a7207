"""The most that a request can take, in tokens and money, before it is sent.

A token stands for one byte of text at least, so the bytes of a message bound its tokens. What a picture takes differs
from model to model: the bound is one token for each patch of 14 by 14 pixels, the finest in use, and never less than
what hosted models count for a small one. Where an answer shows that a model counts more, later requests are taken for
as much more.
"""

from collections.abc import Sequence
from math import ceil
from typing import Any

from app.core.judging.runs.budget import Cost
from models.judges.base import AnswerForm, Mended, Message, Reply
from models.judges.options import ModelOptions
from project.json_text import to_json
from project.timebase import SECOND

_OF_A_MESSAGE = 16
_OF_A_CHAT = 64
_PATCH = 14
_LEAST_OF_A_PICTURE = 1_600
_OF_A_SECOND_OF_CLIP = 2_000
_MOST_SCHEMAS = 64
_SCHEMAS: dict[int, tuple[AnswerForm, int]] = {}
"""The forms of a run are few, and are met again with every request."""
_MENDING = 512
"""What the program adds when it asks to mend an answer."""


class Estimate:
    """Of one judge; learns from its answers.

    Attributes:
        measured: whether an answer has shown what the judge counts.
    """

    def __init__(self, options: Any, second: Any = None) -> None:
        self._options = options if isinstance(options, ModelOptions) else None
        self._second = second if isinstance(second, ModelOptions) else None
        self._more = 1.0
        self.measured = self._options is None

    def most(self, messages: Sequence[Message], form: AnswerForm) -> Cost:
        """Return what asking can take at most: the question, one that asks to mend its answer, and a second model."""
        if self._options is None:
            return Cost()
        asked, out = ceil(self._more * _tokens(messages, form)), self._options.max_tokens
        read, written = 2 * asked + out + _MENDING, 2 * out
        money = self._options.cost(read, written) or 0.0
        if self._second is not None:
            coerced = out + _schema(form) + _MENDING
            money += self._second.cost(coerced, out) or 0.0
            read, written = read + coerced, written + out
        return Cost(read + written, money)

    def lost(self, messages: Sequence[Message], form: AnswerForm) -> Cost:
        """Return what one request can have taken at most whose answer never came, whichever it was of the question."""
        if self._options is None:
            return Cost()
        asked, out = ceil(self._more * _tokens(messages, form)), self._options.max_tokens
        read = asked + out + _MENDING
        money = max(one.cost(read, out) or 0.0 for one in (self._options, self._second) if one is not None)
        return Cost(read + out, money)

    def learn(self, messages: Sequence[Message], form: AnswerForm, reply: Reply) -> None:
        """Take in what an answer says that its question took; one that was mended took several questions."""
        if reply.tokens_in and reply.mended in (Mended.NOTHING, Mended.FOUND):
            self._more = max(self._more, reply.tokens_in / _tokens(messages, form))
            self.measured = True

    def took(self, reply: Reply, most: Cost) -> Cost:
        """Return what a request took, as far as it is known; of an answer that nobody counted, the most.

        A server that says that it read nothing has not counted.
        """
        if self._options is None or reply.calls == 0:
            return Cost()
        counted = (reply.tokens_in or 0) + (reply.tokens_out or 0)
        unknown = reply.raw and (not reply.tokens_in or reply.tokens_out is None)
        money = most.money if unknown and self._options.priced else reply.cost or 0.0
        return Cost(max(counted, most.tokens) if unknown else counted, money)


def _tokens(messages: Sequence[Message], form: AnswerForm) -> int:
    total = _OF_A_CHAT + _schema(form)
    for message in messages:
        total += _OF_A_MESSAGE + len(message.text.encode("utf-8", "replace"))
        for picture in message.pictures:
            patches = ceil(picture.width / _PATCH) * ceil(picture.height / _PATCH)
            total += max(_LEAST_OF_A_PICTURE, patches) + len(picture.shown) + _OF_A_MESSAGE
        if message.clip is not None:
            total += ceil((message.clip.end_us - message.clip.start_us) / SECOND * _OF_A_SECOND_OF_CLIP)
    return total


def _schema(form: AnswerForm) -> int:
    """Return the tokens of a schema that may be told twice: to the server, and in words."""
    known = _SCHEMAS.get(id(form))
    if known is None or known[0] is not form:
        known = _SCHEMAS[id(form)] = (form, 2 * len(to_json(dict(form.schema)).encode()))
        if len(_SCHEMAS) > _MOST_SCHEMAS:
            del _SCHEMAS[next(iter(_SCHEMAS))]
    return known[1]
