"""The window seals a study and opens it again, asks for passphrases, and offers to recover a damaged study."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from app.gui.files import encryption
from app.gui.files.encryption import PassphraseDialog, PassphrasePrompt
from app.gui.files.recovery_dialog import RecoverDialog, ReportDialog
from project.encryption import container, passphrases
from project.encryption.container import is_sealed
from project.entities.study_records import Changes
from project.integrity.integrity_check import check_study
from project.session.session import Session
from project.store.backups import Backup
from project.store.decrypted_copy import DecryptedCopy
from project.store.encryption_change import seal_study
from project.store.study import Study
from tests.builders.cheap_key import cheap
from tests.builders.waiting import HANG_S
from tests.qt.conftest import OpenWindow

_WORDS = "correct horse"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "memory").mkdir()
    monkeypatch.setenv("GREENROOM_SEALED_FOLDER", str(tmp_path / "memory"))
    monkeypatch.setattr(container, "_new_kdf_parameters", cheap)
    passphrases._keys.clear()
    yield
    passphrases._keys.clear()
    passphrases.set_asker(None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.greenroom"
    with Study.create(path) as study, study.step("x"):
        study.set_property("x", 1)
    return path


@pytest.fixture
def other(tmp_path: Path) -> Path:
    Study.create(tmp_path / "other.greenroom").close()
    return tmp_path / "other.greenroom"


def test_the_menu_seals_the_open_study_and_unseals_it(
    path: Path, open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(path)
    unseal = window.menus.actions["unseal"]
    assert not unseal.isEnabled()
    assert "not sealed" in unseal.toolTip()
    monkeypatch.setattr(encryption, "ask_new", lambda *_: _WORDS)
    encryption.encrypt_study(window.context)
    qtbot.waitUntil(lambda: window.studio.session is not None)
    assert is_sealed(path)
    assert window.studio.writable
    assert window.messages.message() == "The study is sealed. Keep the passphrase safe."
    assert unseal.isEnabled()
    assert window.menus.actions["seal"].text().replace("&", "") == "Change the passphrase…"
    assert not window.messages._lock.isHidden()
    monkeypatch.setattr(window.files.questions, "agree", lambda *_: True)
    encryption.decrypt_study(window.context)
    qtbot.waitUntil(lambda: window.studio.session is not None)
    assert window.menus.actions["seal"].text().replace("&", "") == "Seal study…"
    assert window.messages._lock.isHidden()
    window.close()
    assert not is_sealed(path)
    assert check_study(path) == []


def test_a_sealed_study_stays_closed_without_an_answer(path: Path, open_window: OpenWindow, other: Path) -> None:
    seal_study(path, _WORDS)
    passphrases._keys.clear()
    window = open_window(other)
    answers = iter(["wrong", None, _WORDS])
    passphrases.set_asker(lambda *_: next(answers))
    assert not window.open_study(path)
    assert "no passphrase" in window.messages.message()
    assert window.studio.session.study.path == other
    assert window.open_study(path)


def test_the_window_goes_on_while_a_sealed_study_is_opened_and_sealed(
    path: Path, open_window: OpenWindow, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal_study(path, _WORDS)
    window = open_window(other)
    came_round = threading.Event()
    said: list[str] = []

    def awaited(act: Callable[..., object]) -> Callable[..., object]:
        def wait(*args: object, **named: object) -> object:
            # Set by the window's event loop alone: where that stands still, nobody ends the waiting.
            came_round.clear()
            assert came_round.wait(HANG_S)
            return act(*args, **named)

        return wait

    def look() -> None:
        shown = QApplication.activeModalWidget()
        if shown is not None:
            said.append(shown.windowTitle())
            QTest.keyClick(shown, Qt.Key.Key_Escape)
            came_round.set()

    beat = QTimer(interval=5)
    beat.timeout.connect(look)
    beat.start()
    with monkeypatch.context() as patched:
        patched.setattr(DecryptedCopy, "__init__", awaited(DecryptedCopy.__init__))
        patched.setattr(DecryptedCopy, "close", awaited(DecryptedCopy.close))
        assert window.open_study(path)
        window.studio.edit(lambda session: _set(session, 2))
        window.close_study()
    assert [*dict.fromkeys(said)] == ["Opening a.greenroom…", "Sealing a.greenroom…"]
    assert QApplication.activeModalWidget() is None
    with Study.open(path) as study:
        assert study.get_property("x") == 2


@pytest.mark.parametrize("how", ["close twice", "quit"])
def test_the_window_is_not_gone_before_the_study_is_sealed(
    path: Path, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, how: str, qtbot: QtBot
) -> None:
    seal_study(path, _WORDS)
    window = open_window(path)
    window.studio.edit(lambda session: _set(session, 3))
    seals, visible = DecryptedCopy.close, []
    go_on = threading.Event()

    def close(working: DecryptedCopy, connection: sqlite3.Connection) -> None:
        assert go_on.wait(HANG_S)
        visible.append(window.isVisible())
        seals(working, connection)

    def meanwhile() -> None:
        if how == "close twice":
            window.close()
        elif how == "quit":
            QCoreApplication.exit()
        go_on.set()

    monkeypatch.setattr(DecryptedCopy, "close", close)
    QTimer.singleShot(20, meanwhile)
    window.close()
    if how == "quit":
        # Qt remembers it until its main loop ran.
        QTimer.singleShot(0, QCoreApplication.quit)
        QCoreApplication.exec()
    assert visible == [True]
    assert not window.isVisible()
    assert not path.with_name("a.greenroom.sealed-log").exists()
    with Study.open(path) as study:
        assert study.get_property("x") == 3


def test_a_window_that_is_closed_while_a_study_is_opened_closes_that_too(
    path: Path, open_window: OpenWindow, other: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    seal_study(path, _WORDS)
    window = open_window(other)
    begins, go_on = DecryptedCopy.__init__, threading.Event()

    def begin(working: DecryptedCopy, *given: Any) -> None:
        assert go_on.wait(HANG_S)
        begins(working, *given)

    def meanwhile() -> None:
        window.close()
        assert window.isVisible()
        assert not window.files.open_study(path)
        go_on.set()

    monkeypatch.setattr(DecryptedCopy, "__init__", begin)
    QTimer.singleShot(20, meanwhile)
    assert window.open_study(path)
    qtbot.waitUntil(lambda: not window.isVisible())
    assert window.studio.session is None
    with Study.open(path) as study:
        assert not study.read_only


def test_a_thread_asks_for_a_passphrase_in_the_window(qtbot: QtBot, path: Path) -> None:
    parent = QObject()
    asking, answers = PassphrasePrompt(parent), list[str | None]()

    def answer() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, PassphraseDialog):
            dialog.field.setText("typed")
            dialog.accept()

    beat = QTimer(interval=5)
    beat.timeout.connect(answer)
    beat.start()
    thread = threading.Thread(target=lambda: answers.append(asking.ask(path, "")))
    thread.start()
    qtbot.waitUntil(lambda: bool(answers))
    thread.join()
    assert answers == ["typed"]


def _set(session: Session, value: int) -> Changes:
    with session.step("Set") as step:
        session.study.set_property("x", value)
    return step.changes


def test_a_new_passphrase_is_typed_twice_alike(qtbot: QtBot) -> None:
    dialog = PassphraseDialog("Seal", "Words", "Seal", None, new=True)
    qtbot.addWidget(dialog)
    button = dialog.buttons.go_on
    assert not button.isEnabled()
    dialog.field.setText("one")
    dialog.again.setText("one")
    assert not button.isEnabled()
    assert "too short" in dialog.buttons.note.text()
    dialog.field.setText("one sentence")
    dialog.again.setText("another sentence")
    assert not button.isEnabled()
    assert "differ" in dialog.buttons.note.text()
    dialog.again.setText("one sentence")
    assert button.isEnabled()
    assert not dialog.buttons.note.text()


def test_a_damaged_study_offers_its_backups(path: Path, open_window: OpenWindow, qtbot: QtBot, other: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096 * 3 : 4096 * 4] = b"\xa5" * 4096
    path.write_bytes(content)
    window = open_window(other)
    with qtbot.waitSignal(window.studio.failed):
        window.open_study(path)
    assert "damaged" in window.messages.message()
    assert [button.text() for button in window.messages._buttons] == ["Recover…"]
    assert window.studio.refused == path
    backups = [Backup(path.with_name("a.greenroom.bak-2"), 2, datetime(2026, 1, 2, 3, 4, tzinfo=UTC), 5_000_000)]
    dialog = RecoverDialog(path, backups, window)
    qtbot.addWidget(dialog)
    assert dialog.selected_backup() == 0
    dialog.list.setCurrentRow(1)
    assert dialog.selected_backup() == 2
    assert "2026-01-0" in dialog.list.item(1).text()
    report = ReportDialog(["Saved 3 rows"], window)
    qtbot.addWidget(report)
    assert "3 rows" in report.text.toPlainText()


def test_a_study_with_tables_of_others_is_shown_says_so_and_offers_to_recover_it(
    path: Path, open_window: OpenWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE extra (a)")
    before = path.read_bytes()
    window = open_window(path)
    assert not window.studio.writable
    assert window.messages.message() == "This study is read-only."
    assert "the table “extra”" in window.messages.hint()
    assert [button.text() for button in window.messages._buttons] == ["Recover…"]
    monkeypatch.setattr(RecoverDialog, "exec", lambda _: QDialog.DialogCode.Accepted)
    monkeypatch.setattr(ReportDialog, "exec", lambda _: QDialog.DialogCode.Accepted)
    window.files.questions.save = lambda *_: tmp_path / "saved.greenroom"
    window.menus.actions["recover"].trigger()
    qtbot.waitUntil(lambda: window.studio.writable)
    assert window.studio.session.study.path == tmp_path / "saved.greenroom"
    assert path.read_bytes() == before
