"""Decides in the process that holds the study whether a request may leave, and logs each decision first.

Jobs in other processes ask it in messages.

The effective policy is the one confirmed on this machine: a study file may come from somebody else, or from an older
state.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from models.connection.addresses import UNSUPPORTED_PROXY, is_local_host, proxy_for, server_of_url
from models.judges.judge_backends import build_options, load_backend
from project.codec import dump, load
from project.entities.egress_policy import (
    Egress,
    EgressLevel,
    EgressRequest,
    Forbidden,
    Policy,
    Purpose,
    RequestEvidence,
    decide,
)
from project.entities.judgments import PERSON_BACKEND, JudgeEntry
from project.entities.study_records import Json
from project.errors import Cancelled, UserError
from project.ids import new_id
from project.queries.policy_rows import insert_egress, read_policy, stored_policy
from project.session.session import Session
from project.session.trust_store import newest_policy, note_policy, object_digest
from project.timebase import utc_now
from resources.translation import later

UNCONFIRMED = later(
    "This study's policy lets something leave. It is not the one that was set last on this machine, so it is not in "
    "force here."
)
CONFIRM = later("Read it: greenroom policy show STUDY. Then put it in force: greenroom policy confirm STUDY")


def policy_in_force(session: Session) -> Policy:
    """Return the policy of a study where it is the one that was set last here; nothing leaves by any other."""
    return policy_in_file(session) if is_newest(session) else Policy()


def needs_confirmation(session: Session) -> bool:
    """Tell whether the study has a policy that lets something out, which is not the one that was set last here."""
    return not policy_in_file(session).is_closed and not is_newest(session)


def is_newest(session: Session) -> bool:
    """Tell whether the policy in the study's file is, setting for setting, the one that was set last here."""
    newest = newest_policy(session.study.id)
    return newest is not None and newest.digest == object_digest(stored_policy(session.study))


def record_policy(session: Session, stored: Json) -> None:
    """Note that somebody on this machine sets a policy, given as the study will store it.

    Raises:
        OSError: it cannot be noted.
    """
    note_policy(session.study.id, object_digest(stored))


def policy_in_file(session: Session) -> Policy:
    """Return what the study's file says, in force or not."""
    return read_policy(session.study)


class StudyAuthority:
    """Lets requests through by the policy of a study. Belongs to the thread that opened the study."""

    threadsafe = False

    def __init__(self, session: Session) -> None:
        self._session = session

    def permit(self, request: EgressRequest) -> None:
        """Return when a request may leave and that is on disk."""
        _raise_refusals(self.permit_all([request]))

    def permit_all(self, requests: Sequence[EgressRequest]) -> list[Forbidden | None]:
        """Decide about requests that want to leave at the same moment; they are written down as one transaction.

        Returns:
            For each why it may not leave; None where it may, and that is on disk.
        """
        policy = policy_in_force(self._session)
        refusals: list[Forbidden | None] = []
        lines = []
        for request in requests:
            permission, refusal = self._decide(policy, request)
            refusals.append(refusal)
            rule = refusal.rule if refusal else ""
            lines.append(Egress(new_id(), utc_now(), request, policy.level, permission, rule))
        try:
            with self._session.study.run_transaction():
                for line in lines:
                    insert_egress(self._session.study, line)
        except UserError as error:
            told = f"The request cannot be logged, so it is not sent: {error.message}"
            return [refused or Forbidden("recorded", told, error.hint) for refused in refusals]
        return refusals

    def preview_refusal(self, request: EgressRequest) -> Forbidden | None:
        """Return why a request would currently not be let through; None where it would. Nothing is written."""
        return self._decide(policy_in_force(self._session), request)[1]

    def _decide(self, policy: Policy, request: EgressRequest) -> tuple[str, Forbidden | None]:
        """Return the permission, or why there is none."""
        try:
            return decide(policy, request, self._collect_evidence(policy, request)), None
        except Forbidden as forbidden:
            if forbidden.rule not in ("cleared", "reviewed") and needs_confirmation(self._session):
                return "", Forbidden(forbidden.rule, UNCONFIRMED, f"{CONFIRM} (rule {forbidden.rule})")
            return "", forbidden

    def _collect_evidence(self, policy: Policy, request: EgressRequest) -> RequestEvidence:
        """Return what has to be known to decide; the study is not searched where the answer does not depend on it."""
        if request.local or request.purpose is Purpose.DOWNLOAD or policy.level is EgressLevel.NOTHING:
            return RequestEvidence()
        # It brings all that a release is judged by, which a window needs only when something is about to leave.
        from anonymize.egress.egress_evidence import gather_evidence, gather_work_evidence

        try:
            gather = gather_work_evidence if request.purpose is Purpose.CLUSTER else gather_evidence
            return gather(self._session, request)
        except UserError as error:
            why = f"the study cannot tell ({error.message})"
            return RequestEvidence(why, why, error.hint)


def _raise_refusals(refusals: Iterable[Forbidden | None]) -> None:
    for refusal in refusals:
        if refusal is not None:
            raise refusal


PERMIT = "permit"
"""What the question is about."""


class PermitAsker(Protocol):
    """What `project.session.jobs.JobHost` offers for this."""

    def ask(self, question: dict[str, Json]) -> dict[str, Json]:
        """Ask, and wait for the answer."""


