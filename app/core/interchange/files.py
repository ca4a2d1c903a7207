"""From a file to what it would do to the study, and doing it: the same for the command line and the window."""

from collections.abc import Sequence
from pathlib import Path

from app.core.garbage import collector_paused
from app.core.interchange import importing
from app.core.interchange.document import Document
from app.core.interchange.importing import Plan
from app.core.interchange.limits import check_entries
from app.core.interchange.lossless import restoring
from app.core.interchange.lossless.restoring import RowsPlan
from app.core.interchange.mapping import Mapping
from app.core.interchange.registry import format_called, guess
from app.core.session import Session
from project.names import require_text
from project.types import Changes


def read_file(path: Path, key: str | None = None) -> Document:
    """Read a file, in the format that is named or that it seems to be of; the study is not needed for it.

    Raises:
        UserError: it is of no known format, cannot be read, or is damaged.
    """
    require_text(path)
    with collector_paused():
        found = (guess(path) if key is None else format_called(key)).read(path)
    check_entries(path, sum(len(lane.entries) for part in found.recordings for lane in part.lanes))
    return found


def plan_import(session: Session, document: Document, mapping: Mapping, places: Sequence[str]) -> Plan | RowsPlan:
    """Say what importing a document would do; a lossless one needs neither mapping nor places.

    Raises:
        UserError: the mapping does not fit the study, or a lossless document does not hold together.
    """
    if document.rows:
        return restoring.plan_rows(session, document)
    with collector_paused():
        return importing.plan(session, document, mapping, places)


def apply_import(session: Session, plan: Plan | RowsPlan, name: str) -> Changes:
    """Write a plan as one step.

    Raises:
        UserError: the study is open for reading only.
    """
    if isinstance(plan, RowsPlan):
        return restoring.apply_rows(session, plan, name)
    with collector_paused():
        return importing.apply(session, plan, name)
