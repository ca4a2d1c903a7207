"""Judges are asked in the real window, by keys, and what they say streams in beside what people say."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from annotate.blinding.reveals import set_blind_first
from annotate.study.people import add_participant, set_consent
from anonymize.egress.policy_edits import set_policy
from app.gui.judges.answer_columns import JudgmentColumn, JudgmentColumnState
from app.gui.judges.human_answer import PersonForm
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
from tests.builders.judgments import judged, made_up, store
from tests.builders.marked_study import WALK, mark
from tests.builders.misbehaving_server import Server, hangs, misbehaving, says
from tests.builders.mouse_and_keys import press
from tests.builders.shown_texts import shown_texts
from tests.qt.conftest import OpenReused

SAID = (
    '{"label": "error", "attributes": ["norms"], "channel": "verbal", "rationale": "It <b>left</b>.", "correction": ""}'
)


Open = Callable[..., "Judging"]


@pytest.fixture
def segment_id(session: Session) -> str:
    return mark(session, "Ada", 10, 20, attributes=["norms"], channel="verbal", rationale="Gone.", correction="Stay.")


class Judging:
    """The page in the window, for whoever uses it."""

    def __init__(self, window: MainWindow, qtbot: QtBot, segment_id: str) -> None:
        self.window, self.qtbot, self.segment_id = window, qtbot, segment_id
        window.choose_recording(WALK)
        window.studio.select([segment_id])
        press(window, "Ctrl+5")
        self.page: JudgesPage = window.pages.current_view()

    @property
    def session(self) -> Session:
        return self.window.studio.session

    def columns(self) -> dict[str, JudgmentColumn]:
        return {column.name: column for column in self.page.board.table().columns}

    def states(self) -> dict[str, JudgmentColumnState]:
        return {name: judgment_column.state for name, judgment_column in self.columns().items()}

    def tick(self, *names: str) -> None:
        menu = self.page.bar.judges
        menu.set_ticked(entry.key for entry in menu.entries() if entry.name in names)

    def ask(self) -> None:
        press(self.window, "Ctrl+J")

    def button(self, name: str, part: str, text: str) -> QPushButton:
        """Return a button of a part of a judge's column."""
        widget = self.page.board.column_widgets(self.columns()[name].key)[part]
        (found,) = [button for button in widget.findChildren(QPushButton) if text in button.text()]
        return found

    def wait(self, done: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(done)


@pytest.fixture
def judging(session: Session, segment_id: str, open_reused: OpenReused, qtbot: QtBot) -> Open:
    def make(who: str = "Ada") -> Judging:
        path = session.study.path
        session.close()
        window = open_reused(path, who)
        qtbot.waitUntil(window.isActiveWindow)
        return Judging(window, qtbot, segment_id)

    return make


@pytest.fixture
def server() -> Iterator[Server]:
    with misbehaving(says(SAID)) as made:
        yield made


def add_server(session: Session, url: str, name: str = "Server", **settings: str) -> JudgeEntry:
    return add_judge(session, name, "openai", "fake-1", {"url": url, "sees": "text", "tries": 1, **settings})[0]


def test_one_key_asks_all_chosen_judges_and_their_answers_stream_in(
    session: Session, judging: Open, server: Server
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

    shown.button("Server", "foot", "Ask again").click()
    shown.wait(lambda: len(server.asked) == 2)
    shown.wait(lambda: len(judgments_of(shown.session.study, shown.segment_id)) == 3)


def test_what_is_asked_can_be_cancelled_one_and_all(session: Session, judging: Open) -> None:
    with misbehaving(hangs) as server:
        add_server(session, server.url, "One")
        add_server(session, server.url, "Two")
        shown = judging()
        shown.ask()
        shown.wait(lambda: [*shown.states().values()][:2] == [JudgmentColumnState.ASKING] * 2)
        shown.button("One", "foot", "Cancel").click()
        shown.wait(lambda: shown.states()["One"] is JudgmentColumnState.NOT_ASKED)
        assert shown.states()["Two"] is JudgmentColumnState.ASKING
        shown.page.queue.cancel_all.click()
        shown.wait(lambda: shown.states()["Two"] is JudgmentColumnState.NOT_ASKED)
        shown.wait(lambda: not shown.window.jobs.busy)
    assert judgments_of(shown.session.study, shown.segment_id) == []


def test_what_the_policy_forbids_is_said_before_and_nothing_is_sent(session: Session, judging: Open) -> None:
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


def test_where_what_leaves_would_go_is_said_before(session: Session, judging: Open) -> None:
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
    session: Session, judging: Open, server: Server
) -> None:
    add_server(session, server.url, "Here")
    add_server(session, "https://judge.example.org/v1", "There")
    add_server(session, server.url, "Half", coerce="There")
    shown = judging()
    menu = shown.page.bar.judges
    assert [entry.name for entry in menu.entries() if entry.key in menu.ticked_keys()] == ["Here"]
    shown.ask()
    shown.wait(lambda: shown.states()["Here"] is JudgmentColumnState.ANSWERED)
    assert [egress.request.host for egress in all_egress(shown.session.study)] == ["127.0.0.1"]


def test_judges_stay_hidden_until_ones_own_is_saved(session: Session, segment_id: str, judging: Open) -> None:
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


def test_what_a_judge_said_is_taken_over_and_shown_as_it_came(session: Session, segment_id: str, judging: Open) -> None:
    entry, broken = add_server(session, "http://127.0.0.1:9/v1"), add_server(session, "http://127.0.0.1:9/v1", "Broken")
    sight = {"system": "Watch.", "text": "<i>What</i> happened?", "frames": [], "shortened": [["before", 2, 80]]}
    answer = {"label": "error", "rationale": "It turned away."}
    store(session, made_up(entry, session, segment_id, answer, raw="<b>raw</b>", sight=sight))
    said = "The server closed the connection."
    store(session, made_up(broken, session, segment_id, {}, status=JudgmentStatus.ERROR, error=said))
    second = mark(session, "Ada", 30, 40, attributes=["norms"])
    shown = judging()
    assert shown.page.bar.ask.text() == "Ask"
    column = shown.columns()["Broken"]
    assert (column.state, column.said) == (JudgmentColumnState.ERROR, said)
    assert said in shown_texts(shown.page.board.column_widgets(column.key)["head"])

    shown.button("Server", "rationale", "").click()
    assert values_of(shown.session.study, segment_id)["rationale"] == "It turned away."
    shown.window.studio.undo()
    assert values_of(shown.session.study, segment_id)["rationale"] == "Gone."

    shown.button("Server", "foot", "Raw…").click()
    (raw,) = shown.window.findChildren(RawView)
    assert raw.field.toPlainText() == "<b>raw</b>"
    raw.accept()
    shown.button("Server", "foot", "Sent…").click()
    (view,) = shown.window.findChildren(SentView)
    sent = view.current_preview()
    assert [message.text for message in sent.messages] == ["Watch.", "<i>What</i> happened?"]
    assert sent.total_bytes == len("Watch.<i>What</i> happened?")
    assert sent.notes == (
        "Shortened: Turns before the segment are left out, the oldest first. (2 turns, 80 characters).",
    )
    view.reject()

    shown.window.studio.select([segment_id, second])
    assert shown.page.bar.ask.text() == "Ask about 2 segments"
    shown.page.bar.more.click()
    shown.window.resize(1280, 800)
    assert shown.window.width() <= 1280
    assert shown.page.width() >= 480
    shown.window.resize(1360, 860)


def texts_of(content: str | list[dict[str, str]]) -> list[str]:
    """Return the texts of a message of the API, which is one text or several parts."""
    return [content] if isinstance(content, str) else [part["text"] for part in content]


def test_the_inspector_shows_every_word_before_it_is_sent(session: Session, judging: Open, server: Server) -> None:
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
    contents = "\n".join(part for message in body["messages"] for part in texts_of(message["content"]))
    assert all(message.text in contents for message in sent.messages)
    (judgment,) = judgments_of(shown.session.study, shown.segment_id)
    assert [judgment.sight["system"], judgment.sight["text"]] == [sent_message.text for sent_message in sent.messages]


def test_a_judge_is_added_tried_and_its_key_goes_nowhere_but_the_keyring(
    judging: Open, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[str, str] = {}
    monkeypatch.setattr("app.gui.judges.judge_entries.store_key", lambda entry, key: kept.update({entry.name: key}))
    shown = judging()
    (add,) = [
        button
        for button in shown.page.findChildren(QPushButton)
        if button.text() == "Add judge…" and button.isVisibleTo(shown.page)
    ]
    assert not shown.page.bar.ask.isEnabled()
    assert shown.page.bar.ask.toolTip() == "Choose a judge first."
    add.click()
    (dialog,) = shown.window.findChildren(EntryDialog)
    dialog.name.setText("Lab")
    dialog.backend.setCurrentIndex(dialog.backend.findData("openai"))
    dialog.model.setText("fake-1")
    address: QLineEdit = dialog.form.inputs["url"]
    address.setText(server.url)
    sees: QComboBox = dialog.form.inputs["sees"]
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
    everything = b"".join(path.read_bytes() for path in shown.session.study.path.parent.glob("*") if path.is_file())
    assert b"sk-very-secret" not in everything
    assert shown.states()["Lab"] is JudgmentColumnState.NOT_ASKED


def test_a_new_judge_with_a_key_in_its_address_is_refused_and_one_without_encryption_is_said(judging: Open) -> None:
    shown = judging()

    def save(name: str, url: str) -> EntryDialog:
        shown.page.add_requested.emit()
        dialog = shown.window.findChildren(EntryDialog)[-1]
        dialog.save_requested.emit(JudgeEntry("x", name, "openai", "m", {"url": url}), "")
        return dialog

    refused = save("Lab", "http://a:b@127.0.0.1:9/v1")
    assert refused.isVisible()
    assert all_judges(shown.session.study) == []
    refused.reject()
    for name, url, unencrypted in (
        ("Here", "http://127.0.0.1:9/v1", False),
        ("Safe", "https://10.0.0.5:9/v1", False),
        ("Open", "http://10.0.0.5:9/v1", True),
    ):
        assert not save(name, url).isVisible()
        assert (f"Words and key would travel unencrypted to {name}" in shown.window.messages.message()) is unencrypted


def test_a_person_answers_what_judges_are_asked_and_sees_nothing_of_what_they_say(
    session: Session, judging: Open
) -> None:
    theirs = mark(session, "Bo", 100, 140, "error")
    add_judge(session, "Left", "random")
    judged(session, theirs, "Left", label="competence", rationale="a secret reason")
    shown = judging()
    shown.window.studio.select([theirs])
    shown.window.menus.actions["answer_yourself"].trigger()
    shown.wait(lambda: bool(shown.window.findChildren(PersonForm)))
    (form,) = shown.window.findChildren(PersonForm)
    shown.wait(form.buttons.go_on.isEnabled)
    assert "secret" not in form.words.toPlainText()
    form.buttons.go_on.click()
    assert form.isVisible(), "an empty answer is not taken"
    form.form.editors["label"].pick("error")
    form.buttons.go_on.click()
    (own,) = [judgment for judgment in judgments_of(shown.session.study, theirs) if judgment.annotator_id]
    assert own.answer["label"] == "error"
    assert own.ms >= 0
    shown.wait(lambda: not form.isVisible())
