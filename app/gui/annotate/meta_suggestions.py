"""Suggestions for the meta window.

Judges answer one part or word ESI questions; each person gets thumbnails from the frames where a detector was most
confident.
"""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QWidget

from annotate.meta.recording_cast import PersonTrack, RecordingPerson
from app.gui.annotate.meta_tables import THUMBNAIL_PX
from app.gui.faces.face_crops import Crops, ThumbnailCrop
from app.gui.jobs.job_center import Result
from app.gui.judges.request_facts import when_checksums_known
from app.gui.pages.context import Context
from benchmark.authoring import judge_questions
from benchmark.authoring.judge_questions import ALREADY_EXISTS
from benchmark.authoring.meta_answers import suggestion_request
from benchmark.judging import ask_job
from benchmark.judging.ask_run import AskRequest
from benchmark.prompts.recording_prompts import ESI_QUESTION_TASK
from project.entities.judgments import JudgeEntry, parse_target
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.judgment_rows import judgments_about
from project.session.jobs import JobSpec
from project.session.session import Session
from resources.translation import tr, trn

_CROP_FACTOR = 1.25


class Pictures(QObject):
    """Two pictures of each person, which come when they are decoded.

    Signals:
        changed: another picture is there.
    """

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._pictures: dict[str, tuple[QPixmap, QPixmap]] = {}
        self._asked: dict[str, tuple[ThumbnailCrop, ThumbnailCrop]] = {}
        self._crops = Crops(self)
        self._crops.ready.connect(self._deliver)
        parent.destroyed.connect(self._crops.close)

    def request(self, session: Session, recording_id: str, people: Sequence[RecordingPerson]) -> None:
        """Ask for the pictures that are not there yet."""
        try:
            path = session.require_picture(recording_id).path
        except UserError:
            return
        if self._crops.set_source(path):
            self._asked.clear()
        for person in people:
            key = "" if person.participant is None else person.participant.id
            crops = _best_crops(person.tracks)
            if crops is not None and self._asked.get(key) != crops:
                self._asked[key] = crops
                self._crops.request(key, crops)

    def close(self) -> None:
        """End the thread."""
        self._crops.close()

    def _deliver(self, key: str, images: Sequence[QImage]) -> None:
        self._pictures[key] = _make_thumbnail(images[0]), _make_thumbnail(images[1])
        self.changed.emit()

    def picture(self, key: str, place: int) -> QPixmap:
        """Return the picture of the face (0) or of the whole person (1); an empty one until it is decoded."""
        found = self._pictures.get(key)
        return found[place] if found else QPixmap()


def _make_thumbnail(image: QImage) -> QPixmap:
    if image.isNull():
        return QPixmap()
    kept, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    return QPixmap.fromImage(image.scaled(THUMBNAIL_PX, THUMBNAIL_PX, kept, smooth))


def _best_crops(tracks: Sequence[PersonTrack]) -> tuple[ThumbnailCrop, ThumbnailCrop] | None:
    if not tracks:
        return None
    best = max(tracks, key=lambda person_track: float(person_track.face.scores.max()))
    at = int(best.face.scores.argmax())
    frame = int(best.face.frames[at])
    return _square_crop(frame, best.face.boxes[at], _CROP_FACTOR), _square_crop(frame, best.boxes[at], 1.0)


def _square_crop(frame: int, box: Sequence[float], around: float) -> ThumbnailCrop:
    x, y, width, height = (float(side) for side in box)
    side = max(8.0, around * max(width, height))
    return ThumbnailCrop(frame, round(x + (width - side) / 2), round(y + (height - side) / 2), max(1, round(side)))


_NO_JUDGE = tr("Choose a judge first, in the list at the top.")


class MetaSuggestionController(QObject):
    """Starts jobs of the kind `ask` about a recording.

    Signals:
        message (str): what came of asking, or why nobody was asked.
    """

    message = Signal(str)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._works: list[JobSpec] = []
        context.jobs.done.connect(self._on_done)
        context.jobs.stopped.connect(self._on_stopped)

    def ask_questions(self, recording_id: str, judges: Sequence[JudgeEntry], condition: str) -> None:
        """Let judges word ESI questions; what can be used becomes questions of the study when they have answered."""
        session = self._context.studio.session
        if session is None:
            return
        if not judges:
            self.message.emit(_NO_JUDGE)
            return
        try:
            self._prepare(session, judge_questions.esi_requests(session, [recording_id], judges, condition=condition))
        except UserError as error:
            self.message.emit(str(error))

    def ask(self, recording_id: str, task: str, judges: Sequence[JudgeEntry], condition: str) -> None:
        """Ask; answers that are there already are not asked for again."""
        session = self._context.studio.session
        if session is None:
            return
        if not judges:
            self.message.emit(_NO_JUDGE)
            return
        self._prepare(session, suggestion_request(recording_id, task, judges, condition))

    def _prepare(self, session: Session, request: AskRequest) -> None:
        when_checksums_known(self._context, request.judges, lambda: self._start(session, request))

    def _start(self, session: Session, request: AskRequest) -> None:
        if self._context.studio.session is not session:
            return
        try:
            found = ask_job.prepare(session, request)
        except UserError as error:
            self.message.emit(str(error))
            return
        if found.changes:
            self._context.studio.publish(found.changes)
        notes = " ".join(" ".join(part for part in (note.message, note.hint) if part) for note in found.notes)
        if found.job is not None:
            self._works.append(found.job)
            words_questions = request.task == ESI_QUESTION_TASK
            self._context.jobs.start(
                found.job, (lambda _result: self._import_questions(request.about)) if words_questions else None
            )
            self.message.emit(f"{found.job.title}… {notes}".strip())
        elif request.task == ESI_QUESTION_TASK:
            self._import_questions(request.about, notes)
        else:
            self.message.emit(
                notes or tr("The study has the answers already: accept one, or edit the prompt and ask again.")
            )

    def _import_questions(self, about: Sequence[str], notes: str = "") -> None:
        """Make questions of all that judges worded about a recording and nothing was made from yet."""
        recordings = {parse_target(target).id for target in about}
        told: list[str] = []

        def do(session: Session) -> Changes:
            said = [
                judgment for key in recordings for judgment in judgments_about(session.study, key, (ESI_QUESTION_TASK,))
            ]
            made, changes = judge_questions.import_esi_questions(session, said)
            told.append(
                tr("Made {count}; they are in the mode Questions.").format(
                    count=trn("{count} ESI question", "{count} ESI questions", len(made.questions))
                )
            )
            told.extend(
                tr("{number} left out: {why}").format(number=number, why=why)
                for why, number in made.skipped.items()
                if why != ALREADY_EXISTS
            )
            return changes

        if self._context.studio.edit(do, self):
            self.message.emit(" ".join([notes, *told]).strip())

    def _on_done(self, work: JobSpec, result: Result) -> None:
        if any(job_spec is work for job_spec in self._works):
            self._works = [job_spec for job_spec in self._works if job_spec is not work]
            self.message.emit(result.as_text())

    def _on_stopped(self, work: JobSpec) -> None:
        if any(job_spec is work for job_spec in self._works):
            self._works = [job_spec for job_spec in self._works if job_spec is not work]
            problem = self._context.jobs.failure_of(work)
            self.message.emit(tr("Stopped.") if problem is None else str(problem))
