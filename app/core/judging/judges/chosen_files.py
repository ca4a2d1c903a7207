"""Files of models that a judge names: only those that a person on this machine chose are opened.

A study may come from a stranger, with judges in it. A path in one could name any file of this machine, or a model that
came along to harm whoever loads it.
"""

from app.core.session import Session
from app.core.trusted import Kind, trust, trusted
from project.errors import UserError
from project.judging import JudgeEntry
from project.names import shown

FILES = "llama-cpp"
"""The backend whose models are files."""


def choose_files(session: Session, entry: JudgeEntry) -> None:
    """Remember that a person on this machine set up a judge with these files."""
    trust(session.study.id, Kind.MODEL, _files(entry))


def chosen_here(session: Session, entry: JudgeEntry) -> bool:
    """Tell whether a person on this machine chose the files of a judge; one without files needs nobody to."""
    return set(_files(entry)) <= {*trusted(session.study.id, Kind.MODEL)}


def require_chosen(session: Session, entry: JudgeEntry) -> None:
    """Return quietly where a judge's files may be opened.

    Raises:
        UserError: nobody on this machine chose them.
    """
    if not chosen_here(session, entry):
        raise UserError(
            f"The judge {shown(entry.name)} was set up on another machine and names a file here: {shown(entry.model)}",
            "If this is the model that you mean, change the judge and choose the file yourself.",
        )


def _files(entry: JudgeEntry) -> list[str]:
    if entry.backend != FILES:
        return []
    return [one for one in (entry.model, entry.settings.get("projector")) if isinstance(one, str) and one]
