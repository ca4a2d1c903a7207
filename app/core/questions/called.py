"""People in what a judge wrote: known again by what they were called in the request."""

import re
from collections.abc import Mapping

from app.core.judging.seeing.people import names_of
from app.core.judging.seeing.told import cast_told
from app.core.judging.seeing.words import written_under
from app.core.session import Session
from project.errors import UserError
from project.types import Participant


def called_in(session: Session, recording_id: str, condition: str) -> dict[str, Participant]:
    """Return what people are called in front of judges -> who that is.

    Args:
        session: of the study.
        recording_id: of the recording.
        condition: under which a judge was asked.
    """
    people = cast_told(session, recording_id)
    try:
        written = written_under(session, condition)
    except UserError:
        # The texts were not searched since the study was opened: names that hold a pseudonym are not known again.
        written = str
    names = names_of(people, written)
    return {names[one.id]: one for one in people}


def with_pseudonyms(text: str, called: Mapping[str, Participant]) -> str:
    """Return a text in which everybody has their pseudonym, as people of the study write.

    `User P07`, `the User P07` and, where there is but one, `User` are names; `user` is a word.
    """
    if not called:
        return text
    longest_first = sorted(called, key=lambda one: (-len(one), one))
    pattern = re.compile(rf"(?<!\w)(?:[Tt]he\s+)?({'|'.join(map(re.escape, longest_first))})(?!\w)")
    return pattern.sub(lambda found: called[found[1]].pseudonym, text)


def who_is(name: str, called: Mapping[str, Participant]) -> str:
    """Return the id of who is meant, by what they are called or by pseudonym, in any case; "" for nobody known."""
    folded = " ".join(name.split()).casefold().removeprefix("the ")
    for told, one in called.items():
        if folded in (told.casefold(), one.pseudonym.casefold()):
            return one.id
    return ""
