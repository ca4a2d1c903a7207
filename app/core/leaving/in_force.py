"""The policy that holds on this machine: a study may come from a stranger, and its policy with it."""

from app.core.session import Session
from app.core.trusted import Kind, digest, trust, trusted
from project.policy import Policy
from project.queries.policy import policy_of
from resources.translation import later

ELSEWHERE = later(
    "This study came with a policy that lets something leave; it was set on another machine and is not in force here."
)


def policy_in_force(session: Session) -> Policy:
    """Return the policy of a study where somebody on this machine set it; nothing leaves by any other."""
    said = policy_of(session.study)
    return Policy() if _elsewhere(session, said) else said


def set_elsewhere(session: Session) -> bool:
    """Tell whether the study has a policy that lets something out, which nobody on this machine set."""
    return _elsewhere(session, policy_of(session.study))


def put_in_force(session: Session, policy: Policy) -> None:
    """Remember that somebody on this machine set a policy."""
    if policy != Policy():
        trust(session.study.id, Kind.POLICY, [digest(policy.as_json())])


def _elsewhere(session: Session, said: Policy) -> bool:
    return said != Policy() and digest(said.as_json()) not in trusted(session.study.id, Kind.POLICY)
