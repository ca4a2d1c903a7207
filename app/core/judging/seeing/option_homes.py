"""Which other recordings the words of a question were taken from: their people are asked too before it leaves."""

from app.core.session import Session
from project.queries.chains import homes_of_nodes
from project.questions import Question

GONE = "?"
"""Stands for the recording of a node that is no longer part of the study: nobody knows who was asked."""


def homes_of_options(session: Session, question: Question) -> list[str]:
    """Return ids of the other recordings that wrong options of a question were taken from, `GONE` among them."""
    sources = dict.fromkeys(one.source for one in question.wrong if one.source)
    if not sources:
        return []
    known = homes_of_nodes(session.study, sources)
    homes = dict.fromkeys(known.get(one, GONE) for one in sources)
    return [one for one in homes if one != question.recording_id]
