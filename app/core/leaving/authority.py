"""Who decides whether a request leaves, in the process that holds the study; every decision is written down first."""

from weakref import WeakKeyDictionary

from app.core.clock import utc_now
from app.core.leaving.evidence import Evidences, Found
from app.core.session import Session
from project.errors import UserError
from project.ids import new_id
from project.policy import Departure, Egress, Evidence, Forbidden, Level, Policy, Purpose, decide
from project.queries.policy import insert_egress, policy_of


class StudyAuthority:
    """Lets requests through by the policy of a study. Belongs to the thread that opened the study.

    Attributes:
        threadsafe: whether any thread may ask.
    """

    threadsafe = False

    def __init__(self, session: Session) -> None:
        self._session = session
        self._evidences = Evidences(session)

    def permit(self, departure: Departure, uncleared: int) -> None:
        """Return when a request may leave and that is on disk.

        Raises:
            Forbidden: it may not, or it cannot be written down.
        """
        policy = policy_of(self._session.study)
        try:
            permission, refusal = self._decided(policy, departure, uncleared), None
        except Forbidden as forbidden:
            permission, refusal = "", forbidden
        try:
            self._write(policy, departure, permission, refusal.rule if refusal else "")
        except UserError as error:
            raise refusal or Forbidden(
                "recorded", f"The request cannot be written down, so it is not sent: {error.message}", error.hint
            ) from None
        if refusal is not None:
            raise refusal

    def foretell(self, departure: Departure) -> Forbidden | None:
        """Return why a request would not be let through, as things stand; None where it would. Nothing is written."""
        try:
            self._decided(policy_of(self._session.study), departure, 0)
        except Forbidden as forbidden:
            return forbidden
        return None

    def _decided(self, policy: Policy, departure: Departure, uncleared: int) -> str:
        found = self._found(policy, departure, uncleared)
        try:
            return decide(policy, departure, found.evidence)
        except Forbidden as forbidden:
            if forbidden.rule == "reviewed" and found.hint:
                raise Forbidden("reviewed", forbidden.message, f"{found.hint} (rule reviewed)") from None
            raise

    def _found(self, policy: Policy, departure: Departure, uncleared: int) -> Found:
        """Return what has to be known to decide; the study is not searched where the answer does not depend on it."""
        if departure.local or departure.purpose is Purpose.DOWNLOAD or policy.level is Level.NOTHING:
            return Found(Evidence(uncleared=uncleared))
        return self._evidences.of(departure, uncleared)

    def _write(self, policy: Policy, departure: Departure, permission: str, rule: str) -> None:
        new = Egress(new_id(), utc_now(), departure, policy.level, permission, rule)
        with self._session.study.recording_run():
            insert_egress(self._session.study, new)


_AUTHORITIES: "WeakKeyDictionary[Session, StudyAuthority]" = WeakKeyDictionary()


def authority_of(session: Session) -> StudyAuthority:
    """Return the authority of an open study: one for all who ask, because it remembers what it found out."""
    if session not in _AUTHORITIES:
        _AUTHORITIES[session] = StudyAuthority(session)
    return _AUTHORITIES[session]
