"""What the people of a recording are called in front of a judge: by role, and by pseudonym only to tell two apart."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from benchmark.quoting import on_one_line
from project.types import Participant, ParticipantRole

ROLES: Mapping[ParticipantRole, str] = {
    ParticipantRole.ROBOT: "Agent",
    ParticipantRole.USER: "User",
    ParticipantRole.BYSTANDER: "Bystander",
}
INTRODUCED: Mapping[ParticipantRole, str] = {
    ParticipantRole.ROBOT: "the agent",
    ParticipantRole.USER: "somebody who deals with the agent",
    ParticipantRole.BYSTANDER: "somebody else who is there",
}
UNKNOWN = "Somebody"


def names_of(people: Iterable[Participant], written: Callable[[str], str]) -> dict[str, str]:
    """Return participant id -> what they are called; no two are called the same.

    Args:
        people: everybody who takes part, in a fixed order.
        written: how a text of the study may be written.
    """
    everybody = list(people)
    shared = Counter(one.role for one in everybody)
    found: dict[str, str] = {}
    for one in everybody:
        role = ROLES[one.role]
        name = role if shared[one.role] == 1 else f"{role} {on_one_line(written(one.pseudonym))}".strip()
        number = 1
        distinct = name
        while distinct in found.values():
            number += 1
            distinct = f"{name} ({number})"
        found[one.id] = distinct
    return found


def agent_among(people: Iterable[Participant], names: Mapping[str, str]) -> str:
    """Return what the agent is called, the first of several; "" where none takes part."""
    return next((names[one.id] for one in people if one.role is ParticipantRole.ROBOT), "")
