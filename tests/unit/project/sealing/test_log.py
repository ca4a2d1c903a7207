"""The log of a sealed study: damage is told from what was never committed, and no nonce is used twice."""

import errno
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from project.encryption import commit_log as log
from project.encryption import container, passphrases
from project.encryption.commit_log import LogContent, SealedLog, log_path, read_log
from project.encryption.container import EncryptedFileHeader, EncryptionKey, new_key
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.recovery.recovery import recover
from project.recovery.recovery_report import report_lines
from project.store.encryption_change import change_passphrase, seal_study
from project.store.study import Study
from tests.builders.encrypted_study import PASSPHRASE

_KEY = EncryptionKey(bytes(range(32)), {"kdf": "none"})
_PLAIN = EncryptedFileHeader(_KEY.wrapped, b"s" * 32, b"raw")
_HEADER = replace(_PLAIN, state=container._state_block(_PLAIN, _KEY, b""))
_SECTOR = 512
_FIRST = 4 * _SECTOR
PIECES = [bytes([65 + number]) * (700 * number + 1) for number in range(6)]


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """The place of a sealed file, with a log of six records beside it."""
    path = tmp_path / "a.greenroom"
    written = SealedLog(path, _KEY, _HEADER)
    written.reserve_space()
    for piece in PIECES:
        written.append(piece)
    written.close()
    return path


def _files(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir() if file.is_file()}


def _records(content: bytes) -> list[tuple[int, int]]:
    """Return where each record begins and ends."""
    places, at = [], _FIRST
    while content[at : at + 8] == b"grrecord":
        length = int.from_bytes(content[at + 24 : at + 32])
        places.append((at, at + 64 + length))
        at = places[-1][1]
    return places


def _marks_of(whole: bytes, count: int) -> bytes:
    """Return both marks of a log as they are once so many records were counted."""
    made = bytearray(2 * _SECTOR)
    for number in range(max(0, count - 1), count + 1):
        mark = b"grmarker" + number.to_bytes(8)
        place = number % 2 * _SECTOR
        made[place : place + 48] = mark + log._mac(log._mac_key(_KEY, whole[48:80]), mark)
    return bytes(made)


def _read(path: Path, content: bytes) -> LogContent:
    log_path(path).write_bytes(content)
    return read_log(path, _KEY, _HEADER)


def test_what_was_added_comes_back(sealed: Path, tmp_path: Path) -> None:
    found = read_log(sealed, _KEY, _HEADER)
    assert (found.committed, found.records_after_damage, found.damage) == (b"".join(PIECES), (), "")
    assert len(_records(log_path(sealed).read_bytes())) == len(PIECES)
    assert read_log(tmp_path / "none", _KEY, _HEADER) == LogContent()
    assert _files(tmp_path) == {log_path(sealed).name}, "something unfinished was left"


@pytest.mark.parametrize("last", [1, 3, 6])
def test_a_record_that_was_cut_off_while_it_was_written_was_never_committed(sealed: Path, last: int) -> None:
    """As a kill or a power cut leaves it: zeros where nothing was written yet, and the mark of the record before."""
    whole = log_path(sealed).read_bytes()
    places = _records(whole)[:last]
    begin, end = places[-1]
    marks = bytearray(whole[:_FIRST])
    marks[2 * _SECTOR :] = _marks_of(whole, last - 1)
    for left in range(0, end - begin - _SECTOR + 1, _SECTOR):
        torn = (bytes(marks) + whole[_FIRST : begin + left]).ljust(len(whole), b"\0")
        assert _read(sealed, torn) == LogContent(b"".join(PIECES[: last - 1]), (), "", whole[48:80])
        assert _read(sealed, torn[: begin + left]).damage == "", "on a disk where no room can be taken ahead"
    if end - begin > 3 * _SECTOR:
        # Sectors reach a disk in any order.
        holes = bytes(marks) + whole[_FIRST : begin + _SECTOR] + bytes(_SECTOR) + whole[begin + 2 * _SECTOR : end]
        assert _read(sealed, holes).damage == ""
    # It was written whole, and its mark was not: then it counts.
    unmarked = bytes(marks) + whole[_FIRST:end]
    assert _read(sealed, unmarked).committed == b"".join(PIECES[:last])


