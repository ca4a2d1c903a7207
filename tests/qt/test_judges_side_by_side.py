"""A model file, a server and people say what they think of the same segments, in one window."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotate.segments.segment_edits import add_segment
from annotate.study.recording_edits import add_recordings, probe_file
from app.gui.judges.answer_columns import PENDING_STATES, JudgmentColumn, JudgmentColumnState
from app.gui.judges.judges_page import JudgesPage
from app.gui.judges.request_inspector import SentView
from app.gui.window.main_window import MainWindow
from benchmark.judging.judge_registry import add_judge
from project.entities.judgments import JudgmentStatus
from project.queries.judgment_rows import judgments_of, reveals
from project.queries.policy_rows import all_egress
from project.queries.segment_rows import all_segments
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.builders.llama_server import LlamaServer
from tests.builders.tiny_gguf import TinyModel

pytest.importorskip("llama_cpp")

SECOND = 1_000_000
CONTROL = Qt.KeyboardModifier.ControlModifier
FORM = {"attributes": ["norms"], "channel": "verbal", "rationale": "It left.", "correction": "Stay."}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "lab.greenroom"
    with Session(Study.create(path), "Bo") as session:
        (recording,), _ = add_recordings(session, [probe_file(make_clip(tmp_path / "talk.mp4", frames=150))])
        add_segment(session, recording, 0, 2 * SECOND, "error", FORM)
        add_segment(session, recording, 3 * SECOND, 5 * SECOND, "competence", {**FORM, "correction": None})
    return path


@pytest.mark.soak
def test_two_backends_and_two_people_answer_the_same_segments_in_one_window(
    study: Path,
    tiny_gguf: TinyModel,
    llama_server: LlamaServer,
    open_window: Callable[..., MainWindow],
    qtbot: QtBot,
) -> None:
    few = {"frames": 2, "max_tokens": 400}
    with Session.open(study, "Ada") as session:
        file = {"projector": str(tiny_gguf.projector), "context": 16384, **few}
        add_judge(session, "File", "llama-cpp", str(tiny_gguf.model), file)
        add_judge(session, "Server", "openai", llama_server.model, {"url": llama_server.url, "sees": "text", **few})
    window = open_window(study, "Ada")
    qtbot.waitUntil(window.isActiveWindow)
    window.set_mode("judges")
    page = window.workspace.pages.currentWidget()
    assert isinstance(page, JudgesPage)
    page.bar.choose("verdict", "plain")
    assert window.studio.session is not None
    session = window.studio.session
    theirs = all_segments(session.study)
    assert len(theirs) == 2

    def columns() -> dict[str, JudgmentColumn]:
        return {judgment_column.name: judgment_column for judgment_column in page.board.table().columns}

    for segment in theirs:
        window.studio.select([segment.id])
        assert [column.state for column in columns().values()] == [
            JudgmentColumnState.NOT_ASKED,
            JudgmentColumnState.NOT_ASKED,
            JudgmentColumnState.PERSON,
        ]
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_J, CONTROL)
        # Blind first: Ada marked nothing here yet, so she sees that there are answers, and no more.
        qtbot.waitUntil(
            lambda: all(
                column.judgment_id and column.state not in PENDING_STATES
                for column in columns().values()
                if column.judge_id
            ),
        )
        assert not any(column.cells for column in columns().values() if column.judge_id)

    assert reveals(session.study) == []
    for segment in theirs:
        said = judgments_of(session.study, segment.id)
        assert {str(judgment.judge["backend"]) for judgment in said} == {"llama-cpp", "openai"}
        # Random weights write noise; what is tested is that it comes back in form, or is called unparsed.
        assert {judgment.status for judgment in said} <= {JudgmentStatus.OK, JudgmentStatus.UNPARSED}
        by_file = next(judgment for judgment in said if judgment.judge["backend"] == "llama-cpp")
        assert by_file.status is JudgmentStatus.OK
        assert by_file.tokens_out is not None
        frames = by_file.sight["frames"]
        assert isinstance(frames, list)
        assert len(frames) == 2

        def mark(session: Session, start_us: int = segment.start_us, end_us: int = segment.end_us) -> object:
            return add_segment(session, window.studio.recording.id, start_us, end_us, "error", FORM)[1]

        assert window.studio.edit(mark)
        window.studio.select([segment.id])
        shown = columns()
        assert list(shown) == ["File", "Server", "Bo", "Ada"]
        assert {shown[name].state for name in ("File", "Server")} <= {
            JudgmentColumnState.ANSWERED,
            JudgmentColumnState.UNPARSED,
        }
        assert shown["File"].cells["label"] is not None
        assert [row.key for row in page.board.table().rows][:2] == ["label", "attributes"]

    assert len(reveals(session.study)) == 2
    assert {(line.request.local, line.permission) for line in all_egress(session.study)} == {(True, "local")}
    page.board.inspect_requested.emit(columns()["File"])
    (view,) = window.findChildren(SentView)

    def pictures() -> list[bool]:
        sent = view.current_preview()
        return [picture.picture is not None for picture in sent.pictures] if sent is not None else []

    qtbot.waitUntil(lambda: pictures() == [True, True])
    view.reject()
