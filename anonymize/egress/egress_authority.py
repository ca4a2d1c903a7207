"""Decides in the process that holds the study whether a request may leave, and logs each decision first.

The effective policy is the one confirmed on this machine: a study file may come from somebody else, or from an older
state.
"""

from collections.abc import Sequence
from urllib.parse import urlsplit

from models.connection.addresses import UNSUPPORTED_PROXY, host_of_url, is_local_host, proxy_for
from models.judges.judge_backends import build_options, load_backend
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
from project.errors import UserError
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
    """Lets requests through by the policy of a study. Belongs to the thread that opened the study.

    Attributes:
        threadsafe: whether any thread may ask.
    """

    threadsafe = False

    def __init__(self, session: Session) -> None:
        self._session = session

    def permit(self, departure: EgressRequest, uncleared: int) -> None:
        """Return when a request may leave and that is on disk."""
        (refusal,) = self.permit_all([(departure, uncleared)])
        if refusal is not None:
            raise refusal

    def permit_all(self, requests: Sequence[tuple[EgressRequest, int]]) -> list[Forbidden | None]:
        """Decide about requests that want to leave at the same moment; they are written down as one transaction.

        `requests` come with how much in each was not made for it.

        Returns:
            For each why it may not leave; None where it may, and that is on disk.
        """
        policy = policy_in_force(self._session)
        refusals: list[Forbidden | None] = []
        lines = []
        for departure, uncleared in requests:
            permission, refusal = "", None
            try:
                permission = self._decide(policy, departure, uncleared)
            except Forbidden as forbidden:
                refusal = forbidden
            refusals.append(refusal)
            rule = refusal.rule if refusal else ""
            lines.append(Egress(new_id(), utc_now(), departure, policy.level, permission, rule))
        try:
            with self._session.study.run_transaction():
                for line in lines:
                    insert_egress(self._session.study, line)
        except UserError as error:
            told = f"The request cannot be written down, so it is not sent: {error.message}"
            return [refused or Forbidden("recorded", told, error.hint) for refused in refusals]
        return refusals

    def preview_refusal(self, departure: EgressRequest) -> Forbidden | None:
        """Return why a request would currently not be let through; None where it would. Nothing is written."""
        try:
            self._decide(policy_in_force(self._session), departure, 0)
        except Forbidden as forbidden:
            return forbidden
        return None

    def _decide(self, policy: Policy, departure: EgressRequest, uncleared: int) -> str:
        evidence, hint = self._collect_evidence(policy, departure, uncleared)
        try:
            return decide(policy, departure, evidence)
        except Forbidden as forbidden:
            if forbidden.rule == "reviewed" and hint:
                raise Forbidden("reviewed", forbidden.message, f"{hint} (rule reviewed)") from None
            if forbidden.rule != "cleared" and needs_confirmation(self._session):
                raise Forbidden(forbidden.rule, UNCONFIRMED, f"{CONFIRM} (rule {forbidden.rule})") from None
            raise

    def _collect_evidence(
        self, policy: Policy, departure: EgressRequest, uncleared: int
    ) -> tuple[RequestEvidence, str]:
        """Return what has to be known to decide, and how to mend what stands in the way of a review.

        The study is not searched where the answer does not depend on it.
        """
        if departure.local or departure.purpose is Purpose.DOWNLOAD or policy.level is EgressLevel.NOTHING:
            return RequestEvidence(uncleared=uncleared), ""
        if departure.purpose is Purpose.CLUSTER:
            return RequestEvidence("", _working_refusal(self._session, departure), uncleared), ""
        # It brings all that a release is judged by, which a window needs only when something is about to leave.
        from anonymize.egress.egress_evidence import get_evidences

        try:
            found = get_evidences(self._session).gather(departure, uncleared)
        except UserError as error:
            why = f"the study cannot tell ({error.message})"
            return RequestEvidence(why, why, uncleared), error.hint
        return found.evidence, found.hint


def _working_refusal(session: Session, departure: EgressRequest) -> str:
    from anonymize.egress.egress_evidence import working_refusal

    about = [recording_id for recording_id in (departure.recording_id, *departure.others) if recording_id]
    if departure.has_study_content and not about:
        return "it is not known which recordings it is about"
    try:
        return working_refusal(session, about)
    except UserError as error:
        return f"the study cannot tell ({error.message})"


_PORTS = {"http": 80, "https": 443}
_PLACEHOLDER_SHA256 = "0" * 64
"""Stands for the checksum of a picture or clip that was not made yet."""


def judge_refusal(session: Session, entry: JudgeEntry, recording_id: str, condition: str) -> Forbidden | None:
    """Return why the policy currently forbids asking a judge about a recording; None where it does not.

    Nothing is sent, looked up or written down. A name is taken for another machine unless this one knows better.
    """
    if entry.backend == PERSON_BACKEND or not load_backend(entry.backend).leaves:
        return None
    options = build_options(entry.backend, entry.settings)
    url = str(getattr(options, "url", ""))
    parts, host = urlsplit(url), host_of_url(url)
    try:
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        port = 0
    if not host:
        raise UserError(f"The judge {entry.name} has no address.", "Give it one: greenroom judge add ... --url")
    local = is_local_host(host, port)
    proxy = None if local else proxy_for(parts.scheme, host, port)
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
            scheme=parts.scheme,
        )
    )


def unencrypted_warning(session: Session, entry: JudgeEntry) -> str:
    """Return a line about a judge at another machine whose words and key would travel unencrypted; "" for any other.

    Nothing is looked up: a name counts as another machine unless this one knows better.
    """
    if entry.backend == PERSON_BACKEND:
        return ""
    try:
        url = str(getattr(build_options(entry.backend, entry.settings), "url", ""))
        parts, host = urlsplit(url), host_of_url(url)
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except (UserError, ValueError):
        return ""
    if not host or parts.scheme != "http" or is_local_host(host, port):
        return ""
    allowed = policy_in_force(session).unencrypted
    then = "and the policy allows that" if allowed else "so the policy refuses it (allow it: policy set --unencrypted)"
    return f"Words and key would travel unencrypted to {entry.name} at http://{parts.netloc}, {then}."
