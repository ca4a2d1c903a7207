"""Why a question does not go into a data set."""

import hashlib
import json
from collections.abc import Iterable, Mapping

from app.core.chains.checks import sound
from app.core.questions.verifying import Standing, Verified
from app.core.release.people import everybody_there, refusing
from app.core.release.private import private_of
from app.core.session import Session
from project.queries.chains import homes_of_nodes
from project.queries.hold_outs import hold_outs
from project.queries.pii import pii_decisions
from project.queries.private_words import public_words
from project.questions import Question
from project.types import ConsentUse, Recording

HELD_OUT = "its recording is held out"
NO_CONSENT = "somebody in its recording did not consent to release"
NOBODY = "nobody is said to appear in its recording, so nobody was asked"
UNVERIFIED = "two people did not approve of it yet"
STALE = "what it was made from was edited since"
UNSOUND = "the reasons of its chain go round in a circle"
BORROWED = "an option was taken from a recording that may not leave"
GONE = "an option was taken from something that is gone, so nobody knows who was asked"
ALIKE = "two of its options are alike once names are taken out"


def against_recordings(session: Session, recordings: Mapping[str, Recording]) -> dict[str, str]:
    """Return id of a recording -> why nothing about it may leave; those that may are not in it."""
    kept_back = hold_outs(session.study)
    there = everybody_there(session)
    found = {}
    for one in recordings:
        if one in kept_back:
            found[one] = HELD_OUT
        elif not there[one]:
            found[one] = NOBODY
        elif refusing(session, there[one], ConsentUse.RELEASE):
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


def against_options(session: Session, questions: Iterable[Question], against: Mapping[str, str]) -> dict[str, str]:
    """Return id of a question -> why its wrong options may not leave; those whose options may are not in it.

    Args:
        session: of the study.
        questions: all that may leave otherwise.
        against: what `against_recordings` returned.
    """
    sources = {one.id: {each.source for each in one.wrong if each.source} for one in questions}
    homes = homes_of_nodes(session.study, {each for some in sources.values() for each in some})
    found = {}
    for one, some in sources.items():
        if any(each not in homes for each in some):
            found[one] = GONE
        elif any(homes[each] in against for each in some):
            found[one] = BORROWED
    return found


def decided(session: Session, recordings: Mapping[str, Recording]) -> str:
    """Return a checksum over what may leave and what is private: what was gathered before it changed does not leave."""
    places = sorted(
        [at.table, at.row, at.field, at.text, at.ordinal, one.kind, one.verdict.value]
        for at, one in pii_decisions(session.study).items()
    )
    words = [private_of(session).as_json(), sorted(public_words(session.study))]
    about = [against_recordings(session, recordings), places, words]
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
