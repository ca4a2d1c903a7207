"""Whether something of a study may leave this machine, asked before each request and written down."""

from app.core.leaving.asking import RemoteAuthority, answer_permit, is_permit_question, permit_question
from app.core.leaving.authority import StudyAuthority, authority_of
from app.core.leaving.foretelling import why_not

__all__ = [
    "RemoteAuthority",
    "StudyAuthority",
    "answer_permit",
    "authority_of",
    "is_permit_question",
    "permit_question",
    "why_not",
]
