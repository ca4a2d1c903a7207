"""What is written in place of what is personal: the same for the same person and thing, all over a study."""

from collections.abc import Iterable

from anonymize.pii.hit import Hit
from anonymize.pii.replacing import Replacements
from app.core.session import Session
from project.queries.free_texts import FreeText, free_texts
from project.queries.private_words import private_words

STAND_INS = "pii-stand-ins"
"""Property of a study: id of a participant -> the name that stands in for them."""
NUMBERS = "pii-numbers"
"""Property of a study: the numbers that were shown or given so far, which stay. It never leaves with a release."""


def replacements_of(session: Session, found: Iterable[Hit], texts: Iterable[FreeText] | None = None) -> Replacements:
    """Return what is written in place of hits; numbers are given in the order of `found`.

    Args:
        session: of the study.
        found: the hits.
        texts: all texts of the study, where they are at hand.
    """
    words = private_words(session.study)
    people = {one.participant_id: one.replacement for one in reversed(words) if one.participant_id}
    made = Replacements(private_replacements(session), {**people, **stand_ins(session)}, kept_numbers(session))
    made.reserve(one.text for one in (free_texts(session.study) if texts is None else texts))
    made.learn(found)
    return made


def private_replacements(session: Session) -> dict[str, str]:
    """Return private word -> what is written in its place: for a participant's name, the name that stands in for it."""
    names = stand_ins(session)
    return {one.word: names.get(one.participant_id or "", one.replacement) for one in private_words(session.study)}


def kept_numbers(session: Session) -> dict[str, dict[str, int]]:
    """Return the numbers that were given so far, see `Replacements.numbers`; what is damaged is left aside."""
    kept = session.study.get_property(NUMBERS)
    return {
        label: {who: number for who, number in each.items() if type(number) is int and number > 0}
        for label, each in (kept.items() if isinstance(kept, dict) else ())
        if isinstance(each, dict)
    }


def stand_ins(session: Session) -> dict[str, str]:
    """Return id of a participant -> the name that stands in for them; empty where numbers are written."""
    kept = session.study.get_property(STAND_INS)
    return {str(who): str(name) for who, name in kept.items()} if isinstance(kept, dict) else {}
