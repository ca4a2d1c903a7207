"""Which texts of a form were taken over from judges, for the form, the history and what is counted."""

from dataclasses import dataclass

from app.core.judging.annotators.own_words import OwnWords
from app.core.judging.annotators.said import judge_name, said_by
from app.core.session import Session
from project.judging import Adoption
from project.queries.adoptions import adoptions
from project.queries.judgments import judgments_called
from project.queries.segments import segment


@dataclass(frozen=True, slots=True)
class TakenOver:
    """A field that holds what a judge wrote.

    Attributes:
        judge: the name that it had then.
        changed: whether the text was changed since.
    """

    adoption: Adoption
    judge: str
    changed: bool

    def __str__(self) -> str:
        day = self.adoption.at[:10]
        return f"Taken over from {self.judge} on {day}{', then changed' if self.changed else ''}."


def taken_over(session: Session, segment_id: str) -> dict[str, TakenOver]:
    """Return field -> what was taken over last, for the fields of a segment that hold something still."""
    about = segment(session.study, segment_id)
    if about is None:
        return {}
    newest = {one.field: one for one in adoptions(session.study, segment_id)}
    known = {one.id: one for one in judgments_called(session.study, [one.judgment_id for one in newest.values()])}
    values = OwnWords(session, about.annotator_id).form(about) if newest else {}
    found = {}
    for field, one in newest.items():
        judgment = known.get(one.judgment_id)
        if values.get(field) in (None, ""):
            continue
        name = judge_name(judgment) if judgment is not None else "a judge"
        changed = judgment is None or said_by(judgment).of(field) != values[field]
        found[field] = TakenOver(one, name, changed)
    return found
