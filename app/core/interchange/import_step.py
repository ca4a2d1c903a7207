"""The one step that an import is."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from app.core.session import Session
from project.store import Step


@contextmanager
def import_step(session: Session, name: str, brought: Mapping[str, str]) -> Iterator[Step]:
    """Open the step that imports a file of this name.

    `brought` are the annotators (name -> id) that the step adds. Where the session's own is among them, nobody is
    introduced before it: an annotator has the same id in every copy of a study.
    """
    own = brought.get(session.annotator_name) if session.annotator() is None else None
    title = f"Import {name}"
    with session.step(title) if own is None else session.study.step(title, own) as step:
        yield step
