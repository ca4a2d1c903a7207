"""Read an answer out of what a model wrote."""

from collections.abc import Mapping
from dataclasses import dataclass

from models.judges.base import AnswerForm, Mended
from models.judges.ladder import parsing
from models.judges.ladder.completion import Completion
from models.judges.ladder.forms import thoughts_in
from project.types import Json

LONGEST = 100_000
"""Characters of an answer that are read and kept."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found in one text.

    Attributes:
        answer: None where none could be read.
        thinking: what was thought before it.
        mended: `NOTHING` where the text was the answer, `FOUND` where there was more around it.
        problem: why it could not be read, to be said in the middle of a sentence; "" where it could.
    """

    answer: Mapping[str, Json] | None
    thinking: str
    mended: Mended
    problem: str = ""


def kept(text: str) -> str:
    """Return a text as it is stored: characters that fit into a file, and an end that says how much was left out."""
    fit = parsing.storable(text[:LONGEST])
    return fit if len(text) <= LONGEST else f"{fit}\n[cut: the first {LONGEST:,} of {len(text):,} characters]"


def read(completion: Completion, form: AnswerForm) -> Reading:
    """Read the answer in a completion.

    Of several objects that the form can read, a model that thinks first means the last. From others they must all say
    the same: which of them is meant is not for us to guess.
    """
    marked, text = parsing.apart(completion.text[:LONGEST])
    thinking = kept("\n".join(one for one in (completion.thinking, marked) if one))
    alone = parsing.whole(text)
    if alone is not None:
        thoughts, answer, problem = _tried(alone, form)
        mended = Mended.FOUND if marked else Mended.NOTHING
        if answer is not None:
            return Reading(answer, _joined(thinking, thoughts), mended)
        return Reading(None, thinking, mended, problem)
    return _search(text, form, thinking)


def _search(text: str, form: AnswerForm, thinking: str) -> Reading:
    fitting: list[tuple[str, Mapping[str, Json]]] = []
    problem = "there is no JSON object in it" if text.strip() else "it is empty"
    for start, _, found in parsing.objects(text):
        thoughts, answer, wrong = _tried(found, form)
        if answer is not None:
            fitting.append((thoughts or (_before(text[:start]) if form.thinks else ""), answer))
        elif not fitting:
            problem = wrong
    if not fitting:
        return Reading(None, thinking, Mended.FOUND, problem)
    if not form.thinks and any(answer != fitting[0][1] for _, answer in fitting):
        return Reading(None, thinking, Mended.FOUND, "it holds several answers that differ")
    thoughts, answer = fitting[-1]
    return Reading(answer, _joined(thinking, thoughts), Mended.FOUND)


def _tried(found: dict[str, Json], form: AnswerForm) -> tuple[str, Mapping[str, Json] | None, str]:
    """Return the thoughts, the answer and why there is none; an object around the only object in it is looked into."""
    thoughts, inner = thoughts_in(form, found)
    try:
        return parsing.storable(thoughts)[:LONGEST], form.read(dict(inner)), ""
    except (ValueError, RecursionError) as error:
        problem = _line(error)
    only = next(iter(found.values())) if len(found) == 1 else None
    if isinstance(only, dict):
        deeper, answer, _ = _tried(only, form)
        if answer is not None:
            return deeper, answer, ""
    return "", None, problem


def _line(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return parsing.storable(" ".join(str(error).split())).rstrip(".")[:300] or "it does not fit the form"


def _before(text: str) -> str:
    return text.rstrip().removesuffix("```json").removesuffix("```").rstrip()


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