@dataclass(frozen=True, slots=True)
class PermitQuestion:
    """Requests that want to leave at the same moment."""

    requests: tuple[EgressRequest, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request may not leave; see `Forbidden`."""

    rule: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class PermitAnswer:
    """For each request why it may not leave; None where it may, and that is on disk."""

    refusals: tuple[Refusal | None, ...]


def permit_question(requests: Sequence[EgressRequest]) -> dict[str, Json]:
    """Return, as JSON, the question whether requests may leave."""
    return {"ask": PERMIT, **dump(PermitQuestion(tuple(requests)))}


def answer_permits(
    session: Session,
    question: Mapping[str, Json],
    bar: Callable[[EgressRequest], EgressRequest] = lambda request: request,
) -> dict[str, Json]:
    """Answer what `permit_question` made, in the process that holds the study.

    `bar` returns what is asked in the place of a request, such as one that no policy lets out.
    """
    unknown = Forbidden("recorded", "The request is incomplete, so it is not sent.")
    asked = question.get("requests")
    if not isinstance(asked, list) or not all(_says_what_is_approved(request) for request in asked):
        raise unknown
    try:
        requests = load(PermitQuestion, question, PERMIT).requests
    except UserError:
        raise unknown from None
    found = StudyAuthority(session).permit_all([*map(bar, requests)])
    refusals = (None if error is None else Refusal(error.rule, error.message, error.hint) for error in found)
    return dump(PermitAnswer(tuple(refusals)))


def _says_what_is_approved(request: Json) -> bool:
    """Return whether a request says it itself: what a message leaves out would count as approved."""
    return isinstance(request, dict) and type(request.get("unapproved")) is int


class RemoteAuthority:
    """Stands for the authority of a study that another process, or the caller of this job, holds.

    Attributes:
        threadsafe: whether any thread may ask; False where the job runs in the thread of the study.
    """

    def __init__(self, holder: PermitAsker, *, threadsafe: bool = True) -> None:
        self._holder = holder
        self.threadsafe = threadsafe
        self._waiting: list[tuple[EgressRequest, asyncio.Future[None]]] = []
        self._asking: asyncio.Task[None] | None = None

    def permit(self, request: EgressRequest) -> None:
        """Return when a request may leave and that is written down."""
        _raise_refusals(self._ask([request]))

    async def permit_soon(self, request: EgressRequest) -> None:
        """Do what `permit` does, together with other requests of this moment in one event loop."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._send_batches())
        await future

    def _ask(self, requests: Sequence[EgressRequest]) -> list[Forbidden | None]:
        answer = self._holder.ask(permit_question(requests))
        try:
            refusals = load(PermitAnswer, answer, PERMIT).refusals
        except UserError:
            refusals = ()
        if len(refusals) != len(requests):
            raise Forbidden("recorded", "The request has no permission, so it is not sent.")
        return [
            None if refusal is None else Forbidden(refusal.rule, refusal.message, refusal.hint) for refusal in refusals
        ]

    async def _send_batches(self) -> None:
        while self._waiting:
            asked, self._waiting = self._waiting, []
            requests = [request for request, _ in asked]
            answers: Sequence[Exception | None]
            try:
                answers = await asyncio.to_thread(self._ask, requests) if self.threadsafe else self._ask(requests)
            except (UserError, Cancelled) as error:
                answers = [error] * len(asked)
            except Exception:
                answers = [Forbidden("recorded", "The policy could not be checked, so the request is not sent.")] * len(
                    asked
                )
            for (_, future), refusal in zip(asked, answers, strict=True):
                # Who gave up meanwhile waits for nothing.
                if future.done():
                    continue
                if refusal is None:
                    future.set_result(None)
                else:
                    future.set_exception(refusal)


_PLACEHOLDER_SHA256 = "0" * 64
"""Stands for the checksum of a picture or clip that was not made yet."""


def judge_refusal(session: Session, entry: JudgeEntry, recording_id: str, condition: str) -> Forbidden | None:
    """Return why the policy currently forbids asking a judge about a recording; None where it does not.

    Nothing is sent, looked up or written down. A name is taken for another machine unless this one knows better.
    """
    if entry.backend == PERSON_BACKEND or not load_backend(entry.backend).leaves:
        return None
    options = build_options(entry.backend, entry.settings)
    scheme, host, port = server_of_url(str(getattr(options, "url", "")))
    if not host:
        raise UserError(f"The judge {entry.name} has no address.", "Set one: greenroom judge add ... --url")
    local = is_local_host(host, port)
    proxy = None if local else proxy_for(scheme, host, port)
    barred = proxy is not None and not proxy.is_supported
    sees = getattr(options, "sees", "frames")
    return StudyAuthority(session).preview_refusal(
        EgressRequest(
            Purpose.JUDGE,
            host,
            port,
            (),
            local,
            texts=1,
            frames=(_PLACEHOLDER_SHA256,) if sees == "frames" else (),
            clips=(_PLACEHOLDER_SHA256,) if sees == "clip" else (),
            condition=condition,
            judge_id=entry.id,
            recording_id=recording_id,
            proxy=proxy.host if proxy else "",
            barred_by="proxies" if barred else "",
            barred=UNSUPPORTED_PROXY if barred else "",
            scheme=scheme,
        )
    )


def unencrypted_warning(session: Session, entry: JudgeEntry) -> str:
    """Return a line about a judge at another machine whose words and key would travel unencrypted; "" for any other.

    Nothing is looked up: a name counts as another machine unless this one knows better.
    """
    if entry.backend == PERSON_BACKEND:
        return ""
    try:
        options = build_options(entry.backend, entry.settings)
    except UserError:
        return ""
    scheme, host, port = server_of_url(str(getattr(options, "url", "")))
    if not host or scheme != "http" or is_local_host(host, port):
        return ""
    allowed = policy_in_force(session).unencrypted
    then = "and the policy allows that" if allowed else "so the policy refuses it (allow it: policy set --unencrypted)"
    return f"Words and key would travel unencrypted to {entry.name} at http://{urlsplit(options.url).netloc}, {then}."
