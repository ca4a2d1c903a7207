"""The window in states that a study is seldom in: damaged, encrypted, read-only, planned, refused, busy."""

import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QTableView

from annotate.segments.segment_edits import set_label
from annotate.study.people import require_annotator
from annotate.team.assignments import PlanOptions, make_plan, set_training
from annotate.team.study_copies import merge_copies, split_study
from anonymize.egress.egress_authority import policy_in_force
from anonymize.egress.policy_edits import set_policy
from anonymize.local_files.study_encryption import encrypt_study
from app.gui.files.recovery_dialog import RecoverDialog, ReportDialog
from app.gui.jobs.jobs_panel import JobState
from app.gui.window.message_bar import MessageLevel as Weight
from project.entities.egress_policy import EgressLevel, Forbidden
from project.errors import UserError
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments
from project.recovery.recovery import recover
from project.recovery.recovery_report import report_lines
from project.session.session import Session
from project.store.backups import list_backups
from tools.screens.filled import ANNOTATOR
from tools.screens.taking import WindowCamera, scene
from widgets.dialogs.command_palette import CommandPalettePopup

_OTHER = "Annotator 1"
_PAGE = 4096


@scene("50-policy")
def _policy(camera: WindowCamera) -> None:
    session = camera.session
    before = policy_in_force(session)
    said = {"reason": "Pilot with three judges", "allowed_by": "Board of the faculty, 2026-114"}
    for level in (EgressLevel.ANONYMIZED, EgressLevel.RAW):
        wanted = replace(before, level=level, downloads=True, hosts=("api.example.org", "judges.lab.example.org"))
        camera.window.studio.publish(set_policy(session, replace(wanted, **said)))
        camera.take(f"50-policy-{level}")
        shown = camera.window.windows.open_window("policy")
        camera.take(f"50-policy-{level}-window", shown)
        shown.window().close()
    camera.window.studio.publish(set_policy(session, before))
    refusal = Forbidden(
        "level", "The policy of this study lets nothing leave this machine.", "Study > What leaves this machine…"
    )
    camera.window.show_error(refusal)
    camera.take("50-policy-refused")
    camera.window.messages.dismiss()


@scene("50-jobs")
def _jobs(camera: WindowCamera) -> None:
    panel = camera.window.workspace.jobs_panel
    for key, title in (
        ("a", "Find faces in 13 sample"),
        ("b", "Export 13 sample, another face for everybody who is not a robot, with the voices changed"),
        ("c", "Transcribe 13 sample"),
        ("d", "Ask Lab server about 36 segments"),
        ("e", "Fetch rfb320"),
    ):
        panel.add(key, title)
    panel.finish("a", JobState.DONE, "2 face tracks in 1,200 frames, 14 s", openable=True)
    panel.finish("b", JobState.FAILED, "There is no room left on the disk. Free some space, and start it again.")
    panel.finish("c", JobState.CANCELLED)
    panel.set_progress("d", 14, 36, "14 of 36 answered")
    camera.window.commands.show_jobs()
    camera.take("50-jobs", panel)
    panel.close()
    camera.take("50-jobs-window")
    panel.finish("d", JobState.DONE, "36 answered")
    panel.finish("e", JobState.DONE, "Installed rfb320.")
    panel.clear_finished()


@scene("50-bug")
def _messages(camera: WindowCamera) -> None:
    window = camera.window
    window.show_bug("KeyError: 'a'", Path("/home/ada/.local/state/greenroom/greenroom.log"))
    camera.take("50-bug")
    window.messages.show_message(
        "The file 2026-03-14 session 2, control group, camera at the window, second take.mp4 is missing.",
        Weight.WARNING,
        "Segments stay usable.",
        ("locate", "Locate…"),
    )
    camera.take("50-missing")
    window.messages.dismiss()


@scene("50-palette")
def _palette(camera: WindowCamera) -> None:
    for name, typed in (("50-palette-typed", "mark"), ("50-palette-nothing", "zzqx")):
        shown: CommandPalettePopup = camera.window.command_palette.open_palette()
        shown.field.setText(typed)
        camera.take(name)
        shown.close()


@scene("50-full-screen")
def _several_pictures(camera: WindowCamera) -> None:
    camera.window.commands.toggle_full_screen()
    camera.take("50-full-screen", seconds=0.5)
    camera.window.commands.toggle_full_screen()
    camera.settle(0.3)


@scene("42-menu", "42-columns")
def _menus(camera: WindowCamera) -> None:
    window = camera.window
    session, here = window.studio.session, window.studio.recording
    assert session is not None
    assert here is not None
    corner = QPoint(0, 0)
    mine = window.studio.selected[0]
    for name, show in (
        ("42-menu-on-recording", lambda: window.context_menus.show_recording_menu(here.id, corner)),
        ("42-menu-on-segment", lambda: window.context_menus.show_timeline_menu(corner, mine, 0)),
        ("42-menu-on-timeline", lambda: window.context_menus.show_timeline_menu(corner, "", 0)),
    ):
        show()
        camera.popup(name)
    segments = window.windows.open_window("segments")
    table = next(table for table in segments.findChildren(QTableView) if table.isVisible())
    table.horizontalHeader().customContextMenuRequested.emit(corner)
    camera.popup("42-columns")
    segments.window().close()


