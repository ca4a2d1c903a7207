"""How texts of a study may be written for a judge: as they are, or scrubbed as for a release."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict

from app.core.per_state import PerState
from app.core.session import Session
from project.errors import UserError
from project.judging import RAW
from project.queries.free_texts import QUOTED
from project.queries.pii import PiiVerdict, pii_decisions
from project.queries.private_words import private_words, public_words

Written = Callable[[str], str]


def written_under(session: Session, condition: str) -> Written:
    """Return how texts are written under a condition: as they are under `RAW`, else without anything personal.

    The finders are those of a release; they are made once for a state of the study.

    Raises:
        UserError: the texts were not searched yet, and must not be now, in a window.
    """
    if condition == RAW:
        return str
    return _KNOWN.of(session)


def words_state(session: Session, recording_id: str) -> str:
    """Return a checksum that changes with what was read and confirmed of a recording, and with what is private.

    That is: private and public words, what was decided about places in texts of the recording or of the study as a
    whole, and what is hidden in texts that are quoted elsewhere.
    """
    known = _STATES.of(session)
    if recording_id not in known:
        known[recording_id] = _state(session, recording_id)
    return known[recording_id]


def _state(session: Session, recording_id: str) -> str:
    from app.core.release.texts import PROPERTY

    found = session.study.get_property(PROPERTY)
    read = found.get("spoken") if isinstance(found, dict) else None
    confirmed = read.get(recording_id) if isinstance(read, dict) else None
    private = [asdict(one) for one in private_words(session.study)]
    places = sorted(
        [at.table, at.row, at.field, at.text, at.ordinal, one.kind, one.verdict.value]
        for at, one in pii_decisions(session.study).items()
        if one.recording_id in (None, recording_id) or (at.table in QUOTED and one.verdict is PiiVerdict.HIDE)
    )
    about = [confirmed, private, sorted(public_words(session.study)), places]
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


def _scrubbing(session: Session) -> Written:
    # They bring all that a release is judged by, which a window does without until somebody asks.
    from app.core.leaving.texts import must_be_searched
    from app.core.release.private import scrubber_of

    if must_be_searched(session):
        raise UserError(
            "The texts of this study were not searched for personal information since it was opened.",
            "Open Speech > Personal information, which searches them, then ask again.",
        )
    scrubber = scrubber_of(session, quoting=True)
    done: dict[str, str] = {}

    def written(text: str) -> str:
        if text not in done:
            done[text] = scrubber.scrub(text).text
        return done[text]

    return written


_KNOWN = PerState(_scrubbing)
_STATES: PerState[dict[str, str]] = PerState(lambda _session: {})
