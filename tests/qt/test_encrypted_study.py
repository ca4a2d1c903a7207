"""The window encrypts a study and opens it again, asks for passphrases, and offers to recover a damaged study."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from app.gui.files import encryption
from app.gui.files.encryption import PassphraseDialog, PassphrasePrompt
from app.gui.files.recovery_dialog import RecoverDialog, ReportDialog
from project.encryption import passphrases
from project.encryption.encryption_key import is_encrypted
from project.integrity.integrity_check import check_study
from project.store.backups import Backup
from project.store.encryption_change import encrypt_study
from project.store.study import Study
from tests.builders.cheap_key import make_keys_cheap
from tests.qt.conftest import OpenReused, OpenWindow

_WORDS = "correct horse"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "memory").mkdir()
    monkeypatch.setenv("GREENROOM_PRIVATE_FOLDER", str(tmp_path / "memory"))
    make_keys_cheap(monkeypatch)
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


def test_the_menu_seals_the_open_study_and_decrypts_it(
    path: Path, open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(path)
    decrypt = window.menus.actions["decrypt"]
    assert not decrypt.isEnabled()
    assert "not encrypted" in decrypt.toolTip()
    monkeypatch.setattr(encryption, "ask_new", lambda *_: _WORDS)
    encryption.encrypt_study(window.context)
    qtbot.waitUntil(lambda: window.studio.session is not None)
    assert is_encrypted(path)
    assert window.studio.writable
    assert window.messages.message() == "The study is encrypted. Keep the passphrase safe."
    assert decrypt.isEnabled()
    assert window.menus.actions["encrypt"].text().replace("&", "") == "Change the passphrase…"
    assert not window.messages._lock.isHidden()
    monkeypatch.setattr(window.files.questions, "agree", lambda *_: True)
    encryption.decrypt_study(window.context)
    qtbot.waitUntil(lambda: window.studio.session is not None)
    assert window.menus.actions["encrypt"].text().replace("&", "") == "Encrypt study…"
    assert window.messages._lock.isHidden()
    window.close()
    assert not is_encrypted(path)
    assert check_study(path) == []


def test_an_encrypted_study_stays_closed_without_an_answer(path: Path, open_reused: OpenReused, other: Path) -> None:
    encrypt_study(path, _WORDS)
    passphrases._keys.clear()
    window = open_reused(other)
    answers = iter(["wrong", None, _WORDS])
    passphrases.set_asker(lambda *_: next(answers))
    assert not window.open_study(path)
    assert "no passphrase" in window.messages.message()
    assert window.studio.session.study.path == other
    assert window.open_study(path)


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


def test_a_new_passphrase_is_typed_twice_alike(qtbot: QtBot) -> None:
    dialog = PassphraseDialog("Encrypt", "Words", "Encrypt", None, new=True)
    qtbot.addWidget(dialog)
    button = dialog.buttons.go_on
    assert not button.isEnabled()
    dialog.field.setText("one")
    dialog.again.setText("one")
    assert not button.isEnabled()
    assert "needs at least 8" in dialog.buttons.note.text()
    dialog.field.setText("one sentence")
    dialog.again.setText("another sentence")
    assert not button.isEnabled()
    assert "differ" in dialog.buttons.note.text()
    dialog.again.setText("one sentence")
    assert button.isEnabled()
    assert not dialog.buttons.note.text()


def test_a_damaged_study_offers_its_backups(path: Path, open_reused: OpenReused, qtbot: QtBot, other: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096 * 3 : 4096 * 4] = b"\xa5" * 4096
    path.write_bytes(content)
    window = open_reused(other)
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
    path: Path, open_reused: OpenReused, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE extra (a)")
    before = path.read_bytes()
    window = open_reused(path)
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
