"""Tries a judge with a question that holds nothing of the study: does it answer, as what, how fast."""

import asyncio
from dataclasses import dataclass
from typing import Any, Protocol, cast, runtime_checkable

from app.core.judging.judges.chosen_files import require_chosen
from app.core.judging.judges.keys import key_of, without_key
from app.core.leaving.authority import authority_of
from app.core.session import Session
from models.connection.authority import Authority
from models.connection.guard import Guard
from models.connection.parcel import Parcel, carrying
from models.judges.base import AnswerForm, Judge, Message, Question, Role, Sampling
from models.judges.means import Means
from models.judges.registry import judge_of
from project.judging import JudgeEntry, JudgmentStatus
from project.policy import Purpose
from project.types import Json

_QUESTION = "Which colour does a ripe tomato have? Answer in the form that is asked for."
_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["red", "green", "blue"]}},
    "required": ["colour"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it.

    Attributes:
        ok: it can be asked.
        lines: what was found, a sentence each.
        model_id: what it says that it runs.
    """

    ok: bool
    lines: tuple[str, ...]
    model_id: str = ""

    def as_text(self) -> str:
        """Return the lines, one below the other."""
        return "\n".join(self.lines)

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        return {"ok": self.ok, "lines": [*self.lines], "model_id": self.model_id}


class _Found(Protocol):
    ok: bool
    lines: tuple[str, ...]
    model_id: str


@runtime_checkable
class _Probed(Protocol):
    async def probe(self) -> _Found:
        """Say what a server is and can do."""


def try_judge(session: Session, entry: JudgeEntry) -> Trial:
    """Ask a judge something that is not about the study, under the study's policy.

    Raises:
        UserError: it is a person, or its settings do not fit.
        project.policy.Forbidden: the policy does not let the request leave this machine.
    """
    require_chosen(session, entry)
    return try_under(authority_of(session), entry, key_of(entry))


def try_under(authority: Authority, entry: JudgeEntry, key: str) -> Trial:
    """Do what `try_judge` does, with the leave of whoever holds the study and a key that need not be kept anywhere.

    Raises:
        UserError: it is a person, or its settings do not fit.
        project.policy.Forbidden: the policy does not let the request leave this machine.
    """
    guard = Guard(authority)
    judge = judge_of(entry, Means(guard, key))
    found = asyncio.run(_tried(judge, guard, entry))
    return Trial(found.ok, tuple(without_key(line, key) for line in found.lines), without_key(found.model_id, key))


async def _tried(judge: Judge, guard: Guard, entry: JudgeEntry) -> Trial:
    try:
        with carrying(Parcel(Purpose.TEST, entry.id)):
            if isinstance(judge, _Probed):
                probed = await judge.probe()
                return Trial(probed.ok, probed.lines, probed.model_id)
            return await _asked(judge, guard)
    finally:
        await judge.close()


async def _asked(judge: Judge, guard: Guard) -> Trial:
    def read(found: Json) -> dict[str, Json]:
        if not isinstance(found, dict) or found.get("colour") not in ("red", "green", "blue"):
            raise ValueError("colour is missing")
        return {"colour": found["colour"]}

    guard.cleared.add_text(_QUESTION, "")
    form = AnswerForm("colour", _SCHEMA, read)
    reply = await judge.ask(Question((Message(Role.USER, _QUESTION),), form, Sampling(max_tokens=256), item="trial"))
    if reply.status is not JudgmentStatus.OK:
        return Trial(False, (reply.error or "It gave no answer.",), reply.model_id)
    tokens = f", {reply.tokens_in} tokens read and {reply.tokens_out} written" if reply.tokens_out is not None else ""
    said = cast(dict[str, Any], dict(reply.answer)).get("colour", reply.answer)
    return Trial(True, (f"It answers: {said} ({reply.ms / 1000:.1f} s{tokens}).",), reply.model_id)
