"""Who decides whether a request leaves, in the process that holds the study; every decision is written down first."""

from collections.abc import Sequence

from app.core.clock import utc_now
from app.core.leaving.in_force import CONFIRM, UNCONFIRMED, needs_confirmation, policy_in_force
from app.core.session import Session
from project.errors import UserError
from project.ids import new_id
from project.policy import Departure, Egress, Evidence, Forbidden, Level, Policy, Purpose, decide
from project.queries.policy import insert_egress


class StudyAuthority:
    """Lets requests through by the policy of a study. Belongs to the thread that opened the study.

    Attributes:
        threadsafe: whether any thread may ask.
    """

    threadsafe = False

    def __init__(self, session: Session) -> None:
        self._session = session

    def permit(self, departure: Departure, uncleared: int) -> None:
        """Return when a request may leave and that is on disk.

        Raises:
            Forbidden: it may not, or it cannot be written down.
        """
        (refusal,) = self.permit_all([(departure, uncleared)])
        if refusal is not None:
            raise refusal

    def permit_all(self, requests: Sequence[tuple[Departure, int]]) -> list[Forbidden | None]:
        """Decide about requests that want to leave at the same moment; they are written down as one transaction.

        Args:
            requests: each with how much in it was not made for it.

        Returns:
            For each why it may not leave; None where it may, and that is on disk.
        """
        policy = policy_in_force(self._session)
        refusals: list[Forbidden | None] = []
        lines = []
        for departure, uncleared in requests:
            permission, refusal = "", None
            try:
                permission = self._decided(policy, departure, uncleared)
            except Forbidden as forbidden:
                refusal = forbidden
            refusals.append(refusal)
            rule = refusal.rule if refusal else ""
            lines.append(Egress(new_id(), utc_now(), departure, policy.level, permission, rule))
        try:
            with self._session.study.recording_run():
                for line in lines:
                    insert_egress(self._session.study, line)
        except UserError as error:
            told = f"The request cannot be written down, so it is not sent: {error.message}"
            return [one or Forbidden("recorded", told, error.hint) for one in refusals]
        return refusals

    def foretell(self, departure: Departure) -> Forbidden | None:
        """Return why a request would not be let through, as things stand; None where it would. Nothing is written."""
        try:
            self._decided(policy_in_force(self._session), departure, 0)
        except Forbidden as forbidden:
            return forbidden
        return None

    def _decided(self, policy: Policy, departure: Departure, uncleared: int) -> str:
        evidence, hint = self._found(policy, departure, uncleared)
        try:
            return decide(policy, departure, evidence)
        except Forbidden as forbidden:
            if forbidden.rule == "reviewed" and hint:
                raise Forbidden("reviewed", forbidden.message, f"{hint} (rule reviewed)") from None
            if forbidden.rule != "cleared" and needs_confirmation(self._session):
                raise Forbidden(forbidden.rule, UNCONFIRMED, f"{CONFIRM} (rule {forbidden.rule})") from None
            raise

    def _found(self, policy: Policy, departure: Departure, uncleared: int) -> tuple[Evidence, str]:
        """Return what has to be known to decide, and how to mend what stands in the way of a review.

        The study is not searched where the answer does not depend on it.
        """
        if departure.local or departure.purpose is Purpose.DOWNLOAD or policy.level is Level.NOTHING:
            return Evidence(uncleared=uncleared), ""
        if departure.purpose is Purpose.CLUSTER:
            return Evidence("", _against_working(self._session, departure), uncleared), ""
        # It brings all that a release is judged by, which a window needs only when something is about to leave.
        from app.core.leaving.evidence import evidences_of

        try:
            found = evidences_of(self._session).of(departure, uncleared)
        except UserError as error:
            why = f"the study cannot tell ({error.message})"
            return Evidence(why, why, uncleared), error.hint
        return found.evidence, found.hint


def _against_working(session: Session, departure: Departure) -> str:
    from app.core.leaving.willing import against_working

    about = [one for one in (departure.recording_id, *departure.others) if one]
    if departure.holds_study and not about:
        return "it is not known which recordings it is about"
    try:
        return against_working(session, about)
    except UserError as error:
        return f"the study cannot tell ({error.message})"


def authority_of(session: Session) -> StudyAuthority:
    """Return the authority of an open study."""
    return StudyAuthority(session)
