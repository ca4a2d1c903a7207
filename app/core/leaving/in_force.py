"""The policy that holds on this machine: a study may come from a stranger or from its own past, and its policy too.

Only the policy that was set last for a study on this machine is in force. Each setting has an id of its own, so that
an earlier file does not bring back what was revoked since, even where its policy says the same.
"""

from app.core.session import Session
from app.core.trusted import digest, newest_policy, note_policy
from project.policy import Policy
from project.queries.policy import policy_of, stored_policy
from project.types import Json
from resources.translation import later

UNCONFIRMED = later(
    "This study's policy lets something leave. It is not the one that was set last on this machine, so it is not in "
    "force here."
)
CONFIRM = later("Read it: greenroom policy show STUDY. Then put it in force: greenroom policy confirm STUDY")


def policy_in_force(session: Session) -> Policy:
    """Return the policy of a study where it is the one that was set last here; nothing leaves by any other."""
    return said_policy(session) if is_newest(session) else Policy()


def needs_confirmation(session: Session) -> bool:
    """Tell whether the study has a policy that lets something out, which is not the one that was set last here."""
    return not said_policy(session).closed and not is_newest(session)


def is_newest(session: Session) -> bool:
    """Tell whether the policy in the study's file is, setting for setting, the one that was set last here."""
    newest = newest_policy(session.study.id)
    return newest is not None and newest.digest == digest(stored_policy(session.study))


def note_set(session: Session, stored: Json) -> None:
    """Note that somebody on this machine sets a policy, given as the study will store it.

    Raises:
        OSError: it cannot be noted.
    """
    note_policy(session.study.id, digest(stored))


def said_policy(session: Session) -> Policy:
    """Return what the study's file says, in force or not."""
    return policy_of(session.study)
