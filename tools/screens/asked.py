"""Dialogs that no action opens by itself, and what dialogs show once somebody does something in them."""

import shutil
import time
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QListWidget, QWidget

from annotate.study.recording_edits import add_recordings, probe_file
from app.gui.export.clip_export import ExportResult, Findings
from app.gui.export.export_dialog import ExportDialog
from app.gui.files.encryption import PassphraseDialog, PassphrasePrompt, ask_new
from app.gui.files.start_dialog import StartDialog
from app.gui.files.withdrawal_dialog import WithdrawalDialog, share_annotations_only
from app.gui.judges.human_answer import PersonForm
from app.gui.judges.judge_entries import EntryDialog
from app.gui.judges.judges_page import JudgesPage
from app.gui.study.dialogs import require_permission
from app.gui.window.interrupted_jobs import InterruptedJobsDialog
from app.gui.window.message_bar import MessageLevel
from app.gui.window.quitting import exit_question
from project.errors import UserError
from project.queries.judgment_rows import all_judges
from tools.screens.answers import NobodyThere
from tools.screens.taking import WindowCamera, scene

_SECOND = 1_000_000


def press(inside: QWidget, name: str) -> None:
    """Press the first button in sight whose text or name begins like that."""
    for child in inside.findChildren(QAbstractButton):
        texts = (child.text().replace("&", ""), child.accessibleName())
        if child.isVisible() and child.isEnabled() and any(text.startswith(name) for text in texts):
            child.click()
            return
    raise LookupError(f"no button {name} in {type(inside).__name__}")


def page(camera: WindowCamera, mode: str) -> QWidget:
    """Turn to a mode and return its page."""
    camera.window.set_mode(mode)
    camera.settle(0.6)
    shown = camera.window.pages.current_view()
    assert shown is not None
    return shown


@scene("31-share")
def _share(camera: WindowCamera) -> None:
    questions = _really_asked(camera)
    camera.modal("31-share", lambda: share_annotations_only(camera.window.context))
    questions.asks = False


@scene("31-allow-downloads")
def _allow_downloads(camera: WindowCamera) -> None:
    questions = _really_asked(camera)

    def ask() -> None:
        with suppress(UserError):
            require_permission(camera.window.studio, questions, "rfb320")

    camera.modal("31-allow-downloads", ask)
    questions.asks = False


def _really_asked(camera: WindowCamera) -> NobodyThere:
    questions = camera.window.files.questions
    assert isinstance(questions, NobodyThere)
    questions.asks = True
    return questions


@scene("31-apart")
def _apart(camera: WindowCamera) -> None:
    text = "Opening social-robot-lab.greenroom…"
    camera.modal("31-apart", lambda: camera.window.studio.apart.run(lambda *_: time.sleep(1.2), text), while_busy=True)


@scene("31-passphrase")
def _passphrase(camera: WindowCamera) -> None:
    path, asking = Path("social-robot-lab.greenroom"), PassphrasePrompt(camera.window)
    camera.modal("31-passphrase", lambda: asking.ask(path, ""))
    wrong = "This is not the passphrase of “social-robot-lab.greenroom”."
    camera.modal("31-passphrase-wrong", lambda: asking.ask(path, wrong))

    def differ(shown: QWidget) -> None:
        assert isinstance(shown, PassphraseDialog)
        assert shown.again is not None
        shown.field.setText("a sentence to keep")
        shown.again.setText("a sentence")

    camera.modal("31-passphrase-differs", lambda: ask_new("Encrypt the study", "Encrypt", camera.window), differ)


@scene("31-export-result")
def _export_result(camera: WindowCamera) -> None:
    clip = Path("/home/ada/studies/anonymized/13 sample, solid.mp4")
    left = [3 * _SECOND + 33_000 * at for at in range(9)]
    doubtful = [at * _SECOND for at in (5, 8, 12, 14)]
    for name, found in (
        (
            "31-export-result",
            Findings(faces_left=left, doubtful=doubtful, blanked=[21 * _SECOND], undrawn=[17 * _SECOND]),
        ),
        ("31-export-result-clean", Findings(independent=False)),
    ):
        camera.modal(name, ExportResult(clip, found, camera.window).show)


@scene("31-judge-edit")
def _judge(camera: WindowCamera) -> None:
    judges = page(camera, "judges")
    assert isinstance(judges, JudgesPage)
    session = camera.session
    found = [judge.id for judge in all_judges(session.study)]
    for at, text in enumerate(found[:3]):
        camera.modal(f"31-judge-edit-{at + 1}", lambda one=text: judges.bar.edit_requested.emit("edit", one))

    def tested(shown: QWidget) -> None:
        assert isinstance(shown, EntryDialog)
        shown.show_test_result("The server at http://127.0.0.1:8000/v1 does not answer. Is it running?", failed=True)
        shown.show_error(UserError("A judge of this name is there already.", "Give this one another name."))

    camera.modal("31-judge-edit-failed", lambda: judges.bar.edit_requested.emit("edit", found[1]), tested)


