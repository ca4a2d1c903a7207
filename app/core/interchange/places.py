"""Which recording of the study each part of a document is about."""

from pathlib import PurePosixPath

from app.core.interchange.document import Document, RecordingPart
from app.core.interchange.file_names import file_name
from app.core.session import Session
from project.counted import counted
from project.errors import UserError
from project.queries.media import all_media
from project.queries.recordings import all_recordings
from project.types import Recording


def guess_places(session: Session, document: Document) -> tuple[str, ...]:
    """Return the recording's id for each part of the document, "" where none fits.

    A part goes to the recording of its id, else to the only one of its name (also with the number before it, as in
    the names of exported files), else to the only one with a file of the same name as one of the part's media, else to
    the study's only one. The names of media are compared and never followed.
    """
    present = all_recordings(session.study)
    files: dict[str, set[str]] = {}
    for medium in all_media(session.study):
        files.setdefault(_last(medium.path), set()).add(medium.recording_id)
    return tuple(_place(part, present, files, len(document.recordings)) for part in document.recordings)


def chosen_places(session: Session, document: Document, chosen: list[Recording]) -> tuple[str, ...]:
    """Return the places for recordings that a person named: one for the only part, or one for each part in order.

    Raises:
        UserError: there are more or fewer of them than the document has parts.
    """
    if not chosen:
        return guess_places(session, document)
    parts = len(document.recordings)
    if len(chosen) != parts:
        raise UserError(
            f"The file is about {counted(parts, 'recording')}, and {len(chosen)} were named.",
            "Name one for each, in the order of the file.",
        )
    return tuple(one.id for one in chosen)


def _place(part: RecordingPart, present: list[Recording], files: dict[str, set[str]], parts: int) -> str:
    if any(one.id == part.id for one in present):
        return part.id
    named = {one.id for one in present if one.name == part.name}
    if len(named) == 1:
        return named.pop()
    numbered = {one.id for one in present if part.name.lstrip("0") == file_name(one)}
    if len(numbered) == 1:
        return numbered.pop()
    linked = set().union(*(files.get(_last(link.path), set()) for link in part.media))
    if len(linked) == 1:
        return linked.pop()
    return present[0].id if len(present) == 1 and parts == 1 else ""


def _last(path: str) -> str:
    return PurePosixPath(path.replace("\\", "/")).name