def _harms() -> list[tuple[str, Callable[[bytes, list[tuple[int, int]]], bytes], int]]:
    """Return what is done to a log, and how many records are intact before the damage."""

    def bit(at: int) -> Callable[[bytes], bytes]:
        return lambda content: content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]

    def piece(content: bytes, place: tuple[int, int]) -> bytes:
        return content[slice(*place)]

    return [
        ("a bit in the first record", lambda c, p: bit(p[0][0] + 100)(c), 0),
        ("a bit in the last record", lambda c, p: bit(p[5][1] - 1)(c), 5),
        ("a bit in the length of a record", lambda c, p: bit(p[2][0] + 28)(c), 2),
        ("a bit in the highest byte of a length", lambda c, p: bit(p[2][0] + 24)(c), 2),
        ("a bit in the length of the last record", lambda c, p: bit(p[5][0] + 30)(c), 5),
        ("a bit in the number of a record", lambda c, p: bit(p[3][0] + 15)(c), 3),
        ("cut off at the end of a record", lambda c, p: c[: p[3][1]], 4),
        ("cut off in a record", lambda c, p: c[: p[3][0] + 700], 3),
        ("cut off before the first record", lambda c, p: c[:_FIRST], 0),
        ("zeros from a record on", lambda c, p: c[: p[4][0]].ljust(len(c), b"\0"), 4),
        ("a record left out", lambda c, p: c[: p[2][0]] + c[p[2][1] :], 2),
        (
            "two records in each other's place",
            lambda c, p: c[: p[1][0]] + piece(c, p[2]) + piece(c, p[1]) + c[p[2][1] :],
            1,
        ),
        ("a record twice", lambda c, p: c[: p[2][1]] + piece(c, p[2]) + c[p[2][1] :], 3),
        ("a record again at the end", lambda c, p: c[: p[5][1]] + piece(c, p[1]), 6),
        ("another record under the words of the first", lambda c, p: c[: p[0][0] + 64] + c[p[1][0] + 64 :], 0),
        ("both heads", lambda c, p: bit(3)(bit(_SECTOR + 3)(c)), 0),
        ("both marks", lambda c, p: bit(2 * _SECTOR)(bit(3 * _SECTOR)(c)), 6),
        ("empty", lambda c, p: b"", 0),
        ("zeros alone", lambda c, p: bytes(len(c)), 0),
    ]


@pytest.mark.parametrize(("what", "harm", "intact"), _harms(), ids=[what for what, _, _ in _harms()])
def test_damage_is_told_and_what_is_intact_before_it_is_read(
    sealed: Path, what: str, harm: Callable[[bytes, list[tuple[int, int]]], bytes], intact: int
) -> None:
    whole = log_path(sealed).read_bytes()
    found = _read(sealed, harm(whole, _records(whole)))
    assert found.damage, what
    assert found.committed == b"".join(PIECES[:intact])


@pytest.mark.parametrize("how", ["changed", "wiped", "the other one", "both wiped", "swapped"])
def test_who_cannot_make_a_mark_cannot_take_the_last_edit_away(sealed: Path, how: str) -> None:
    """Without an earlier state of the log, which holds a mark that was made."""
    whole = log_path(sealed).read_bytes()
    begin, end = _records(whole)[-1]
    changed = bytearray(whole[:begin] + bytes(end - begin) + whole[end:])
    first, second = (bytes(changed[at : at + _SECTOR]) for at in (2 * _SECTOR, 3 * _SECTOR))
    # Six records: the first mark counts them.
    marks = {
        "changed": (os.urandom(_SECTOR), second),
        "wiped": (bytes(_SECTOR), second),
        "the other one": (second, second),
        "both wiped": (bytes(_SECTOR), bytes(_SECTOR)),
        "swapped": (second, first),
    }[how]
    changed[2 * _SECTOR : _FIRST] = b"".join(marks)
    found = _read(sealed, bytes(changed))
    assert found.damage
    assert found.committed == b"".join(PIECES[:-1])


