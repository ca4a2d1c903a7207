"""`greenroom FILE`: a study is opened as every editor opens a file; a command's own name is always the command."""

import struct
from pathlib import Path

import pytest

from app.cli import launch as window
from app.cli.launch import GivenFiles, sort_given_files
from app.cli.main import COMMANDS, is_file_argument
from project.schema import format_versions as schema
from project.store.study import Study
from tests.builders.terminal import Terminal

Opened = list[tuple[tuple[Path, ...], str | None]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """What the window would be opened on."""
    calls: Opened = []

    def run(study: Path | None, _annotator: object, recording: str | None, *_more: object, **given: object) -> int:
        recordings = given["recordings"]
        assert isinstance(recordings, tuple)
        calls.append((recordings if study is None else (study, *recordings), recording))
        return 0

    monkeypatch.setattr(window, "check_libraries", lambda: None)
    monkeypatch.setattr("app.gui.window.application.run", run)
    return calls


@pytest.mark.parametrize("name", ["./lab.greenroom", "check.greenroom"])
def test_a_study_is_opened_by_its_name_alone(name: str, folder: Path, greenroom: Terminal, opened: Opened) -> None:
    Study.create(folder / name).close()
    greenroom(name)
    greenroom(name, "--recording", "3")
    assert opened == [((Path(name),), None), ((Path(name),), "3")]


@pytest.mark.parametrize("name", ["check", "lab"])
def test_a_study_named_like_a_command_is_opened_by_its_path(
    name: str, folder: Path, greenroom: Terminal, opened: Opened
) -> None:
    Study.create(folder / f"{name}.greenroom").close()
    (folder / f"{name}.greenroom").rename(folder / name)
    greenroom(f"./{name}")
    greenroom("open", name)
    assert opened == [((Path(name),), None)] * 2
    if name in COMMANDS:
        assert f"greenroom ./{name}" in greenroom(name, code=2), "it says how the file is opened"


def test_no_command_is_ever_taken_for_a_file(folder: Path) -> None:
    for name in COMMANDS:
        (folder / name).mkdir()
        assert not is_file_argument(name), name


def test_recordings_are_handed_to_the_window_which_offers_a_study(
    folder: Path, greenroom: Terminal, opened: Opened
) -> None:
    for name in ("one.mp4", "TWO.MOV"):
        (folder / name).write_bytes(b"picture")
    greenroom("one.mp4", "TWO.MOV")
    assert opened == [((Path("one.mp4"), Path("TWO.MOV")), None)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone.greenroom"], "There is no study “gone.greenroom”. Make it: greenroom new gone.greenroom"),
        (["gone.mp4"], "There is no file “gone.mp4”. Look at how its name is spelled."),
        (["no/where"], "There is no file “no/where”. Look at how its name is spelled."),
        (["empty"], "“empty” is a folder, not a study. Choose a file that ends in .greenroom."),
        (["full/"], "“full” is a folder, not a study. Choose the study in it: full/lab.greenroom"),
        (["note.txt"], "“note.txt” is neither a study nor a recording. Studies end in .greenroom; "),
        (["other.db"], "“other.db” is neither a study nor a recording."),
        (["full/lab.greenroom", "clip.mp4"], "A study is opened alone. Add recordings to it: greenroom add "),
        (["full/lab.greenroom", "full/lab.greenroom"], "One window shows one study."),
        (["annotae"], "No such command 'annotae'"),
    ],
)
def test_what_cannot_be_opened_is_one_clear_line(
    arguments: list[str], said: str, folder: Path, greenroom: Terminal, opened: Opened
) -> None:
    (folder / "empty").mkdir()
    (folder / "full").mkdir()
    Study.create(folder / "full" / "lab.greenroom").close()
    (folder / "note.txt").write_text("milk")
    (folder / "clip.mp4").write_bytes(b"picture")
    (folder / "other.db").write_bytes(b"SQLite format 3\0" + bytes(52) + struct.pack(">i", 7) + bytes(28))
    assert said in greenroom(*arguments, code=2)
    assert opened == []


def test_a_study_is_known_by_its_content_too(folder: Path) -> None:
    Study.create(folder / "lab.greenroom").close()
    renamed = (folder / "lab.greenroom").rename(folder / "lab.db")
    assert renamed.read_bytes()[68:72] == schema.APPLICATION_ID.to_bytes(4)
    assert sort_given_files([renamed]) == GivenFiles(study=renamed)


def test_from_the_desktop_the_window_says_what_is_wrong(folder: Path, greenroom: Terminal, opened: Opened) -> None:
    greenroom("open", "--from-desktop", "gone.greenroom")
    assert opened == [((Path("gone.greenroom"),), None)]
