"""`kill -9` while speech is written down: the study holds all of it or none, and the next try writes the same."""

import os
import shutil
from pathlib import Path

import pytest

from tests.builders.tiny_whisper import write_tiny_whisper
from tests.builders.voices import RATE, spoken, write_sound
from tests.faults.killing import greenroom
from tests.faults.kills.conftest import KillOne
from tests.faults.kills.life import RUNS, Lives
from tests.faults.kills.looking import STUDY, alone, rows_of, sound

pytestmark = pytest.mark.e2e
SOUND, SECONDS = "talk.wav", 6
TABLES, OWN_EACH_TIME = ("utterance", "heard"), ("id", "run_id", "created_at", "changed_at")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    write_sound(folder / SOUND, spoken()[: SECONDS * RATE])
    greenroom("new", folder / STUDY)
    greenroom("add", folder / STUDY, folder / SOUND)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_whisper(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(scope="module")
def lives() -> Lives:
    return Lives("transcribing")


@pytest.fixture(scope="module")
def said(prepared: Path, model: Path, lives: Lives, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What lives wrote that were not cut short."""
    whole = tmp_path_factory.mktemp("whole")
    lives.whole(prepared, whole, "greenroom", "transcribe", whole / STUDY, "--model", model)
    return rows_of(whole / STUDY, TABLES, OWN_EACH_TIME)


@pytest.mark.parametrize("number", RUNS)
def test_a_transcript_is_there_or_not(
    prepared: Path,
    model: Path,
    lives: Lives,
    said: dict[str, str],
    tmp_path: Path,
    kill_one: KillOne,
    number: int,
) -> None:
    folder, study = tmp_path / "work", tmp_path / "work" / STUDY
    shutil.copytree(prepared, folder)
    nothing = rows_of(study, TABLES, OWN_EACH_TIME)
    death = kill_one(lives, number, "greenroom", "transcribe", study, "--model", model)
    sound(study)
    alone(folder, SOUND)
    kept = rows_of(study, TABLES, OWN_EACH_TIME)
    assert kept in (nothing, said), "half of the transcript is there"
    assert death.killed or kept == said
    if kept == nothing:
        greenroom("transcribe", study, "--model", model)
        assert rows_of(study, TABLES, OWN_EACH_TIME) == said
        sound(study)
        alone(folder, SOUND)
    assert [path.name for path in Path(os.environ["XDG_CACHE_HOME"]).rglob("*.log")] == []