@scene("50-read-only")
def _read_only(camera: WindowCamera) -> None:
    path = camera.session.study.path
    copy = path.with_name("read-only.greenroom")
    shutil.copyfile(path, copy)
    with Session.open(copy, _OTHER):
        camera.window.open_study(copy)
        camera.settle(0.5)
        camera.take("50-read-only")
    camera.window.open_study(path)


@scene("52-training", "52-team")
def _planned(camera: WindowCamera) -> None:
    """A study with a plan, copies that differ, and a training round that is not passed."""
    path = camera.session.study.path
    planned, copy = path.with_name("planned.greenroom"), path.with_name("planned copy.greenroom")
    shutil.copyfile(path, planned)
    names = (ANNOTATOR, _OTHER, "Annotator 2", "Constanze-Wilhelmine von der Heydte-Ó Súilleabháin")
    with Session.open(planned, ANNOTATOR) as session:
        make_plan(session, PlanOptions(names, keep=True))
        split_study(session, _OTHER, copy)
        _relabel(session, _OTHER, "none")
    with Session.open(copy, _OTHER) as session:
        _relabel(session, _OTHER, "competence")
    with Session.open(planned, ANNOTATOR) as session:
        merge_copies(session, [copy])
        here = [recording.id for recording in all_recordings(session.study)]
        set_training(session, here[:2], _OTHER, {"boundaries": 0.7, "labels": 0.8})
    camera.window.studio.open(planned, "Annotator 2")
    camera.window.choose_recording(here[3])
    camera.settle(0.5)
    camera.take("52-training-gate")
    camera.tabs("52-training", camera.window.windows.open_window("training"))
    camera.window.studio.close()
    camera.window.studio.open(planned, ANNOTATOR)
    camera.tabs("52-team", camera.window.windows.open_window("team"))
    camera.tabs("52-training-owner", camera.window.windows.open_window("training"))
    camera.window.open_study(path)


def _relabel(session: Session, name: str, label: str) -> None:
    who = require_annotator(session, name).id
    theirs = [
        segment.id
        for segment in all_segments(session.study)
        if segment.annotator_id == who and segment.scheme == "shrec"
    ][:3]
    set_label(Session(session.study, name), theirs, label)


@scene("51-encrypted")
def _encrypted(camera: WindowCamera) -> None:
    path = camera.session.study.path
    encrypted = path.with_name("encrypted.greenroom")
    shutil.copyfile(path, encrypted)
    encrypt_study(encrypted, lambda: "a sentence to keep")
    camera.window.open_study(encrypted)
    camera.settle(0.5)
    camera.take("51-encrypted")
    file_menu = camera.window.menuBar().actions()[0].menu()
    file_menu.popup(QPoint(0, 0))  # type: ignore[attr-defined]
    camera.popup("51-encrypted-menu")
    camera.modal("51-change-passphrase", camera.window.menus.actions["encrypt"].trigger)
    questions = camera.window.files.questions
    questions.asks = True  # type: ignore[attr-defined]
    camera.modal("51-decrypt", camera.window.menus.actions["decrypt"].trigger)
    camera.modal("51-share-encrypted", camera.window.menus.actions["share_annotations"].trigger)
    questions.asks = False  # type: ignore[attr-defined]
    camera.window.open_study(path)


@scene("51-damaged", "51-recover", "51-recovered")
def _damaged(camera: WindowCamera) -> None:
    path = camera.session.study.path
    damaged = path.with_name("damaged.greenroom")
    shutil.copyfile(path, damaged)
    for number in (1, 2, 3):
        shutil.copyfile(path, damaged.with_name(f"damaged.greenroom.bak-{number}"))
    content = bytearray(damaged.read_bytes())
    for at in range(20, 60, 4):
        content[_PAGE * at : _PAGE * (at + 1)] = b"\xa5" * _PAGE
    damaged.write_bytes(content)
    with suppress(UserError):
        camera.window.open_study(damaged)
    camera.settle(1.0, until=lambda: bool(camera.window.messages.message()))
    camera.take("51-damaged")
    camera.window.messages.dismiss()
    camera.modal("51-recover", RecoverDialog(damaged, list_backups(damaged), camera.window).open)
    found = recover(damaged, damaged.with_name("damaged recovered.greenroom"))
    camera.modal("51-recovered", ReportDialog(report_lines(found), camera.window).open)
    if camera.window.studio.session is None or camera.window.studio.session.study.path != path:
        camera.window.open_study(path)


@scene("50-drop")
def _drop(camera: WindowCamera) -> None:
    hint = camera.window.recordings._drop_hint
    hint.setGeometry(camera.window.recordings.rect())
    hint.show()
    hint.raise_()
    camera.take("50-drop")
    hint.hide()


@scene("50-small-window")
def _narrow(camera: WindowCamera) -> None:
    size = camera.window.size()
    camera.window.resize(1024, 640)
    camera.take("50-small-window", seconds=0.4)
    camera.window.resize(size)
    camera.settle(0.4)


@scene("50-nothing-found")
def _searched(camera: WindowCamera) -> None:
    field = camera.window.recordings.search
    field.setText("nobody was here")
    camera.take("50-nothing-found")
    field.clear()
