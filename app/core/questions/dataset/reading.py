"""Who read the texts of a data set of questions before they leave: the rule `texts-reviewed` of a release."""

from collections.abc import Sequence

from app.core.questions.dataset.gathering import Gathering
from app.core.release.texts import ReleasedText, as_read, texts_confirmed, unread
from app.core.session import Session
from project.errors import UserError
from project.types import Annotator, Changes

_READ = {True: "question_texts", False: "question_texts_unverified"}
"""Property of a study that says who read the texts: of verified questions only, and of all."""


def reader_of(session: Session, gathering: Gathering) -> Annotator | None:
    """Return who read all texts of a set as they are now; None where nobody did."""
    return texts_confirmed(session, gathering.texts, _READ[gathering.verified_only])


def require_read(session: Session, gathering: Gathering) -> None:
    """Refuse a set of which nobody read the texts as they are now; any change of one of them asks for another look.

    Raises:
        UserError: nobody did.
    """
    if gathering.texts and reader_of(session, gathering) is None:
        every = "" if gathering.verified_only else " --all"
        raise UserError(
            unread(len(each_once(gathering.texts))),
            f"Read them, then confirm: greenroom questions texts STUDY{every} --confirm, "
            "or Study > Export questions as a data set.",
        )


def confirm_question_texts(session: Session, gathering: Gathering) -> Changes:
    """Say that one has read all texts of a set as they were gathered; a step that can be undone."""
    with session.step("Confirm scrubbed texts of questions") as step:
        session.study.set_property(_READ[gathering.verified_only], as_read(session, gathering.texts))
    return step.changes


def each_once(texts: Sequence[ReleasedText]) -> list[ReleasedText]:
    """Return texts without those that stand elsewhere, alike before and after: a wrong option is often many others'."""
    found: dict[tuple[str, str], ReleasedText] = {}
    for one in texts:
        found.setdefault((one.before, one.after), one)
    return [*found.values()]
