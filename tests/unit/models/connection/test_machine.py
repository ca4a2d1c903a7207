"""Where no study is open: models may be fetched, nothing else leaves, and every request is on disk first."""

import json
import os
import threading
from pathlib import Path

import pytest

from models.connection.guard import Guard
from models.connection.machine_policy import MachineAuthority, journal_file, read_journal
from project.entities.egress_policy import EgressRequest, Forbidden, Purpose
from tests.builders.wire import Wire, send

DOWNLOAD = EgressRequest(Purpose.DOWNLOAD, "hub.example", 443, ("203.0.113.5",), False, scheme="https")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


def test_a_download_is_let_through_and_read_back_also_beside_a_torn_line() -> None:
    assert read_journal() == []
    MachineAuthority().permit(DOWNLOAD)
    (line,) = read_journal()
    assert (line.request, line.permission, line.rule) == (DOWNLOAD, "downloads allowed", "")
    assert line.at.endswith("Z")
    assert journal_file().stat().st_mode & 0o077 == 0
    with journal_file().open("a") as file:
        file.write('{"id": "half a li\n')
    MachineAuthority().permit(DOWNLOAD)
    assert len(read_journal()) == 2


@pytest.mark.parametrize("purpose", [Purpose.JUDGE, Purpose.CLUSTER])
def test_nothing_else_leaves_and_that_is_written_down_too(purpose: Purpose) -> None:
    elsewhere = EgressRequest(purpose, "api.example", 443, (), False, condition="raw", scheme="https")
    with pytest.raises(Forbidden) as raised:
        MachineAuthority().permit(elsewhere)
    assert raised.value.rule == "nothing-leaves"
    assert [line.rule for line in read_journal()] == ["nothing-leaves"]
    MachineAuthority().permit(EgressRequest(purpose, "127.0.0.1", 80, ("127.0.0.1",), True))
    assert [line.permission for line in read_journal()] == ["", "local"]


def test_a_line_is_on_disk_before_the_request_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    happened: list[str] = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (happened.append("on disk"), fsync(handle))[1])
    wire = Wire()
    connect = wire.connect
    wire.connect = lambda *to: (happened.append("connected"), connect(*to))[1]
    send(Guard(MachineAuthority(), network=wire.network()), "http://127.0.0.1/")
    assert happened[0] == "on disk"
    assert happened[-1] == "connected"


def test_without_a_journal_nothing_is_fetched(data: Path) -> None:
    (data / "greenroom").write_text("")
    wire = Wire({"hub.example": ["203.0.113.5"]})
    with pytest.raises(Forbidden) as raised:
        send(Guard(MachineAuthority(), network=wire.network()), "https://hub.example/")
    assert raised.value.rule == "recorded"
    assert (wire.looked_up, wire.connected) == ([], [])


def test_processes_and_threads_write_whole_lines() -> None:
    def write() -> None:
        for _ in range(20):
            MachineAuthority().permit(DOWNLOAD)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = journal_file().read_text().splitlines()
    assert len(lines) == 80
    assert all(json.loads(line)["request"]["host"] == "hub.example" for line in lines)
