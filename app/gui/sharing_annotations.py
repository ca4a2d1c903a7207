"""Makes a copy of the study that holds annotations alone."""

from typing import TYPE_CHECKING

from app.core.scrubbing import GOES, STAYS, note, scrub
from app.core.session import Session
from project.counted import counted
from project.errors import UserError
from project.progress import Progress
from project.sharing.annotations import Shared
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
    path, who = session.study.path, session.annotator_name
    studio = window.studio

    def make(_: Progress) -> Shared:
        with Session.open(path, who, read_only=True) as read:
            return scrub(read, place)

    def tell(made: Shared) -> None:
        now = studio.session
        noted = now is not None and now.study.path == path and not now.study.read_only
        if noted:
            studio.edit(lambda session: note(session, made))
        text = tr("Made {file}: {segments} of {recordings}, without words, names and footage.")
        if not noted:
            text += " " + tr("The study could not note that there is this copy.")
        studio.told.emit(
            text.format(
                file=made.path.name,
                segments=counted(made.rows.get("segment", 0), "segment"),
                recordings=counted(made.rows.get("recording", 0), "recording"),
            )
        )

    def fail(error: Exception) -> None:
        if not isinstance(error, UserError):
            raise error
        studio.failed.emit(error)

    studio.told.emit(tr("Making {file}…").format(file=place.name))
    window.background.run(make, tell, fail)
