"""Judges are asked in the real window, by keys, and what they say streams in beside what people say."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton, QSpinBox
from pytestqt.qtbot import QtBot

from annotate.blinding.reveals import set_blind_first
from annotate.study.people import add_participant, set_consent
from anonymize.egress.policy_edits import set_policy
from app.gui.judges.answer_columns import JudgmentColumn, JudgmentColumnState
from app.gui.judges.judge_entries import EntryDialog
from app.gui.judges.judges_mode import RawView
from app.gui.judges.judges_page import JudgesPage
from app.gui.judges.request_inspector import SentView
from app.gui.window.main_window import MainWindow
from benchmark.judging.judge_registry import add_judge
from project.entities.egress_policy import EgressLevel, Policy
from project.entities.judgments import JudgeEntry, JudgmentStatus
from project.entities.study_records import ConsentUse, ParticipantRole
from project.queries.judgment_rows import all_judges, judgments_of, reveals
from project.queries.policy_rows import all_egress
from project.queries.recording_rows import all_participants
from project.queries.segment_rows import values_of
from project.session.session import Session
from project.session.settings import load_view
from tests.builders.judgments import made_up, store
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.marked_study import WALK, mark
from tests.builders.misbehaving_server import Server, hangs, misbehaving, says
from widgets.form.form import OptionForm

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier
SAID = (
    '{"label": "error", "attributes": ["norms"], "channel": "verbal", "rationale": "It <b>left</b>.", "correction": ""}'
)


@pytest.fixture
def segment_id(session: Session) -> str:
    return mark(session, "Ada", 10, 20, attributes=["norms"], channel="verbal", rationale="Gone.", correction="Stay.")


class Judging:
    """The page in the window, for whoever uses it."""

    def __init__(self, window: MainWindow, qtbot: QtBot, segment_id: str) -> None:
        self.window, self.qtbot, self.segment_id = window, qtbot, segment_id
        window.choose_recording(WALK)
        window.studio.select([segment_id])
        QTest.keyClick(QApplication.focusWidget() or window, Key.Key_5, CONTROL)
        page = window.workspace.pages.currentWidget()
        assert isinstance(page, JudgesPage)
        self.page = page

    @property
    def session(self) -> Session:
        assert self.window.studio.session is not None
        return self.window.studio.session

    def columns(self) -> dict[str, JudgmentColumn]:
        return {column.name: column for column in self.page.board.table().columns}

    def states(self) -> dict[str, JudgmentColumnState]:
        return {name: judgment_column.state for name, judgment_column in self.columns().items()}

    def tick(self, *names: str) -> None:
        menu = self.page.bar.judges
        menu.set_ticked(entry.key for entry in menu.entries() if entry.name in names)

    def ask(self) -> None:
        QTest.keyClick(QApplication.focusWidget() or self.window, Key.Key_J, CONTROL)

    def wait(self, done: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(done)


@pytest.fixture
def judging(
    session: Session, segment_id: str, open_window: Callable[..., MainWindow], qtbot: QtBot
) -> Callable[..., Judging]:
    def make(who: str = "Ada") -> Judging:
        path = session.study.path
        session.close()
        window = open_window(path, who)
        qtbot.waitUntil(window.isActiveWindow)
        return Judging(window, qtbot, segment_id)

    return make


@pytest.fixture
def server() -> Iterator[Server]:
    with misbehaving(says(SAID)) as made:
        yield made


def add_server(session: Session, url: str, name: str = "Server", **settings: str) -> JudgeEntry:
    return add_judge(session, name, "openai", "fake-1", {"url": url, "sees": "text", "tries": 1, **settings})[0]


def test_without_judges_the_page_offers_to_add_one(judging: Callable[..., Judging]) -> None:
    shown = judging()
    buttons = [child for child in shown.page.findChildren(QPushButton) if child.text() == "Add judge…"]
    assert [button.isVisibleTo(shown.page) for button in buttons] == [True]
    assert not shown.page.bar.ask.isEnabled()
    assert shown.page.bar.ask.toolTip() == "Choose a judge first."


def test_one_key_asks_all_chosen_judges_and_their_answers_stream_in(
    session: Session, judging: Callable[..., Judging], server: Server
) -> None:
    add_judge(session, "Always", "constant", settings={"says": "competence"})
    add_server(session, server.url)
    shown = judging()
    assert shown.states() == {
        "Always": JudgmentColumnState.NOT_ASKED,
        "Server": JudgmentColumnState.NOT_ASKED,
        "Ada": JudgmentColumnState.PERSON,
    }
    shown.ask()
    shown.wait(lambda: set(shown.states().values()) == {JudgmentColumnState.ANSWERED, JudgmentColumnState.PERSON})
    assert len(server.asked) == 1
    verdicts = {name: judgment_column.cells["label"] for name, judgment_column in shown.columns().items()}
    assert [verdicts[name].agrees for name in ("Always", "Server")] == [(), ("Ada",)]
    assert shown.page.board.table().rows[0].differs
    assert {line.name: (line.done, line.remaining) for line in shown.page.queue.lines()} == {
        "Always": (1, 0),
        "Server": (1, 0),
    }
    assert [reveal.segment_id for reveal in reveals(shown.session.study)] == [shown.segment_id]

    with shown.qtbot.waitSignal(shown.window.studio.message) as told:
        shown.ask()
    assert told.args == ["Nothing was asked: the study has the answer already."]
    assert len(server.asked) == 1

    foot = shown.page.board.column_widgets(shown.columns()["Server"].key)["foot"]
    next(child for child in foot.findChildren(QPushButton) if child.text() == "Ask again").click()
    shown.wait(lambda: len(server.asked) == 2)
    shown.wait(lambda: len(judgments_of(shown.session.study, shown.segment_id)) == 3)


def test_what_is_asked_can_be_cancelled_one_and_all(session: Session, judging: Callable[..., Judging]) -> None:
    with misbehaving(hangs) as server:
        add_server(session, server.url, "One")
        add_server(session, server.url, "Two")
        shown = judging()
        shown.ask()
        shown.wait(
            lambda: list(shown.states().values())[:2] == [JudgmentColumnState.ASKING, JudgmentColumnState.ASKING]
        )
        foot = shown.page.board.column_widgets(shown.columns()["One"].key)["foot"]
        next(child for child in foot.findChildren(QPushButton) if child.text() == "Cancel").click()
        shown.wait(lambda: shown.states()["One"] is JudgmentColumnState.NOT_ASKED)
        assert shown.states()["Two"] is JudgmentColumnState.ASKING
        shown.page.queue.cancel_all.click()
        shown.wait(lambda: shown.states()["Two"] is JudgmentColumnState.NOT_ASKED)
        shown.wait(lambda: not shown.window.jobs.busy)
    assert judgments_of(shown.session.study, shown.segment_id) == []


def test_the_button_says_how_many_segments_are_asked_about(session: Session, judging: Callable[..., Judging]) -> None:
    second = mark(session, "Ada", 30, 40, attributes=["norms"])
    add_judge(session, "Chance", "random", "", {})
    shown = judging()
    assert shown.page.bar.ask.text() == "Ask"
    shown.window.studio.select([shown.segment_id, second])
    assert shown.page.bar.ask.text() == "Ask about 2 segments"


def test_the_page_gets_room_from_the_picture_and_gives_it_back_also_in_a_later_window(
    session: Session, judging: Callable[..., Judging], open_window: Callable[..., MainWindow], qtbot: QtBot
) -> None:
    shown = judging()
    columns = shown.window.workspace.columns
    wide = columns.sizes()[2]
    shown.window.set_mode("annotate")
    usual = columns.sizes()[2]
    assert usual < wide
    shown.window.set_mode("judges")
    assert columns.sizes()[2] == wide
    columns.setSizes([200, 300, wide + 100])
    wide = columns.sizes()[2]
    shown.window.set_mode("annotate")
    shown.window.set_mode("judges")
    assert columns.sizes()[2] == wide, "as somebody dragged it"
    shown.window.memory.save_view()
    shown.window.memory.save_window()
    shown.window.close()
    later = open_window(session.study.path)
    qtbot.waitUntil(lambda: later.workspace.columns.sizes()[2] == wide)
    later.set_mode("annotate")
    assert later.workspace.columns.sizes()[2] == usual


def test_what_the_policy_forbids_is_said_before_and_nothing_is_sent(
    session: Session, judging: Callable[..., Judging]
) -> None:
    add_server(session, "https://judge.example.org/v1")
    shown = judging()
    shown.tick("Server")
    assert "nothing-leaves" in shown.page.bar.notes()
    assert shown.page.bar.policy.isVisibleTo(shown.page)
    shown.ask()
    shown.wait(lambda: shown.states()["Server"] is JudgmentColumnState.NOT_SENT)
    assert "nothing-leaves" in shown.columns()["Server"].said
    assert not any(egress.permission for egress in all_egress(shown.session.study))
    shown.page.bar.policy.click()
    assert any(widget.isVisible() and "leaves" in widget.windowTitle() for widget in QApplication.topLevelWidgets())


def test_where_what_leaves_would_go_is_said_before(session: Session, judging: Callable[..., Judging]) -> None:
    made, _ = add_participant(session, "P01", ParticipantRole.USER, WALK)
    (who,) = (participant for participant in all_participants(session.study) if participant.id == made)
    set_consent(session, who, ConsentUse.MODELS, True)
    set_policy(session, Policy(EgressLevel.RAW, "pilot with actors only", "Board 7", unencrypted=True))
    add_server(session, "http://localhost:8080/v1", "Here")
    add_server(session, "http://second.example.org/v1", "Second")
    add_server(session, "https://judge.example.org/v1", coerce="Second")
    shown = judging()
    shown.tick("Server", "Second", "Here")
    notes = shown.page.bar.notes().splitlines()
    assert "Server: words as they are would go to judge.example.org." in notes
    assert "Second: what Server answers would go to second.example.org, without encryption." in notes
    assert not any(note.startswith("Here") for note in notes)


def test_judges_at_other_machines_are_asked_once_somebody_ticked_them(
    session: Session, judging: Callable[..., Judging], server: Server
) -> None:
    add_server(session, server.url, "Here")
    add_server(session, "https://judge.example.org/v1", "There")
    add_server(session, server.url, "Half", coerce="There")
    shown = judging()
    assert [
        entry.name for entry in shown.page.bar.judges.entries() if entry.key in shown.page.bar.judges.ticked_keys()
    ] == ["Here"]
    shown.ask()
    shown.wait(lambda: shown.states()["Here"] is JudgmentColumnState.ANSWERED)
    assert [egress.request.host for egress in all_egress(shown.session.study)] == ["127.0.0.1"]


def test_judges_stay_hidden_until_ones_own_is_saved(
    session: Session, segment_id: str, judging: Callable[..., Judging]
) -> None:
    entry = add_server(session, "http://127.0.0.1:9/v1")
    secret = {"label": "competence", "rationale": "SECRET-WORDS", "attributes": ["emotions"]}
    store(session, made_up(entry, session, segment_id, secret, raw="SECRET-WORDS", thinking="SECRET-WORDS"))
    shown = judging("Bo")
    assert shown.states()["Server"] is JudgmentColumnState.HIDDEN
    assert "Mark this moment yourself" in shown.columns()["Server"].said
    labels = [child.text() for child in shown.page.findChildren(QLabel)]
    assert not any("SECRET" in label for label in labels)
    assert reveals(shown.session.study) == []
    shown.window.studio.edit(lambda session: set_blind_first(session, False))
    assert shown.states()["Server"] is JudgmentColumnState.ANSWERED


def test_words_are_taken_over_into_ones_own_form_and_undone_in_one_step(
    session: Session, segment_id: str, judging: Callable[..., Judging]
) -> None:
    entry = add_server(session, "http://127.0.0.1:9/v1")
    store(session, made_up(entry, session, segment_id, {"label": "error", "rationale": "It turned away."}))
    shown = judging()
    cell = shown.page.board.column_widgets(shown.columns()["Server"].key)["rationale"]
    (take,) = cell.findChildren(QPushButton)
    take.click()
    assert values_of(shown.session.study, segment_id)["rationale"].value == "It turned away."
    shown.window.studio.undo()
    assert values_of(shown.session.study, segment_id)["rationale"].value == "Gone."


def test_the_raw_answer_and_what_was_sent_are_shown_as_they_were(
    session: Session, segment_id: str, judging: Callable[..., Judging]
) -> None:
    entry = add_server(session, "http://127.0.0.1:9/v1")
    sight = {"system": "Watch.", "text": "<i>What</i> happened?", "frames": [], "shortened": [["before", 2, 80]]}
    store(session, made_up(entry, session, segment_id, {"label": "error"}, raw="<b>raw</b>", sight=sight))
    shown = judging()
    foot = shown.page.board.column_widgets(shown.columns()["Server"].key)["foot"]
    buttons = {child.text(): child for child in foot.findChildren(QPushButton)}
    buttons["Raw…"].click()
    (raw,) = shown.window.findChildren(RawView)
    assert raw.field.toPlainText() == "<b>raw</b>"
    raw.accept()
    buttons["Sent…"].click()
    (view,) = shown.window.findChildren(SentView)
    sent = view.current_preview()
    assert [message.text for message in sent.messages] == ["Watch.", "<i>What</i> happened?"]
    assert sent.total_bytes == len("Watch.<i>What</i> happened?")
    assert sent.notes == (
        "Shortened: Turns before the segment are left out, the oldest first. (2 turns, 80 characters).",
    )
    view.reject()


def test_the_inspector_shows_every_word_before_it_is_sent(
    session: Session, judging: Callable[..., Judging], server: Server
) -> None:
    add_server(session, server.url)
    shown = judging()
    shown.page.bar.inspect.click()
    (view,) = shown.window.findChildren(SentView)
    shown.wait(lambda: view.current_preview() is not None)
    sent = view.current_preview()
    assert (sent.is_local, sent.permission, sent.forbidden) == (True, "local", "")
    assert server.asked == []
    view.ask.click()
    shown.wait(lambda: shown.states()["Server"] is JudgmentColumnState.ANSWERED)
    body = server.asked[0].body
    for message in sent.messages:
        assert message.text in str([str(one["content"]) for one in body["messages"]]).replace("\\n", "\n") or any(
            message.text in str(one["content"]) for one in body["messages"]
        )
    (judgment,) = judgments_of(shown.session.study, shown.segment_id)
    assert [judgment.sight["system"], judgment.sight["text"]] == [sent_message.text for sent_message in sent.messages]


def test_a_judge_is_added_tried_and_its_key_goes_nowhere_but_the_keyring(
    judging: Callable[..., Judging], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[str, str] = {}
    monkeypatch.setattr("app.gui.judges.judge_entries.store_key", lambda entry, key: kept.update({entry.name: key}))
    shown = judging()
    shown.page.add_requested.emit()
    (dialog,) = shown.window.findChildren(EntryDialog)
    assert nameless(dialog) == []
    assert unexplained(dialog) == []
    dialog.name.setText("Lab")
    dialog.backend.setCurrentIndex(dialog.backend.findData("openai"))
    dialog.model.setText("fake-1")
    address = dialog.form.inputs["url"]
    assert isinstance(address, QLineEdit)
    address.setText(server.url)
    sees = dialog.form.inputs["sees"]
    assert isinstance(sees, QComboBox)
    sees.setCurrentText("Text")
    dialog.key.setText("sk-very-secret")
    dialog.test.click()
    assert not dialog.test.isEnabled()
    shown.wait(dialog.test.isEnabled)
    assert any("sk-very-secret" in str(asked.headers) for asked in (*server.asked, *server.listed))
    dialog.findChildren(QPushButton)[-1].click()
    shown.wait(lambda: kept == {"Lab": "sk-very-secret"})
    (entry,) = all_judges(shown.session.study)
    assert (entry.name, entry.backend, entry.settings) == ("Lab", "openai", {"url": server.url, "sees": "text"})
    assert dialog.key.text() == ""
    shown.session.study.path.with_suffix(".greenroom-wal").touch()
    everything = b"".join(path.read_bytes() for path in shown.session.study.path.parent.glob("*") if path.is_file())
    assert b"sk-very-secret" not in everything
    assert shown.states()["Lab"] is JudgmentColumnState.NOT_ASKED


def test_a_key_in_an_address_is_refused_in_the_dialog(judging: Callable[..., Judging]) -> None:
    shown = judging()
    shown.page.add_requested.emit()
    (dialog,) = shown.window.findChildren(EntryDialog)
    dialog.save_requested.emit(JudgeEntry("x", "Lab", "openai", "m", {"url": "http://a:b@127.0.0.1:9/v1"}), "")
    assert dialog.isVisible()
    assert all_judges(shown.session.study) == []


def test_who_is_chosen_comes_back_with_the_study(
    session: Session, judging: Callable[..., Judging], open_window: Callable[..., MainWindow], qtbot: QtBot
) -> None:
    judge_entry = add_server(session, "http://127.0.0.1:9/v1", "One")
    add_server(session, "http://127.0.0.1:9/v1", "Two")
    shown = judging()
    bar = shown.page.bar
    assert set(bar.judges.ticked_keys()) == {judge.id for judge in all_judges(shown.session.study)}
    bar.judges.set_ticked([judge_entry.id])
    bar.choose("verdict", "cot")
    seed = shown.page.findChild(OptionForm).inputs["seed"]
    assert isinstance(seed, QSpinBox)
    seed.setValue(7)
    key = shown.session.study.id
    # What is kept does not wait for the end.
    shown.wait(lambda: load_view(key).get("pages", {}).get("judges", {}).get("settings", {}).get("seed") == 7)
    path = shown.session.study.path
    shown.window.close()
    again = Judging(open_window(path, "Ada"), qtbot, shown.segment_id)
    assert again.page.bar.judges.ticked_keys() == (judge_entry.id,)
    assert (again.page.bar.chosen_task(), again.page.bar.chosen_variant()) == ("verdict", "cot")
    settings = again.page.save_state()["settings"]
    assert isinstance(settings, dict)
    assert settings["seed"] == 7


def test_what_failed_says_why(session: Session, segment_id: str, judging: Callable[..., Judging]) -> None:
    entry = add_server(session, "http://127.0.0.1:9/v1")
    said = "The server closed the connection."
    store(session, made_up(entry, session, segment_id, {}, status=JudgmentStatus.ERROR, error=said))
    shown = judging()
    column = shown.columns()["Server"]
    assert (column.state, column.said) == (JudgmentColumnState.ERROR, said)
    head = shown.page.board.column_widgets(column.key)["head"]
    assert said in [child.text() for child in head.findChildren(QLabel)]


def test_every_control_has_a_name_and_it_fits_a_small_screen(
    session: Session, segment_id: str, judging: Callable[..., Judging]
) -> None:
    entry = add_server(session, "http://127.0.0.1:9/v1")
    store(session, made_up(entry, session, segment_id, {"label": "error", "rationale": "It left."}))
    shown = judging()
    shown.window.resize(1280, 800)
    shown.page.bar.more.click()
    assert nameless(shown.page) == []
    assert unexplained(shown.page) == []
    assert shown.window.width() <= 1280
    assert shown.page.width() >= 480


@pytest.mark.parametrize(
    ("url", "said"),
    [("http://10.0.0.5:9/v1", True), ("https://10.0.0.5:9/v1", False), ("http://127.0.0.1:9/v1", False)],
)
def test_it_is_said_of_a_new_judge_that_words_and_key_would_travel_unencrypted(
    judging: Callable[..., Judging], url: str, said: bool
) -> None:
    shown = judging()
    shown.page.add_requested.emit()
    (dialog,) = shown.window.findChildren(EntryDialog)
    dialog.save_requested.emit(JudgeEntry("x", "Lab", "openai", "m", {"url": url}), "")
    assert not dialog.isVisible()
    assert ("Words and key would travel unencrypted to Lab" in shown.window.messages.message()) is said
