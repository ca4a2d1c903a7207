"""Why a question does not go into a data set."""

from collections.abc import Mapping

from app.core.chains.checks import sound
from app.core.questions.verifying import Standing, Verified
from app.core.release.people import people_there, refusing
from app.core.session import Session
from project.queries.chains import all_chains, graphs_of
from project.queries.hold_outs import hold_outs
from project.queries.participants import all_participants
from project.types import ConsentUse, Recording

HELD_OUT = "its recording is held out"
NO_CONSENT = "somebody in its recording did not consent to release"
NOBODY = "nobody is said to appear in its recording, so nobody was asked"
UNVERIFIED = "two people did not approve of it yet"
STALE = "what it was made from was edited since"
UNSOUND = "the reasons of its chain go round in a circle"
ALIKE = "two of its options are alike once names are taken out"


def against_recordings(session: Session, recordings: Mapping[str, Recording]) -> dict[str, str]:
    """Return id of a recording -> why nothing about it may leave; those that may are not in it."""
    kept_back = hold_outs(session.study)
    there = {one: {who.id: who for who in people} for one, people in people_there(session, heard=True).items()}
    # Whom a chain is about was there, whatever else is said about the recording.
    known = {one.id: one for one in all_participants(session.study)}
    for graph in graphs_of(session.study, all_chains(session.study)):
        for who in {who for node in graph.nodes for who in node.people}:
            there[graph.chain.recording_id][who] = known[who]
    found = {}
    for one in recordings:
        if one in kept_back:
            found[one] = HELD_OUT
        elif not there[one]:
            found[one] = NOBODY
        elif refusing(session, there[one].values(), ConsentUse.RELEASE):
            found[one] = NO_CONSENT
    return found


def against_question(one: Verified, *, everything: bool) -> str:
    """Return why a question does not leave, whatever its recording; "" where it may.

    Args:
        one: the question.
        everything: also questions that nobody approved of, and those that are out of date.
    """
    if one.graph is not None and not sound(one.graph):
        return UNSOUND
    if everything:
        return ""
    if one.standing is not Standing.VERIFIED or not one.ready:
        return UNVERIFIED
    return STALE if one.stale else ""