def test_a_first_edit_that_the_file_knows_of_cannot_be_taken_away_nor_hidden_by_an_empty_log(tmp_path: Path) -> None:
    """The file says which log holds edits; who changes that place has not said that there are none."""
    path = tmp_path / "a.greenroom"
    written = SealedLog(path, _KEY, _HEADER)
    begun = log_path(path).read_bytes()
    assert read_log(path, _KEY, _HEADER).damage == ""
    assert read_log(path, _KEY, replace(_HEADER, state=os.urandom(_SECTOR))).damage
    written.append(b"an edit")
    written.close()
    known = replace(_HEADER, state=container._state_block(_PLAIN, _KEY, written.salt))
    assert read_log(path, _KEY, known).damage == ""
    log_path(path).write_bytes(begun)
    assert read_log(path, _KEY, known).damage


def test_what_is_intact_after_the_damage_is_there_to_be_recovered(sealed: Path) -> None:
    whole = bytearray(log_path(sealed).read_bytes())
    whole[_records(bytes(whole))[2][0] + 27] ^= 1
    assert _read(sealed, bytes(whole)).records_after_damage == tuple(PIECES[3:])


@pytest.mark.parametrize("at", [0, 20, 60, 90, _SECTOR + 5, 2 * _SECTOR, 2 * _SECTOR + 15, 3 * _SECTOR + 20, 200])
def test_a_bit_in_one_head_or_mark_costs_nothing(sealed: Path, at: int) -> None:
    whole = bytearray(log_path(sealed).read_bytes())
    whole[at] ^= 4
    found = _read(sealed, bytes(whole))
    assert (found.committed, found.damage) == (b"".join(PIECES), "")


def test_a_log_of_another_key_or_state_is_no_news_and_no_silence(sealed: Path) -> None:
    other = EncryptionKey(bytes(range(1, 33)), {"kdf": "none"})
    assert "another study" in read_log(sealed, other, _HEADER).damage
    later = EncryptedFileHeader(_KEY.wrapped, b"t" * 32, b"later")
    assert "another state" in read_log(sealed, _KEY, later).damage
    salt = log_path(sealed).read_bytes()[48:80]
    after = EncryptedFileHeader(_KEY.wrapped, b"t" * 32, b"later", salt)
    for state, told in ((b"", ""), (b"n" * 32, "is not the log that the study names"), (None, "nothing says")):
        header = after if state is None else replace(after, state=container._state_block(after, _KEY, state))
        found = read_log(sealed, _KEY, header)
        assert (found.committed, found.salt) == (b"", salt)
        assert told in found.damage
        assert bool(told) == bool(found.damage)
    named = replace(_HEADER, state=container._state_block(_HEADER, _KEY, b"n" * 32))
    assert "is not the log that the study names" in read_log(sealed, _KEY, named).damage
    assert read_log(sealed, _KEY, replace(_HEADER, state=container._state_block(_HEADER, _KEY, salt))).damage == ""


def test_no_nonce_is_used_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[tuple[bytes, int]] = []
    encrypt = container.Cipher.encrypt

    def watched(self: container.Cipher, number: int, content: bytes, *, last: bool = False) -> bytes:
        # A key is told by what it makes of nothing.
        used.append((encrypt(self, 1 << 80, b""), number))
        return encrypt(self, number, content, last=last)

    monkeypatch.setattr(container.Cipher, "encrypt", watched)
    path = tmp_path / "a.greenroom"
    for _session in range(3):
        written = SealedLog(path, _KEY, _HEADER)
        written.append(b"first")
        with monkeypatch.context() as failing:
            failing.setattr(os, "fsync", _raise_io_error)
            for _try in range(2):
                with pytest.raises(OSError, match="I/O"):
                    written.append(b"second")
        written.append(b"second, and third")
        written.close()
        assert read_log(path, _KEY, _HEADER).committed == b"firstsecond, and third"
    assert len(used) == len(set(used)) == 12


