"""What is taken: pages with their tabs, windows about the study, dialogs, menus, and what stands where nothing is."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget

from app.gui.chains.chains_page import ChainsPage
from app.gui.review.review_page import ReviewPage
from app.gui.window.page_registry import MODES, VIEW_TABS, find_mode
from project.queries.chain_rows import chains_of, read_graph
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments
from project.store.study import Study
from tools.screens import asked, measured, pages, states  # noqa: F401
from tools.screens.filled import ANNOTATOR
from tools.screens.taking import SCENES, WindowCamera

_SECOND = 1_000_000
_AT_US = 7_900_000
"""A moment of the sample in which both speak."""
_SLOW = frozenset({"agreement", "benchmark_report", "measures", "question_filter", "pii", "privacy", "release", "meta"})
"""Windows whose figures are computed in a thread."""
_WAITING = frozenset({"faces", "benchmark"})
"""Pages whose pictures or figures come from a thread."""
DIALOGS = (
    *("details", "export", "transcribe", "add_cue", "add_judge", "what_is_sent", "answer_yourself"),
    *("withdraw", "encrypt"),
    *("documentation", "shortcuts", "edit_shortcuts", "about"),
    *("annotator", "rename", "jump", "chain_rename", "node_reason"),
)
"""Actions that open one."""
_INSIDE = frozenset({"jump", "node_reason"})
"""Those of them that ask inside the window."""
_ABOUT_CHAINS = frozenset({"chain_rename", "node_reason"})


def take_all(camera: WindowCamera, study: Path) -> None:
    """Take every picture; the window is empty before and shows the study after."""
    window = camera.window
    window.studio.change_settings(lambda kept: replace(kept, annotator=ANNOTATOR))
    camera.take("00-welcome")
    empty = study.with_name("empty.greenroom")
    if not empty.exists():
        Study.create(empty, "Empty").close()
    window.studio.open(empty, ANNOTATOR)
    _modes(camera, "01-empty")
    _windows(camera, "02-empty-window")
    window.studio.open(study, ANNOTATOR)
    session = camera.session
    here = all_recordings(session.study)[-1].id
    others = [recording for recording in all_recordings(session.study) if recording.id != here]
    _show(camera, here)
    _modes(camera, "10-mode")
    _invented(camera, others[0].id)
    _show(camera, here)
    _extras(camera)
    _windows(camera, "20-window")
    _dialogs(camera, here, others[0].id)
    _menus(camera)
    done: list[object] = []
    for name, take in SCENES.items():
        if camera.wants(name) and take not in done:
            done.append(take)
            _show(camera, here)
            take(camera)
            camera.window.set_mode("annotate")


def _show(camera: WindowCamera, recording: str) -> None:
    window = camera.window
    window.messages.dismiss()
    window.choose_recording(recording)
    session = camera.session
    read = session.main_medium(recording) is None
    camera.settle(0.4, until=lambda: read or window.player.times is not None)
    mine = [segment for segment in all_segments(session.study) if segment.recording_id == recording]
    chosen = next((segment for segment in mine if segment.label == "error"), mine[0])
    window.studio.select([chosen.id])
    window.playback.jump(min(_AT_US, chosen.end_us - _SECOND // 2))
    window.timeline.zoom_to_fit()
    camera.settle(0.6)


def _modes(camera: WindowCamera, group: str) -> None:
    for mode in MODES:
        name = f"{group}-{mode.key}"
        if camera.wants(name):
            camera.window.set_mode(mode.key)
            _begin(camera, camera.window.pages.current_view())
            page = camera.window.pages.current_view()
            if page is not None:
                camera.tabs(name, page, camera.window, seconds=1.5 if mode.key in _WAITING else 0.35)
    camera.window.set_mode("annotate")


def _begin(camera: WindowCamera, page: QWidget | None) -> None:
    """Choose something on a page on which nothing is chosen until somebody does."""
    session, here = camera.window.studio.session, camera.window.studio.recording
    if session is None or here is None:
        return
    if isinstance(page, ReviewPage):
        for _ in range(2):
            page.step(1)
    elif isinstance(page, ChainsPage):
        chains = chains_of(session.study, here.id)
        nodes = read_graph(session.study, chains[0]).nodes if chains else ()
        camera.window.studio.select_nodes([node.id for node in nodes[3:4]])


def _invented(camera: WindowCamera, recording: str) -> None:
    """The invented recordings have chains, questions and episodes, and no footage."""
    if camera.wants("11-no-footage"):
        _show(camera, recording)
        for mode in ("annotate", "chains", "questions", "review"):
            camera.window.set_mode(mode)
            camera.take(f"11-no-footage-{mode}", seconds=0.4)
        camera.window.set_mode("annotate")


def _extras(camera: WindowCamera) -> None:
    window, actions = camera.window, camera.window.menus.actions
    for key in ("guidelines", "strip", "verdicts", "subtitles"):
        if camera.wants(f"12-with-{key}"):
            actions[key].trigger()
            camera.take(f"12-with-{key}", seconds=0.5)
            actions[key].trigger()
    if camera.wants("12-palette"):
        palette = window.command_palette.open_palette()
        camera.take("12-palette")
        palette.close()
    if camera.wants("12-timeline"):
        camera.take("12-timeline", window.timeline)
    if camera.wants("12-marks"):
        window.studio.set_marks(3 * _SECOND, 6 * _SECOND)
        window.studio.select(())
        camera.take("12-marks")
        window.studio.set_marks(None, None)
    if camera.wants("12-message"):
        window.messages.show_message("Edits are recorded under the name Ada from now on.")
        camera.take("12-message")
        window.messages.dismiss()
    if camera.wants("12-error"):
        from project.errors import UserError

        window.show_error(UserError("The file sample.mp4 cannot be read.", "Choose File > Locate missing media."))
        camera.take("12-error")
        window.messages.dismiss()


def _windows(camera: WindowCamera, group: str) -> None:
    screen = camera.window.screen().availableGeometry()
    for key in (tab.key for tab in VIEW_TABS if not find_mode(tab.key)):
        name = f"{group}-{key}"
        if not camera.wants(name):
            continue
        view = camera.window.windows.open_window(key)
        widget = view.window()
        if screen.width() > 2000:
            widget.resize(1800, 1150)
        else:
            widget.resize(widget.size().boundedTo(screen.size()))
        camera.tabs(name, view, widget, seconds=1.5 if key in _SLOW else 0.4)
        widget.close()
    camera.settle()


def _dialogs(camera: WindowCamera, recording: str, with_chains: str) -> None:
    actions = camera.window.menus.actions
    for key in DIALOGS:
        name = f"30-dialog-{key}"
        if not camera.wants(name):
            continue
        _show(camera, with_chains if key in _ABOUT_CHAINS else recording)
        if key in _ABOUT_CHAINS:
            _own_chain(camera)
        elif key in {"what_is_sent", "answer_yourself", "add_judge"}:
            camera.window.set_mode("judges")
            camera.settle(0.4)
        if key in _INSIDE:
            actions[key].trigger()
            camera.take(name, seconds=0.4)
        elif actions[key].isEnabled():
            camera.modal(name, actions[key].trigger)
        if key in _ABOUT_CHAINS:
            camera.window.studio.undo()
        camera.window.set_mode("annotate")


def _own_chain(camera: WindowCamera) -> None:
    """Make a version of a chain, which may be changed, and choose one of its nodes."""
    camera.window.set_mode("chains")
    camera.window.menus.actions["chain_copy"].trigger()
    camera.settle(0.4)
    graph = camera.window.chains.chosen.graph
    assert graph is not None
    camera.window.studio.select_nodes([graph.nodes[3].id])
    camera.settle(0.4)


def _menus(camera: WindowCamera) -> None:
    for action in camera.window.menuBar().actions():
        menu, name = action.menu(), f"40-menu-{action.text().replace('&', '').lower()}"
        if isinstance(menu, QMenu) and camera.wants(name):
            menu.popup(QPoint(0, 0))
            camera.take(name, menu)
            menu.close()
    if camera.wants("41-jobs"):
        camera.window.commands.show_jobs()
        camera.take("41-jobs", camera.window.workspace.jobs_panel)
        camera.window.workspace.jobs_panel.close()
