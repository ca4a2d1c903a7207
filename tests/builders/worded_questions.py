"""Judges that word questions as a test wants: a study, a server on this machine, and what came of asking it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from benchmark.judging.ask_job import prepare
from benchmark.judging.ask_run import AskRequest
from benchmark.judging.judge_registry import add_judge
from project.entities.judgments import JudgeEntry, Judgment
from project.progress import Silent
from project.queries.judgment_rows import find_judgments
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.misbehaving_server import Asked, Behaviour, misbehaving, says

GOOD = {
    "question": "Why does the User laugh at the end?",
    "answer": "Because the User takes the question for a joke.",
    "wrong_1": "Because the Agent falls.",
    "wrong_2": "Because somebody else comes in.",
    "wrong_3": "Because the User is tired.",
    "wrong_4": "Because music plays.",
}


def told_to(asked: Asked) -> str:
    """Return what the user's message of a request says, also where it is asked again because of its form."""
    content: Any = next(one["content"] for one in asked.body["messages"] if one["role"] == "user")
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def scripted(answer: Callable[[str], object]) -> Behaviour:
    """Answer each request with what a function makes of its text: a string as it is, anything else as JSON."""

    async def behave(asked: Asked, writer: Any) -> None:
        said = answer(told_to(asked))
        await says(said if isinstance(said, str) else json.dumps(said))(asked, writer)

    return behave


@contextmanager
def judge_that(session: Session, answer: Callable[[str], object], name: str = "model") -> Iterator[JudgeEntry]:
    """Add a judge that answers so, while the block runs."""
    with misbehaving(scripted(answer)) as server:
        entry, _ = add_judge(session, name, "openai", "fake", {"url": server.url, "sees": "text", "tries": 1})
        yield entry


def asked(session: Session, request: AskRequest) -> list[Judgment]:
    """Ask, and return what was answered, also what was known; by judge, then in the order in which it was asked for."""
    asking = prepare(session, request)
    ids = [judgment.id for judgment in asking.cached]
    if asking.job is not None:
        _, changes = run_inline(session, asking.job, Silent())
        ids += sorted(changes.ids("judgment"))
    judges = [judge.id for judge in request.judges]
    order = {key: at for at, key in enumerate(request.about)}
    said = find_judgments(session.study, ids)
    return sorted(said, key=lambda judgment: (judges.index(judgment.judge_id), order[judgment.target.key]))
