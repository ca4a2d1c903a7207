"""Weights: installed whole and right or not at all, fetched when asked, gone on with after a cut."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.weights import adding
from models.weights import installed_weights as installing
from models.weights import installed_weights as weights
from models.weights import weight_folders as folders
from models.weights import weights_catalogue as catalogue
from models.weights.editions import USES, Edition, Https, Weights, single_file_edition
from models.weights.fetching import fetch
from models.weights.weight_folders import file_digest
from models.weights.weights_catalogue import WEIGHTS
from project.errors import Cancelled, UserError
from project.progress import Progress
from tests.builders.face_pictures import StopAfter
from tests.builders.weights_server import Sender, serving

CONTENT = bytes(range(256)) * 1000


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "models"
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(made))
    return made


@pytest.fixture
def sender(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sender]:
    with serving(CONTENT) as running:
        _catalogue(monkeypatch, running.url)
        yield running


def _catalogue(monkeypatch: pytest.MonkeyPatch, url: str = "https://weights.invalid/toy") -> Edition:
    digest = hashlib.sha256(CONTENT).hexdigest()
    toy = Weights("toy", "tests", "CC0-1.0", single_file_edition("toy.onnx", Https(url), len(CONTENT), digest))
    monkeypatch.setitem(catalogue.WEIGHTS, "toy", toy)
    return toy.editions[0]


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


@pytest.mark.parametrize("name", WEIGHTS)
def test_an_entry_of_the_catalogue_is_complete(name: str) -> None:
    each = WEIGHTS[name]
    assert each.name == name
    assert each.purpose
    assert each.licence
    assert each.use in USES
    assert each.used_in
    assert each.editions or each.networks or each.layout or each.tensors
    for edition in each.editions:
        for file in (edition, *edition.parts):
            assert len(bytes.fromhex(file.sha256)) == 32
            assert file.size > 0
        assert edition.file
        assert edition.parts
        if edition.is_folder:
            assert edition.size == sum(part.size for part in edition.parts)
            assert edition.sha256 == folders.list_digest(edition.sha256s)
        else:
            assert edition.build or edition.sha256 == edition.parts[0].sha256
        for part in edition.parts:
            assert not isinstance(part.source, Https) or part.source.url.startswith("https://")


def test_no_two_files_of_the_catalogue_have_one_name_unless_they_are_the_same() -> None:
    files = {(edition.file, edition.sha256) for each in WEIGHTS.values() for edition in each.editions}
    files |= {(each.own_name, each.name) for each in WEIGHTS.values() if each.is_own}
    assert len(files) == len({file for file, _ in files})


@pytest.mark.parametrize("name", ["yunet", "rfb320", "face-landmarks", "pfld", "mobilefacenet"])
def test_the_developers_file_is_the_one_of_the_catalogue(name: str, shared_models: Path) -> None:
    edition = WEIGHTS[name].editions[0]
    assert installing.matches(edition, shared_models / edition.file)


def test_what_is_missing_says_how_to_get_it(folder: Path) -> None:
    assert not weights.is_installed("yunet")
    with pytest.raises(UserError, match="not installed") as raised:
        weights.verified_path("yunet")
    assert raised.value.hint.endswith("greenroom models fetch yunet")
    assert not folder.exists()


def test_an_unknown_name_says_what_there_is() -> None:
    with pytest.raises(UserError, match="nonesuch") as raised:
        weights.verified_path("nonesuch")
    assert "yunet" in raised.value.hint


def test_without_the_variable_they_lie_in_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(weights.FOLDER_VARIABLE)
    assert weights.weights_folder() == Path(os.environ["XDG_DATA_HOME"]) / "greenroom" / "models"


@pytest.mark.parametrize("from_folder", [False, True])
def test_a_file_or_its_folder_is_added(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, from_folder: bool
) -> None:
    toy = _catalogue(monkeypatch)
    source = tmp_path / "stick"
    source.mkdir()
    (source / toy.file).write_bytes(CONTENT)
    made = adding.add_weights("toy", source if from_folder else source / toy.file)
    assert weights.verified_path("toy") == made
    assert made.read_bytes() == CONTENT
    assert files(folder) == [toy.file]


def test_another_file_is_not_installed(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy = _catalogue(monkeypatch)
    wrong = tmp_path / toy.file
    for content in (b"", CONTENT[:-1], CONTENT + b"x", bytes(len(CONTENT))):
        wrong.write_bytes(content)
        with pytest.raises(UserError, match="checksum is wrong"):
            adding.add_weights("toy", wrong)
        assert files(folder) == []
        assert wrong.read_bytes() == content


def test_a_good_file_stays_when_a_wrong_one_is_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _catalogue(monkeypatch)
    source = tmp_path / "toy.onnx"
    source.write_bytes(CONTENT)
    adding.add_weights("toy", source)
    source.write_bytes(b"something else")
    with pytest.raises(UserError):
        adding.add_weights("toy", source)
    assert weights.verified_path("toy").read_bytes() == CONTENT


def test_a_file_that_is_not_there_is_said_plainly(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(UserError, match="does not hold") as raised:
        adding.add_weights("yunet", tmp_path)
    assert "yunet_n_dynamic.onnx" in raised.value.hint
    with pytest.raises(UserError, match="There is no file"):
        adding.add_weights("yunet", tmp_path / "gone.onnx")
    assert files(folder) == []


def test_a_file_that_changed_after_it_was_verified_is_seen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy = _catalogue(monkeypatch)
    folder.mkdir()
    (folder / toy.file).write_bytes(CONTENT)
    assert weights.verified_path("toy") == folder / toy.file
    (folder / toy.file).write_bytes(CONTENT[:-1] + b"?")
    os.utime(folder / toy.file, ns=(1, 1))
    with pytest.raises(UserError, match="damaged"):
        weights.verified_path("toy")


def test_a_verified_file_is_not_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy = _catalogue(monkeypatch)
    folder.mkdir()
    (folder / toy.file).write_bytes(CONTENT)
    read: list[Path] = []

    def counted(file: Path, progress: Progress) -> str:
        read.append(file)
        return file_digest(file, progress)

    monkeypatch.setattr(folders, "file_digest", counted)
    for _ in range(3):
        weights.verified_path("toy")
    assert len(read) == 1


def test_fetching_installs(sender: Sender, folder: Path) -> None:
    told: list[tuple[int, int]] = []

    class Told(StopAfter):
        def progress(self, done: int, total: int, text: str = "") -> None:
            told.append((done, total))

    assert fetch("toy", Told(1_000_000)).read_bytes() == CONTENT
    assert files(folder) == ["toy.onnx"]
    assert told[0] == (0, len(CONTENT))
    assert told[-1] == (len(CONTENT), len(CONTENT))


@pytest.mark.parametrize("takes_ranges", [True, False])
def test_a_cut_connection_leaves_a_part_that_the_next_try_goes_on_from(
    sender: Sender, folder: Path, takes_ranges: bool
) -> None:
    sender.cut_at, sender.takes_ranges = 100_000, takes_ranges
    with pytest.raises(UserError, match="could not be fetched"):
        fetch("toy")
    assert files(folder) == ["toy.onnx.part"]
    assert not weights.is_installed("toy")
    sender.cut_at = None
    assert fetch("toy").read_bytes() == CONTENT
    assert sender.asked == ["", f"bytes={100_000}-"]
    assert files(folder) == ["toy.onnx"]


def test_a_cancelled_try_is_gone_on_from(sender: Sender, folder: Path) -> None:
    with pytest.raises(Cancelled):
        fetch("toy", StopAfter(2))
    assert files(folder) == ["toy.onnx.part"]
    assert fetch("toy").read_bytes() == CONTENT
    assert len(sender.asked) == 2
    assert sender.asked[1] != ""


def test_a_wrong_checksum_installs_nothing_and_starts_anew(sender: Sender, folder: Path) -> None:
    sender.content = bytes(len(CONTENT))
    with pytest.raises(UserError, match="checksum is wrong"):
        fetch("toy")
    assert files(folder) == []
    sender.content = CONTENT
    assert fetch("toy").read_bytes() == CONTENT


def test_a_source_that_sends_more_is_not_read_to_its_end(sender: Sender) -> None:
    sender.content = CONTENT + b"more"
    assert fetch("toy").read_bytes() == CONTENT


@pytest.mark.parametrize("status", [403, 404, 500])
def test_an_answer_of_refusal_is_said_plainly(sender: Sender, status: int) -> None:
    sender.status = status
    with pytest.raises(UserError, match=str(status)) as raised:
        fetch("toy")
    assert "greenroom models add toy" in raised.value.hint


def test_a_part_that_the_source_has_no_rest_for_is_dropped(sender: Sender, folder: Path) -> None:
    folder.mkdir()
    (folder / "toy.onnx.part").write_bytes(b"x" * 10)
    sender.status = 416
    with pytest.raises(UserError):
        fetch("toy")
    assert files(folder) == []


def test_no_network_is_said_plainly(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    _catalogue(monkeypatch, "http://127.0.0.1:9/toy")
    with pytest.raises(UserError, match="could not be fetched"):
        fetch("toy")


def test_removing_takes_the_part_too(sender: Sender, folder: Path) -> None:
    assert not weights.remove("toy")
    fetch("toy")
    (folder / "toy.onnx.part").write_bytes(b"x")
    assert weights.remove("toy")
    assert files(folder) == []
