"""Climb from what a model wrote to an answer: read, repair once, coerce once, else say that it could not be read."""

from models.judges.base import Judge, Mended, Question, Reply, Sampling
from models.judges.ladder import words
from models.judges.ladder.account import Account, Price
from models.judges.ladder.completion import Completer, Completion, Unanswered
from models.judges.ladder.forms import coercing, shape_of
from models.judges.ladder.parsing import apart, whole
from models.judges.ladder.reading import Reading, read
from project.judging import JudgmentStatus
from project.policy import Forbidden

_LONGEST_LINE = 300


async def climb(question: Question, model: Completer, coerce: Judge | None, price: Price) -> Reply:
    """Ask a model a question, and make what it writes into an answer.

    Args:
        question: what is asked.
        model: answers it, and is asked once more to mend an answer that cannot be read.
        coerce: a second model that brings an answer into form that still cannot be read; None for none. It sees that
            answer and nothing else. Its requests have to be let through by the same guard.
        price: of the tokens of `model`.

    Raises:
        project.policy.Forbidden: the policy does not let the question leave this machine. Where it lets that, but not
            what comes after, the answer counts as unreadable.
    """
    account = Account(price)
    try:
        first = await model.complete(question.messages, shape_of(question.form), question.sampling)
    except Unanswered as failure:
        return account.unanswered(failure)
    account.wrote(first)
    if first.refusal:
        return account.nothing(JudgmentStatus.REFUSED, f"It refused to answer: {_brief(first.refusal)}")
    reading = read(first, question.form)
    if _slipped(first):
        model.not_held(first.held)
    if reading.answer is not None:
        return account.answered(reading.answer, reading.thinking, reading.mended)
    problems = [f"the answer could not be read: {_why(reading, first, question)}"]
    mended = await _repair(question, model, account, first, reading, problems)
    if mended is None and coerce is not None and first.text.strip():
        mended = await _coerce(question, model, coerce, account, first, reading, problems)
    line = "; ".join(problems)
    return mended or account.nothing(JudgmentStatus.UNPARSED, f"{line[0].upper()}{line[1:]}.", reading)


async def _repair(
    question: Question, model: Completer, account: Account, first: Completion, reading: Reading, problems: list[str]
) -> Reply | None:
    shape = shape_of(question.form)
    turns = words.repair(first.text, reading.problem, first.cut, shape)
    for turn in turns:
        model.clear(turn.text)
    try:
        second = await model.complete((*question.messages, *turns), shape, question.sampling)
    except Unanswered as failure:
        account.failed(failure)
        problems.append(f"it could not be asked to mend it: {failure.line.rstrip('.')}")
        return None
    except Forbidden as refusal:
        problems.append(f"it may not be asked to mend it: {refusal.message.rstrip('.')}")
        return None
    account.wrote(second, "asked to mend it")
    again = read(second, question.form)
    if again.answer is not None:
        thinking = "\n".join(one for one in (reading.thinking, again.thinking) if one)
        return account.answered(again.answer, thinking, Mended.REPAIRED)
    problems.append(f"nor could what it wrote when asked to mend it: {_why(again, second, question)}")
    return None


async def _coerce(
    question: Question,
    model: Completer,
    coerce: Judge,
    account: Account,
    first: Completion,
    reading: Reading,
    problems: list[str],
) -> Reply | None:
    messages = words.coercion(first.text)
    for message in messages:
        model.clear(message.text)
    sampling = Sampling(0.0, question.sampling.seed, question.sampling.max_tokens)
    try:
        reply = await coerce.ask(Question(messages, coercing(question.form), sampling, item=question.item))
    except Forbidden as refusal:
        problems.append(f"a second model may not be asked: {refusal.message.rstrip('.')}")
        return None
    account.coerced(reply)
    if reply.status is JudgmentStatus.OK:
        return account.answered(reply.answer, reading.thinking, Mended.COERCED)
    problems.append(f"nor could a second model bring it into form: {reply.error.rstrip('.') or reply.status.value}")
    return None


def _slipped(completion: Completion) -> bool:
    """Tell whether a text that should have been held to a shape is no object, though it had room and is not empty."""
    ended = bool(completion.held) and not completion.cut
    return ended and bool(completion.text.strip()) and whole(apart(completion.text)[1]) is None


def _why(reading: Reading, completion: Completion, question: Question) -> str:
    limit = question.sampling.max_tokens
    return f"{reading.problem} (cut after {limit} tokens, allow it more)" if completion.cut else reading.problem


def _brief(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"
