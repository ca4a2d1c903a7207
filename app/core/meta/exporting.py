"""Meta information in files: one JSON file a recording, raw or scrubbed; hold-outs never."""

from collections.abc import Sequence
from pathlib import Path

from app.core.interchange.exporting import exportable
from app.core.meta.assembling import as_text, meta_information
from app.core.session import Session
from media.destination import replaced_when_whole
from project.errors import UserError
from project.types import Json


def exported(session: Session, wanted: Sequence[str] | None = None, *, scrubbed: bool = False) -> list[dict[str, Json]]:
    """Return the meta information of recordings, by number: of all that are no hold-outs, or of those of the ids given.

    Args:
        session: of the study.
        wanted: ids of recordings.
        scrubbed: whether texts and names are scrubbed by the finders of a release.

    Raises:
        UserError: one that is asked for is a hold-out, or there is none.
    """
    found = exportable(session, wanted)
    if not scrubbed:
        return [meta_information(session, one.id) for one in found]
    # They bring all that a release is judged by, which the rest does without.
    from app.core.release.private import scrubber_of

    scrubber = scrubber_of(session, quoting=True)
    return [meta_information(session, one.id, lambda text: scrubber.scrub(text).text) for one in found]


def write(session: Session, found: Sequence[dict[str, Json]], folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write each to `NUMBER.meta.json` in a folder; returns the files.

    Raises:
        UserError: the folder cannot be made, or a file is there already and may not be replaced.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"The folder cannot be made: {error.strerror}.", "Choose another one.") from None
    files = []
    for one in found:
        path = folder / f"{one['recording']:04}.meta.json"
        with replaced_when_whole(path, (session.study.path,), overwrite=overwrite) as temporary:
            temporary.write_text(as_text(one), "utf-8")
        files.append(path)
    return files
