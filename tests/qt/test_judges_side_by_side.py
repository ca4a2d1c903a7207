"""A model file, a server and people say what they think of the same segment, in one window."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.segments.segment_edits import add_segment
from annotate.study.recording_edits import add_recordings, probe_file
from app.gui.judges.answer_columns import PENDING_STATES, JudgmentColumn
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
from tests.builders.mouse_and_keys import press
from tests.builders.tiny_gguf import TinyModel

pytest.importorskip("llama_cpp")

SECOND = 1_000_000
FORM = {"attributes": ["norms"], "channel": "verbal", "rationale": "It left.", "correction": "Stay."}


@pytest.fixture
def study(tmp_path: Path, tiny_gguf: TinyModel, llama_server: LlamaServer) -> Path:
    path = tmp_path / "lab.greenroom"
    few = {"frames": 2, "max_tokens": 400}
    with Session(Study.create(path), "Bo") as session:
        (recording,), _ = add_recordings(session, [probe_file(make_clip(tmp_path / "talk.mp4", frames=75))])
        add_segment(session, recording, 0, 2 * SECOND, "error", FORM)
        file = {"projector": str(tiny_gguf.projector), "context": 16384, **few}
        add_judge(session, "File", "llama-cpp", str(tiny_gguf.model), file)
        add_judge(session, "Server", "openai", llama_server.model, {"url": llama_server.url, "sees": "text", **few})
    return path


@pytest.mark.soak
def test_two_backends_and_two_people_answer_the_same_segment_in_one_window(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(window.isActiveWindow)
    window.set_mode("judges")
    page: JudgesPage = window.pages.current_view()
    page.bar.choose("verdict", "plain")
    session = window.studio.session
    (segment,) = all_segments(session.study)

    def columns() -> dict[str, JudgmentColumn]:
        return {column.name: column for column in page.board.table().columns}

    def judges() -> list[JudgmentColumn]:
        return [column for column in columns().values() if column.judge_id]

    window.studio.select([segment.id])
    press(window, "Ctrl+J")
    # Blind first: Ada marked nothing here yet, so she sees that there are answers, and no more.
    qtbot.waitUntil(lambda: all(column.judgment_id and column.state not in PENDING_STATES for column in judges()))
    assert not any(column.cells for column in judges())
    assert reveals(session.study) == []
    said = {judgment.judge["backend"]: judgment for judgment in judgments_of(session.study, segment.id)}
    # Random weights write noise; what is tested is that it comes back in form, or is called unparsed.
    assert said["openai"].status in (JudgmentStatus.OK, JudgmentStatus.UNPARSED)
    assert said["llama-cpp"].status is JudgmentStatus.OK
    assert said["llama-cpp"].tokens_out is not None
    assert len(said["llama-cpp"].sight["frames"]) == 2

    own = (window.studio.recording.id, segment.start_us, segment.end_us, "error", FORM)
    assert window.studio.edit(lambda session: add_segment(session, *own)[1])
    window.studio.select([segment.id])
    assert list(columns()) == ["File", "Server", "Bo", "Ada"]
    assert columns()["File"].cells["label"] is not None
    assert [row.key for row in page.board.table().rows][:2] == ["label", "attributes"]
    assert len(reveals(session.study)) == 1
    assert {(line.request.local, line.permission) for line in all_egress(session.study)} == {(True, "local")}
    page.board.inspect_requested.emit(columns()["File"])
    (view,) = window.findChildren(SentView)

    def pictures() -> list[bool]:
        sent = view.current_preview()
        return [picture.picture is not None for picture in sent.pictures] if sent is not None else []

    qtbot.waitUntil(lambda: pictures() == [True, True])
    view.reject()
