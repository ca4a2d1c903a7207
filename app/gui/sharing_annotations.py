"""Makes a copy of the study that holds annotations alone."""

from typing import TYPE_CHECKING

from app.core.scrubbing import GOES, STAYS, scrub
from app.core.session import Session
from project.counted import counted
from project.progress import Progress
from project.sharing.annotations import Shared
from project.types import Changes
from resources.translation import tr

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow

_TITLE = tr("Share annotations only")


def share_annotations_only(window: "MainWindow") -> None:
    """Say what goes along and what does not, ask where the copy goes, and write it."""
    session = window.studio.session
    questions = window.files.questions
    if session is None:
        return
    said = tr("A copy is made that holds:\n\n{goes}\n\nIt does not hold:\n\n{stays}").format(
        goes="\n".join(f"• {one}" for one in GOES), stays="\n".join(f"• {one}" for one in STAYS)
    )
    if session.study.working is not None:
        said += "\n\n" + tr("This study is sealed; the copy is in clear, for whoever has the file.")
    if not questions.agree(_TITLE, said, tr("Choose a place…"), careful=False):
        return
    name = f"{session.study.path.stem} annotations.greenroom"
    place = questions.save(_TITLE, session.study.folder / name, tr("Studies"))
    if place is None:
        return
    done: list[tuple[Shared, bool]] = []

    def make(session: Session, progress: Progress) -> Changes | None:
        made, changes = scrub(session, place, progress)
        done.append((made, changes is not None))
        return changes

    if not window.studio.edit_apart(make, tr("Making {file}…").format(file=place.name)):
        return
    ((made, noted),) = done
    text = tr("Made {file}: {segments} of {recordings}, without words, names and footage.")
    if not noted:
        text += " " + tr("The study could not note that there is this copy.")
    window.studio.told.emit(
        text.format(
            file=made.path.name,
            segments=counted(made.rows.get("segment", 0), "segment"),
            recordings=counted(made.rows.get("recording", 0), "recording"),
        )
    )