def test_a_log_is_there_whole_or_not_at_all(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = log_path(sealed).read_bytes()
    monkeypatch.setattr(os, "fsync", _raise_io_error)
    with pytest.raises(OSError, match="I/O"):
        SealedLog(sealed, _KEY, _HEADER)
    assert log_path(sealed).read_bytes() == before
    assert _files(sealed.parent) == {log_path(sealed).name}


def _raise_io_error(_: int) -> None:
    raise OSError(errno.EIO, "I/O error")


class _LogOfVersion1:
    """What wrote logs before they had marks."""

    def __init__(self, path: Path, key: EncryptionKey, header: EncryptedFileHeader) -> None:
        salt = b"1" * 16
        self._cipher = container.Cipher(key, header, b"log" + salt)
        self.content = b"greenroom-sealog" + log._header_digest(header) + salt
        self._count = 0
        self._path = log_path(path)

    def append(self, content: bytes) -> None:
        record = self._cipher.encrypt(self._count, content)
        self._count += 1
        self.content += len(record).to_bytes(4) + record

    def put(self) -> None:
        self._path.write_bytes(self.content + bytes(1000))


def test_logs_of_version_1_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.greenroom"
    header = EncryptedFileHeader(_KEY.wrapped, b"s" * 32, b"raw", version=1)
    old = _LogOfVersion1(path, _KEY, header)
    for piece in PIECES[3:]:
        old.append(piece)
    old.put()
    assert read_log(path, _KEY, header) == LogContent(b"".join(PIECES[3:]), (), "", b"1" * 16)
    whole = old.content
    for cut in (20, 500, len(PIECES[5])):
        log_path(path).write_bytes(whole[:-cut] + bytes(1000))
        found = read_log(path, _KEY, header)
        assert (found.committed, found.damage) == (b"".join(PIECES[3:5]), ""), "what was cut off was never committed"
    second = 64 + 4 + len(PIECES[3]) + 16
    last = second + 4 + len(PIECES[4]) + 16
    for at in (3, 20, 64, 67, 100, second, second + 3, second + 90, last, last + 2, last + 9, len(whole) - 20):
        changed = bytearray(whole + bytes(1000))
        changed[at] ^= 1
        log_path(path).write_bytes(changed)
        assert read_log(path, _KEY, header).damage, at
    changed = bytearray(whole + bytes(1000))
    changed[second + 90] ^= 1
    log_path(path).write_bytes(changed)
    found = read_log(path, _KEY, header)
    assert (found.committed, found.records_after_damage) == (PIECES[3], (PIECES[5],)), (
        "what is intact after the damage is kept"
    )
    log_path(path).write_bytes(whole)
    later = EncryptedFileHeader(_KEY.wrapped, b"s" * 32, b"later", version=1)
    assert read_log(path, _KEY, later) == LogContent(salt=b"1" * 16), "nothing told it from one that is in the file"


# From here on whole studies.


@pytest.fixture
def study(path: Path) -> Path:
    seal_study(path, PASSPHRASE)
    return path


def _kill_after(study: Path, edits: int) -> tuple[bytes, bytes]:
    """Return file and log as a process leaves them that is killed after some edits."""
    opened = Study.open(study)
    for number in range(edits):
        with opened.step("Edit"):
            opened.set_property(f"edit {number}", number)
    left = study.read_bytes(), log_path(study).read_bytes()
    opened.close()
    return left


def _put(study: Path, content: bytes, edits: bytes) -> None:
    study.write_bytes(content)
    log_path(study).write_bytes(edits)


def _edits(opened: Study) -> list[int]:
    return [number for number in range(20) if opened.get_property(f"edit {number}") == number]


def test_a_study_with_a_damaged_log_is_read_said_and_kept_and_recovered(study: Path) -> None:
    content, edits = _kill_after(study, 8)
    harmed = bytearray(edits)
    harmed[_records(edits)[3][0] + 200] ^= 1
    _put(study, content, bytes(harmed))
    with Study.open(study, backups=3) as opened:
        assert opened.read_only
        assert "of 8 saved edits in it, number 4 was changed" in opened.read_only_reason
        assert _edits(opened) == [0, 1, 2]
        with pytest.raises(UserError, match="reading only"), opened.step("Edit"):
            pass
    assert any("log of edits" in line for line in check_study(study))
    with pytest.raises(UserError, match="reading only"):
        change_passphrase(study, "another sentence")
    assert (study.read_bytes(), log_path(study).read_bytes()) == (content, bytes(harmed))
    assert _files(study.parent) == {study.name, log_path(study).name}
    done = recover(study, study.with_name("saved"))
    assert "number 4 was changed" in done.log_damage
    assert done.has_losses
    assert "Nothing is known to be lost." not in report_lines(done)
    assert any("number 4 was changed" in line for line in report_lines(done))
    saved = done.path
    assert check_study(saved) == []
    with Study.open(saved) as recovered:
        assert {0, 1, 2, 7} <= {*_edits(recovered)}
        assert not recovered.read_only


def test_a_log_that_was_put_back_from_another_time_is_told(study: Path) -> None:
    first, first_log = _kill_after(study, 3)
    _put(study, first, first_log)
    second, second_log = _kill_after(study, 5)
    assert second != first
    # Both from one backup: that is how the study was then.
    _put(study, first, first_log)
    with Study.open(study, read_only=True) as opened:
        assert (_edits(opened), opened.defect) == ([0, 1, 2], None)
    for content, edits in ((first, second_log), (second, first_log)):
        _put(study, content, edits)
        with Study.open(study) as opened:
            defect = "another state" if edits == second_log else "is not the log that the study names"
            assert defect in str(opened.defect)
        assert (study.read_bytes(), log_path(study).read_bytes()) == (content, edits)


def test_a_log_that_is_missing_is_missed(study: Path) -> None:
    content, edits = _kill_after(study, 3)
    _put(study, content, edits)
    log_path(study).unlink()
    with Study.open(study, backups=3) as opened:
        assert "is missing" in str(opened.defect)
        assert _edits(opened) == []
    assert any("is missing" in line for line in check_study(study))
    assert study.read_bytes() == content
    # A backup that is made after a kill needs no log.
    os.utime(study, (0, 0))
    log_path(study).write_bytes(edits)
    Study.open(study, backups=3).close()
    (backup,) = study.parent.glob("*.bak-1")
    with Study.open(backup, read_only=True) as opened:
        assert (_edits(opened), opened.defect) == ([0, 1, 2], None)
    # So does a study that was closed, or in which nothing was edited.
    content, _ = _kill_after(study, 0)
    study.write_bytes(content)
    log_path(study).unlink(missing_ok=True)
    with Study.open(study, read_only=True) as opened:
        assert (_edits(opened), opened.defect) == ([0, 1, 2], None)


def test_a_kill_between_sealing_and_the_next_log_loses_nothing(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("project.store.decrypted_copy._MAX_LOG_BYTES", 0)
    opened = Study.open(study)
    with monkeypatch.context() as failing:
        failing.setattr("project.store.decrypted_copy.SealedLog", lambda *_: _raise_io_error(0))
        with pytest.raises(UserError, match="could not be saved"), opened.step("Edit"):
            opened.set_property("edit 0", 0)
    left = study.read_bytes(), log_path(study).read_bytes()
    with opened.step("Edit"):
        opened.set_property("edit 1", 1)
    later = study.read_bytes(), log_path(study).read_bytes()
    opened.close()
    for state, edits in ((left, [0]), (later, [0, 1])):
        _put(study, *state)
        with Study.open(study) as again:
            assert (_edits(again), again.defect) == (edits, None)


def test_what_a_session_that_was_killed_left_is_taken_up_and_absorbed(study: Path) -> None:
    content, edits = _kill_after(study, 4)
    _put(study, content, edits)
    Study.open(study).close()
    after = study.read_bytes()
    assert not log_path(study).exists()
    # Killed between sealing and removing the log.
    log_path(study).write_bytes(edits)
    with Study.open(study) as opened:
        assert (_edits(opened), opened.defect) == ([0, 1, 2, 3], None)
    assert study.read_bytes() == after, "a log of an earlier state was taken for news"


def test_a_study_of_version_1_opens_with_its_log_and_becomes_one_of_version_2(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, edits = _kill_after(study, 3)
    _put(study, content, edits)
    header = passphrases.read_file_header(study)
    key = passphrases.obtain_key(study, header)
    committed = read_log(study, key, header).committed
    with study.open("rb") as file:
        clear = b"".join(container.unseal(file, key, container.read_header(file, "a"), "a"))
    dumps = json.dumps

    def as_version_1(head: dict[str, object]) -> str:
        return dumps({name: 1 if name == "version" else value for name, value in head.items() if name != "log"})

    with monkeypatch.context() as old, study.open("wb") as made:
        old.setattr(json, "dumps", as_version_1)
        old.setattr(container, "CHUNK_BYTES", 1 << 20)
        old.setattr(container, "_state_block", lambda *_: b"")
        container.seal(iter([clear]), made, key)
    written = _LogOfVersion1(study, key, passphrases.read_file_header(study))
    written.append(committed)
    written.put()
    assert passphrases.read_file_header(study).version == 1
    with Study.open(study, read_only=True) as opened:
        assert (_edits(opened), opened.defect) == ([0, 1, 2], None)
    opened = Study.open(study)
    now = passphrases.read_file_header(study)
    assert now.version == 2, "beside a file of version 1 an older program would pass over the log"
    assert now.absorbed_log_salt == b"1" * 16
    opened.close()
    # Killed in between, the file is of version 2 and the log beside it of version 1.
    written.put()
    with Study.open(study) as opened:
        assert (_edits(opened), opened.defect) == ([0, 1, 2], None)


def test_a_disk_error_while_an_edit_is_saved_loses_nothing_when_it_is_closed(
    study: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    opened = Study.open(study)
    with monkeypatch.context() as failing:
        failing.setattr("project.encryption.commit_log.os.fsync", _raise_io_error)
        with pytest.raises(UserError, match="could not be saved"), opened.step("Edit"):
            opened.set_property("edit 0", 0)
    with monkeypatch.context() as full:
        full.setattr("project.store.decrypted_copy.seal_bytes", lambda *_: _raise_io_error(0))
        opened.close()
    assert "its log has every edit" in caplog.text
    caplog.clear()
    with Study.open(study) as again:
        assert _edits(again) == [0]


def test_a_log_without_its_study_sealed_keeps_a_passphrase_from_being_changed(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _put(study, *_kill_after(study, 2))
    before = study.read_bytes(), log_path(study).read_bytes()
    monkeypatch.setattr("project.store.decrypted_copy.seal_bytes", lambda *_: _raise_io_error(0))
    with pytest.raises(UserError, match="could not be saved"):
        change_passphrase(study, "another sentence")
    assert (study.read_bytes(), log_path(study).read_bytes()) == before


def test_a_key_is_cheap_enough_for_tests_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert new_key("a long passphrase").wrapped["memory_kib"] == 65536
