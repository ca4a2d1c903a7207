"""Recognition with a model of random weights, whose words are nonsense; and with one that a lab brings itself."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.speech.speech_recognizers import TranscriptionHints, Window
from models.speech.whisper import Whisper
from models.speech.whisper_models import default_model, inspect_folder, list_whisper_models, resolve_model
from models.weights import installed_weights as weights
from models.weights import weights_catalogue as catalogue
from models.weights.adding import add_weights
from models.weights.weights_catalogue import Edition, EditionFile, Weights
from project.errors import UserError
from project.files.fingerprints import file_sha256
from project.timebase import SECOND_US
from tests.builders.tiny_whisper import write_tiny_whisper
from tests.builders.voices import RATE, spoken


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_whisper(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_whisper(tmp_path_factory.mktemp("models") / "tiny-several", ("en", "de", "ja"))


@pytest.fixture(scope="module")
def whisper(folder: Path) -> Whisper:
    return Whisper(folder, "cpu")


def window(start_s: float, seconds: float) -> Window:
    begin, end = round(start_s * RATE), round((start_s + seconds) * RATE)
    return Window(((round(start_s * SECOND_US), round((start_s + seconds) * SECOND_US)),), spoken()[begin:end])


@settings(max_examples=settings.default.max_examples // 5)
@given(lengths=st.lists(st.floats(0.2, 3), min_size=1, max_size=2))
def test_words_are_in_order_and_inside_their_windows(whisper: Whisper, lengths: list[float]) -> None:
    starts = np.cumsum([0, *lengths]).tolist()
    windows = [window(start, length) for start, length in zip(starts, lengths, strict=False)]
    found = whisper.recognize(windows, TranscriptionHints())
    assert found.language == "en"
    for piece in found.words:
        assert 0 <= piece.confidence <= 1
        assert any(low <= piece.start_us <= piece.end_us <= high for each in windows for low, high in each.spans)
    for before, after in pairwise(found.words):
        assert before.end_us <= after.start_us


def test_it_hears_the_same_again_whatever_is_beside_and_otherwise_with_a_vocabulary(whisper: Whisper) -> None:
    alone = whisper.recognize([window(0, 4)], TranscriptionHints())
    beside = whisper.recognize([window(0, 4), window(6, 3)], TranscriptionHints())
    told = whisper.recognize([window(0, 4)], TranscriptionHints(prompt="Greenroom, Reykjavik, mel dot"))
    assert alone == whisper.recognize([window(0, 4)], TranscriptionHints())
    assert [piece.text for piece in beside.words[: len(alone.words)]] == [piece.text for piece in alone.words]
    assert [piece.text for piece in told.words] != [piece.text for piece in alone.words]


def test_a_language_is_found_or_given_and_refused_where_the_model_does_not_know_it(
    whisper: Whisper, folder: Path, several: Path
) -> None:
    many = Whisper(several, "cpu")
    assert set(many.languages) == {"en", "de", "ja"}
    found = many.recognize([window(0, 4)], TranscriptionHints())
    assert found.language in many.languages
    assert 0 < found.certainty <= 1
    given_one = many.recognize([window(0, 4)], TranscriptionHints("ja"))
    assert (given_one.language, given_one.certainty) == ("ja", 1.0)
    with pytest.raises(UserError, match="does not support French"):
        many.recognize([window(0, 4)], TranscriptionHints("fr"))
    with pytest.raises(UserError, match=r"does not support German.*en"):
        whisper.recognize([window(0, 4)], TranscriptionHints("de"))


def test_a_folder_that_lacks_a_file_is_named_with_it_and_damaged_weights_with_their_checksum(tmp_path: Path) -> None:
    broken = write_tiny_whisper(tmp_path / "broken")
    for name in ("model.bin", "vocabulary.json"):
        (broken / name).rename(tmp_path / name)
        with pytest.raises(UserError, match=rf"^“broken” is not the folder .*{name} is missing"):
            Whisper(broken)
        (tmp_path / name).rename(broken / name)
    with pytest.raises(UserError, match="does not exist"):
        Whisper(tmp_path / "gone")
    whole = (broken / "model.bin").read_bytes()
    (broken / "model.bin").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match="damaged") as caught:
        Whisper(broken, "cpu")
    assert file_sha256(broken / "model.bin") in caught.value.message


def test_a_gpu_without_its_libraries_is_passed_over_or_said_where_it_was_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from faster_whisper import WhisperModel

    from models.speech import whisper as module

    assert module._run_problem(Whisper(folder, "cpu")._model) == ""
    assert Whisper(folder, "cpu").parameters["sha256"] == file_sha256(folder / "model.bin")
    devices: list[str] = []

    def on_the_processor(path: str, *, device: str, **more: object) -> object:
        devices.append(device)
        return WhisperModel(path, device="cpu", **{**more, "compute_type": "int8"})

    monkeypatch.setattr("models.speech.whisper.WhisperModel", on_the_processor)
    monkeypatch.setattr("ctranslate2.get_cuda_device_count", lambda: 1)
    monkeypatch.setattr(module, "_run_problem", lambda model: "Library libcublas.so.12 is not found")
    made = Whisper(folder)
    assert devices == ["cuda", "cpu"]
    assert made.parameters["device"] == "cpu"
    with pytest.raises(UserError, match="libcublas"):
        Whisper(folder, "cuda")


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model as large as one of the catalogue, as a finetuned one is."""
    made = write_tiny_whisper(tmp_path / "mine")
    know(monkeypatch, made, "0" * 64)
    return made


def know(monkeypatch: pytest.MonkeyPatch, model: Path, sha256: str) -> None:
    """Put a model of a size into the catalogue, with a checksum."""
    file = model / "model.bin"
    edition = Edition("hub", "other", (EditionFile("model.bin", file.stat().st_size, sha256),), is_folder=True)
    entry = Weights("whisper-other", "tests", "MIT", (edition,), use="speech")
    monkeypatch.setitem(catalogue.WEIGHTS, "whisper-other", entry)


def test_it_is_listed_and_used_once_it_was_added(mine: Path) -> None:
    assert default_model() is None
    assert "whisper" not in [whisper_model.name for whisper_model in list_whisper_models()]
    add_weights("whisper", mine, "MIT, finetuned by us")
    assert default_model() == "whisper"
    name, folder = resolve_model("whisper")
    assert (name, folder) == ("whisper", weights.verified_path("whisper"))
    assert inspect_folder(folder).name == "whisper"


def test_one_that_was_not_added_and_is_as_large_as_a_known_one_is_taken_for_damaged(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match="that of whisper-other is another one") as raised:
        inspect_folder(mine)
    assert file_sha256(mine / "model.bin") in raised.value.message
    assert raised.value.hint.endswith("greenroom model add whisper FOLDER")
    know(monkeypatch, mine, file_sha256(mine / "model.bin"))
    assert inspect_folder(mine).name == "whisper-other"
    know(monkeypatch, mine, "0" * 64)
    add_weights("whisper", mine, "MIT")
    assert inspect_folder(mine).name == "whisper"
