"""The edit of taking a judge's text over into one's own form: an explicit act, which is recorded as such."""

from app.core.clock import utc_now
from app.core.commands.segments import fill_in, find, find_own
from app.core.judging.annotators.own_words import OwnWords
from app.core.judging.annotators.reveals import reveal, shown
from app.core.judging.annotators.said import judge_name, said_by
from app.core.session import Session
from project.errors import UserError
from project.ids import new_id
from project.judging import Adoption
from project.queries.adoptions import insert_adoption
from project.queries.judgments import judgments_called
from project.schemes.scheme import FieldKind
from project.types import Changes


def adopt(session: Session, judgment_id: str, field: str) -> Changes:
    """Take what a judge wrote into a field of one's own form, in one step with who it was taken from.

    The form is that of the segment which was judged, or of one's own that stands for it.

    Raises:
        UserError: there is no such judgment or nothing in it for this field, the field is no text, what judges say is
            still hidden, or there is no segment of one's own here.
    """
    session.study.require_writable()
    found = judgments_called(session.study, [judgment_id])
    if not found:
        raise UserError(f"No judgment has the id {judgment_id}.", "Ask the judge again.")
    (judgment,) = found
    allowed = shown(session, found)
    if not allowed.judgments:
        raise UserError("What this judge wrote is still hidden.", allowed.why_not)
    about, who = find(session, judgment.segment_id), session.annotator()
    own = OwnWords(session, who.id).about(about) if who is not None else None
    if own is None:
        raise UserError("You marked nothing here that the text could go to.", "Mark this moment yourself first.")
    own = find_own(session, own.id)
    wanted = session.schemes.get(own.scheme).field(field)
    text = said_by(judgment).of(field)
    if wanted.kind is not FieldKind.TEXT:
        raise UserError(f"{wanted.name} is no text, so it is not taken over.", "Fill it in yourself.")
    if not isinstance(text, str) or not text.strip():
        raise UserError(f"The judge wrote nothing for {wanted.name}.", "Choose another judge or field.")
    reveal(session, about.id, judgment.task)
    with session.step(f"Take over {wanted.name.lower()} from {judge_name(judgment)}") as step:
        author = session.annotator()
        assert author is not None
        fill_in(session, own, field, text)
        insert_adoption(session.study, Adoption(new_id(), own.id, author.id, field, judgment.id, utc_now()))
    return step.changes
