"""Parses answers from a model's text, and derives the schemas for thoughts and coercion.

The text is data: decoded, compared and stored, never followed.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder
from math import isinf
from typing import NoReturn

from models.judges.judge_interface import AnswerForm, Completion, RepairLevel
from project.entities.study_records import Json

_UNFIT = re.compile("[\x00\ud800-\udfff]")
_EFFORT_PER_CHAR = 40
"""How often a text may be read over in search of an object, so that no text takes long."""
_LENIENT_EFFORT = 8
"""How much longer reading takes that lets more through."""
_BEGINS = re.compile(r"""\{(?=\s*["'}])""")
_LENIENT_TOKEN = re.compile(
    r"""(?P<text>"(?:[^"\\]|\\.)*")|'(?P<single>(?:[^'\\]|\\.)*)'|(?P<open>[{\[])|(?P<comma>,)?\s*(?P<close>[}\]])"""
    r"""|(?P<name>\b(?:True|False|None)\b)|[^"'{}\[\],TFN]+|.""",
    re.DOTALL,
)
_QUOTE_OR_ESCAPE = re.compile(r"\\.|\"", re.DOTALL)
_PYTHON_NAMES = {"True": "true", "False": "false", "None": "null"}
_MARKS = ("think", "thinking", "thought", "reasoning")
_CHANNEL = re.compile(r"<\|channel\|>final\b.*?<\|message\|>", re.DOTALL)
_CHANNEL_MARK = re.compile(r"<\|[a-z_]+\|>")


def replace_unstorable(text: str) -> str:
    """Return a text in which NUL and halves of surrogate pairs, which a file cannot hold, are replaced by U+FFFD."""
    return _UNFIT.sub("\ufffd", text)


def parse_whole(text: str) -> dict[str, Json] | None:
    """Return the object that a text consists of, apart from space around it; None where it is no such thing.

    Raw control characters in strings are let through, as llama.cpp's grammars write them.
    """
    bare = text.strip().lstrip("\ufeff")
    if not bare.startswith("{"):
        return None
    try:
        found, end = _DECODER.raw_decode(bare)
        return _clean(found) if end == len(bare) else None
    except (ValueError, RecursionError):
        return None


def find_objects(text: str) -> Iterator[tuple[int, int, dict[str, Json]]]:
    """Yield every object in a text that is in no other one, with where it starts and ends.

    Braces that begin no object are passed over. An object may be written as Python writes it, or with commas at the end
    of lists.
    """
    left, end = _EFFORT_PER_CHAR * len(text) + 10_000, 0
    while left > 0 and (begins := _BEGINS.search(text, end)):
        at = begins.start()
        try:
            found, end = _DECODER.raw_decode(text, at)
            yield at, end, _clean(found)
        except JSONDecodeError as error:
            # Python counts the lines before an error.
            left -= error.pos - at + at // 50
            lenient, end = _decode_lenient(text, at)
            left -= _LENIENT_EFFORT * (end - at)
            if lenient is None:
                end = at + 1
            else:
                yield at, end, lenient
        except (ValueError, RecursionError):
            left -= len(text) - at
            end = at + 1


def _decode_lenient(text: str, at: int) -> tuple[dict[str, Json] | None, int]:
    """Return the object at a place with its quotes and commas made JSON's, or None, and where it ends."""
    made: list[str] = []
    depth = 0
    for token in _LENIENT_TOKEN.finditer(text, at):
        end = token.end()
        depth += (token["open"] is not None) - (token["close"] is not None)
        if token["single"] is not None:
            made.append(f'"{_QUOTE_OR_ESCAPE.sub(_requote, token["single"])}"')
        else:
            made.append(token["close"] or _PYTHON_NAMES.get(token[0], token[0]))
        if depth == 0:
            try:
                return _clean(_DECODER.decode("".join(made))), end
            except (ValueError, RecursionError):
                return None, end
    return None, len(text)


def _requote(sign: re.Match[str]) -> str:
    return {'"': '\\"', "\\'": "'"}.get(sign[0], sign[0])


def split_thoughts(text: str) -> tuple[str, str]:
    """Return the thoughts that a reasoning model marks as such in its text, and the rest.

    Known are `<think>...</think>` and its kin, also without the first mark, which some templates write themselves, and
    the channels of gpt-oss. Thoughts that never end leave nothing.
    """
    if parse_whole(text) is not None:
        return "", text
    channels = list(_CHANNEL.finditer(text))
    if channels:
        last = channels[-1]
        return (
            _CHANNEL_MARK.sub(" ", text[: last.start()]).strip(),
            _CHANNEL_MARK.sub("", text[last.end() :]).strip(),
        )
    for mark in _MARKS:
        start, end = f"<{mark}>", f"</{mark}>"
        begins = text.lstrip().startswith(start)
        if end in text:
            thoughts, _, rest = text.rpartition(end)
            return thoughts.strip().removeprefix(start).strip(), rest.strip()
        if begins:
            return text.strip().removeprefix(start).strip(), ""
    return "", text


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if isinf(value):
        _refuse(digits)
    return value


def _reject_duplicates(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice, and which of them is meant is not for us to guess")
    return found


_DECODER = JSONDecoder(strict=False, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_reject_duplicates)


def _clean(found: dict[str, Json]) -> dict[str, Json]:
    return {replace_unstorable(key): _clean_value(value) for key, value in found.items()}


def _clean_value(value: Json) -> Json:
    if isinstance(value, str):
        return replace_unstorable(value)
    if isinstance(value, list):
        return [_clean_value(item) for item in value]
    return _clean(value) if isinstance(value, dict) else value


def to_compact_json(value: Json) -> str:
    """Return a value as compact JSON, for a prompt."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


THOUGHTS_KEY = "thoughts"
ANSWER_KEY = "answer"
IS_ANSWER_KEY = "gives_an_answer"
_MAX_THOUGHT_CHARS = 8000


def response_schema(form: AnswerForm) -> Mapping[str, Json]:
    """Return what the model is held to: the form's schema, after room for thoughts where it thinks first."""
    if not form.thinks:
        return form.schema
    thoughts: dict[str, Json] = {"type": "string", "maxLength": _MAX_THOUGHT_CHARS}
    return _wrap_schema(form.schema, {THOUGHTS_KEY: thoughts})


def split_answer(form: AnswerForm, found: Mapping[str, Json]) -> tuple[str, Mapping[str, Json]]:
    """Return the thoughts in an object of `response_schema(form)`, and the object that the form reads."""
    inner = found.get(ANSWER_KEY)
    if form.thinks and isinstance(inner, dict) and set(found) <= {THOUGHTS_KEY, ANSWER_KEY}:
        thoughts = found.get(THOUGHTS_KEY, "")
        return thoughts if isinstance(thoughts, str) else "", inner
    return "", found


def coercion_form(form: AnswerForm) -> AnswerForm:
    """Return the form in which a second model says what a free answer amounts to, and whether it is one at all."""

    def read(found: Json) -> dict[str, Json]:
        if not isinstance(found, dict) or found.get(IS_ANSWER_KEY) is not True:
            raise ValueError("the text gives no answer")
        return form.parse(found.get(ANSWER_KEY))

    return AnswerForm(f"{form.name}_coerced", _wrap_schema(form.schema, {IS_ANSWER_KEY: {"type": "boolean"}}), read)


def _wrap_schema(schema: Mapping[str, Json], first: Mapping[str, Json]) -> dict[str, Json]:
    inner = {key: value for key, value in schema.items() if key not in ("$defs", "$schema")}
    outer: dict[str, Json] = {
        "type": "object",
        "properties": {**first, ANSWER_KEY: inner},
        "required": [*first, ANSWER_KEY],
        "additionalProperties": False,
    }
    if "$defs" in schema:
        outer["$defs"] = schema["$defs"]
    return outer


MAX_STORED_CHARS = 100_000
"""Characters of an answer that are read and kept."""


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """What was found in one text.

    Attributes:
        answer: None where none could be read.
        thinking: what was thought before it.
        mended: `NOTHING` where the text was the answer, `FOUND` where there was more around it.
        problem: why it could not be read, to be said in the middle of a sentence; "" where it could.
    """

    answer: Mapping[str, Json] | None
    thinking: str
    mended: RepairLevel
    problem: str = ""


def truncate_for_storage(text: str) -> str:
    """Return a text as it is stored: characters that fit into a file, and an end that says how much was left out."""
    fit = replace_unstorable(text[:MAX_STORED_CHARS])
    return (
        fit
        if len(text) <= MAX_STORED_CHARS
        else f"{fit}\n[cut: the first {MAX_STORED_CHARS:,} of {len(text):,} characters]"
    )


def parse_answer(completion: Completion, form: AnswerForm) -> ParsedAnswer:
    """Read the answer in a completion.

    Of several objects that the form can read, a model that thinks first means the last. From others they must all say
    the same: which of them is meant is not for us to guess. A text without an object is the answer where the form asks
    for one value of a list and the text is such a value.
    """
    marked, text = split_thoughts(completion.text[:MAX_STORED_CHARS])
    thinking = truncate_for_storage("\n".join(thoughts for thoughts in (completion.thinking, marked) if thoughts))
    alone = parse_whole(text)
    if alone is not None:
        thoughts, answer, problem = _try_form(alone, form)
        mended = RepairLevel.FOUND if marked else RepairLevel.NOTHING
        if answer is not None:
            return ParsedAnswer(answer, _joined(thinking, thoughts), mended)
        return ParsedAnswer(None, thinking, mended, problem)
    return _search(text, form, thinking)


def _search(text: str, form: AnswerForm, thinking: str) -> ParsedAnswer:
    fitting: list[tuple[str, Mapping[str, Json]]] = []
    problem = "there is no JSON object in it" if text.strip() else "it is empty"
    for start, _, found in find_objects(text):
        thoughts, answer, wrong = _try_form(found, form)
        if answer is not None:
            fitting.append((thoughts or (_strip_fence(text[:start]) if form.thinks else ""), answer))
        elif not fitting:
            problem = wrong
    if not fitting and "{" not in text and (key := _only_listed_key(form)):
        _, answer, _ = _try_form({key: replace_unstorable(text.strip())}, form)
        fitting += [("", answer)] if answer is not None else []
    if not fitting:
        return ParsedAnswer(None, thinking, RepairLevel.FOUND, problem)
    if not form.thinks and any(answer != fitting[0][1] for _, answer in fitting):
        return ParsedAnswer(None, thinking, RepairLevel.FOUND, "it holds several answers that differ")
    thoughts, answer = fitting[-1]
    return ParsedAnswer(answer, _joined(thinking, thoughts), RepairLevel.FOUND)


def _only_listed_key(form: AnswerForm) -> str:
    """Return the key of the only value that a form takes from a list; "" where there is none, or several."""
    properties = form.schema.get("properties")
    listed = [
        key
        for key, value in (properties.items() if isinstance(properties, dict) else ())
        if isinstance(value, dict) and ("enum" in value or "const" in value)
    ]
    return listed[0] if len(listed) == 1 else ""


def _try_form(found: dict[str, Json], form: AnswerForm) -> tuple[str, Mapping[str, Json] | None, str]:
    """Return the thoughts, the answer and why there is none; an object around the only object in it is looked into."""
    thoughts, inner = split_answer(form, found)
    try:
        return replace_unstorable(thoughts)[:MAX_STORED_CHARS], form.parse(dict(inner)), ""
    except (ValueError, RecursionError) as error:
        problem = _line(error)
    only = next(iter(found.values())) if len(found) == 1 else None
    if isinstance(only, dict):
        deeper, answer, _ = _try_form(only, form)
        if answer is not None:
            return deeper, answer, ""
    return "", None, problem


def _line(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return replace_unstorable(" ".join(str(error).split())).rstrip(".")[:300] or "it does not fit the form"


def _strip_fence(text: str) -> str:
    return text.rstrip().removesuffix("```json").removesuffix("```").rstrip()


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
