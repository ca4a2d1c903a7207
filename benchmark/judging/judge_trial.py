"""The job that tries a judge, apart from the window: a model may take long to load, and may crash."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any, cast

from anonymize.egress.egress_authority import RemoteAuthority, StudyAuthority, answer_permits
from benchmark.judging.judge_registry import find_key, redact_key, require_trusted_files
from models.connection.guard import Authority, Guard, RequestPurpose, for_purpose
from models.judges.judge_backends import create_judge
from models.judges.judge_interface import (
    TRIAL_QUESTION,
    Judge,
    JudgeResources,
    JudgeTrial,
    Message,
    Role,
    trial_request,
)
from models.judges.openai_compatible.server_judge import OpenAIJudge
from project.entities.egress_policy import Purpose
from project.entities.judgments import JudgeEntry, JudgmentStatus
from project.session.jobs import JobHost, JobKind, JobSpec
from project.session.session import Session


def try_judge(session: Session, entry: JudgeEntry) -> JudgeTrial:
    """Ask a judge a question that holds nothing of the study, under the study's policy."""
    require_trusted_files(session, entry)
    return try_with_key(StudyAuthority(session), entry, find_key(entry))


def try_with_key(authority: Authority, entry: JudgeEntry, key: str) -> JudgeTrial:
    """Try a judge under an authority, with a key that need not be stored anywhere."""
    guard = Guard(authority)
    judge = create_judge(entry, JudgeResources(guard, key))
    found = asyncio.run(_probe_or_ask(judge, guard, entry))
    lines = tuple(redact_key(line, key) for line in found.lines)
    return replace(found, lines=lines, model_id=redact_key(found.model_id, key))


async def _probe_or_ask(judge: Judge, guard: Guard, entry: JudgeEntry) -> JudgeTrial:
    try:
        with for_purpose(RequestPurpose(Purpose.TEST, entry.id)):
            if isinstance(judge, OpenAIJudge):
                return await judge.probe()
            return await _ask_trial_question(judge, guard)
    finally:
        await judge.close()


async def _ask_trial_question(judge: Judge, guard: Guard) -> JudgeTrial:
    guard.approved.add_text(TRIAL_QUESTION, "")
    reply = await judge.ask(trial_request(Message(Role.USER, TRIAL_QUESTION)))
    if reply.status is not JudgmentStatus.OK:
        return JudgeTrial(False, (reply.error or "It gave no answer.",), reply.model_id)
    tokens = f", {reply.tokens_in} tokens read and {reply.tokens_out} written" if reply.tokens_out is not None else ""
    said = cast(dict[str, Any], dict(reply.answer)).get("colour", reply.answer)
    return JudgeTrial(True, (f"It answers: {said} ({reply.ms / 1000:.1f} s{tokens}).",), reply.model_id)


KIND = "try_judge"


@dataclass(frozen=True, slots=True)
class JudgeTestParameters:
    """The judge, and a key that was typed and is not stored anywhere; "" for the stored one."""

    judge: JudgeEntry
    key: str = field(default="", repr=False)


def prepare(entry: JudgeEntry, key: str = "") -> JobSpec[JudgeTestParameters]:
    """Make the job; the key goes to the worker over its standard input."""
    return JobSpec(KIND, f"Try {entry.name}", "", JudgeTestParameters(entry, key))


def compute(parameters: JudgeTestParameters, holder: JobHost) -> JudgeTrial:
    """Try the judge."""
    holder.progress(0, 0, "Asking")
    authority = RemoteAuthority(holder, threadsafe=holder.threadsafe)
    return try_with_key(authority, parameters.judge, parameters.key or find_key(parameters.judge))


# Not resumed: it holds a key, and somebody waits for the answer.
JOB = JobKind(
    key=KIND,
    parameters=JudgeTestParameters,
    result=JudgeTrial,
    compute=compute,
    answer=lambda session, _work, question: answer_permits(session, question),
    network=True,
)