@scene("31-raw")
def _raw(camera: WindowCamera) -> None:
    shown = page(camera, "judges")
    camera.modal("31-raw", lambda: press(shown, "Raw…"))


@scene("31-large-frame")
def _large_frame(camera: WindowCamera) -> None:
    page(camera, "judges")

    def enlarge(form: QWidget) -> None:
        assert isinstance(form, PersonForm)
        pictures = form.findChildren(QListWidget)[0]
        camera.settle(0.3, until=lambda: pictures.count() > 0)
        camera.take("31-answer-yourself-filled", form)
        pictures.itemActivated.emit(pictures.item(0)) if pictures.count() else None
        camera.settle(0.2)
        large = QApplication.activePopupWidget()
        if large is not None:
            camera.take("31-large-frame", large)
            large.close()

    camera.modal("31-answer-yourself", camera.window.menus.actions["answer_yourself"].trigger, enlarge)


@scene("31-split")
def _split(camera: WindowCamera) -> None:
    team = camera.window.windows.open_window("team")
    camera.settle(0.4)
    camera.modal("31-split", lambda: press(team, "Copy for an annotator"))
    team.window().close()


@scene("31-withdraw-typed")
def _withdraw(camera: WindowCamera) -> None:
    def typed(shown: QWidget) -> None:
        assert isinstance(shown, WithdrawalDialog)
        shown.who.setCurrentIndex(shown.who.findText("P99"))
        shown.drop.setChecked(True)
        shown.typed.setText("P99")
        camera.settle(0.5, until=lambda: "Looking" not in shown.lines.toPlainText())

    camera.modal("31-withdraw-typed", camera.window.menus.actions["withdraw"].trigger, typed)


@scene("31-answering-blind")
def _room(camera: WindowCamera) -> None:
    camera.window.set_mode("benchmark")
    shown = page(camera, "benchmark")
    shown.tabs.setCurrentIndex(1)  # type: ignore[attr-defined]
    camera.settle(0.8)
    press(shown, "Answer")
    camera.settle(1.0)
    camera.take("31-answering-blind", seconds=1.0)
    QTimer.singleShot(0, lambda: press(camera.window, "Pause"))
    camera.settle(0.5)


@scene("31-what-if")
def _what_if(camera: WindowCamera) -> None:
    camera.window.menus.actions["what_if"].trigger()
    camera.settle(0.5)
    camera.take("31-what-if", camera.window.windows.open_window("episodes"))
    camera.window.windows.open_window("episodes").window().close()


@scene("31-export-several")
def _export_several(camera: WindowCamera) -> None:
    session = camera.session
    folder = session.study.folder
    second = shutil.copyfile(next(folder.glob("recording-0014-*.mp4")), folder / "sample, second take.mp4")
    camera.window.studio.edit(lambda session: add_recordings(session, [probe_file(second)])[1])

    def several(shown: QWidget) -> None:
        assert isinstance(shown, ExportDialog)
        shown.what.setCurrentIndex(shown.what.findData("several"))
        for item in shown.several.findItems("", Qt.MatchFlag.MatchContains):
            item.setCheckState(0, Qt.CheckState.Checked)

    camera.modal("31-export-several", camera.window.menus.actions["export"].trigger, several)
    camera.window.studio.undo()


@scene("31-start")
def _start(camera: WindowCamera) -> None:
    """The dialog of the first start, and that of every new study."""

    def filled(shown: QWidget) -> None:
        assert isinstance(shown, StartDialog)
        shown.add_recordings([Path("talk in the kitchen.mp4"), Path("interview.wav")])

    files = camera.window.files
    camera.modal("31-start", lambda: files.make_start_dialog(first=True).show())
    camera.modal("31-start-study", lambda: files.make_start_dialog().show(), filled)


@scene("31-leave-jobs", "31-interrupted-jobs")
def _jobs_left(camera: WindowCamera) -> None:
    """What is asked before the window closes over jobs, and what is offered at the next opening."""
    questions = _really_asked(camera)
    head, more = exit_question(["Track faces in recording 1", "Export of 3 clips"], encrypted=True, quits=True)
    camera.modal("31-leave-jobs", lambda: questions.leave_jobs(head, more, quits=True))
    camera.modal(
        "31-leave-jobs-held", lambda: questions.held_study("Jobs of “lab.greenroom” run in the background.", more)
    )
    camera.window.messages.show_message(
        "2 jobs were interrupted.",
        MessageLevel.WARNING,
        "",
        ("resume_interrupted", "Resume"),
        more=(("show_interrupted", "Show…"), ("dismiss_interrupted", "Dismiss")),
    )
    camera.take("31-interrupted-jobs-told")
    camera.window.messages.dismiss()
    lines = {"a": "Track faces in recording 1, asked for at 2026-11-23 06:40", "b": "Export of 3 clips"}
    camera.modal("31-interrupted-jobs", lambda: InterruptedJobsDialog(lines, camera.window).show())
    questions.asks = False
