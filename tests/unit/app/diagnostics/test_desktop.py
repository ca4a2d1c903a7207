"""Greenroom in the menu of a desktop."""

import struct
import subprocess
import xml.etree.ElementTree as ElementTree
from configparser import RawConfigParser
from pathlib import Path

import pytest

from app.diagnostics import desktop_entry as desktop
from project.encryption.encryption_key import FILE_MARK
from project.errors import UserError
from project.schema import format_versions as schema
from tests.builders.terminal import Terminal


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("sys.executable", str(program(tmp_path / "bin").with_name("python")))
    return tmp_path / "share"


def program(folder: Path) -> Path:
    folder.mkdir()
    made = folder / "greenroom"
    made.write_text("#!/bin/sh\n")
    made.chmod(0o755)
    return made


def entry(home: Path) -> dict[str, str]:
    parser = RawConfigParser(delimiters=("=",), interpolation=None, strict=True)
    parser.optionxform = str
    parser.read(home / "applications" / "greenroom.desktop", "utf-8")
    return dict(parser["Desktop Entry"])


def test_it_is_put_there_and_taken_away_without_a_rest(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    greenroom = Terminal(capsys)
    assert greenroom.json("setup", "desktop")["installed"] is False
    greenroom("setup", "desktop", "--install")
    files = greenroom.json("setup", "desktop", "--install")["files"]
    assert sorted(files) == sorted(str(path) for path in home.rglob("*") if path.is_file())
    assert {Path(file).name for file in files} == {"greenroom.desktop", "greenroom.xml", "greenroom.svg"}
    assert entry(home)["TryExec"] == str(tmp_path / "bin" / "greenroom")
    greenroom("setup", "desktop", "--remove")
    assert [path for path in home.rglob("*") if path.is_file()] == []
    assert greenroom.json("setup", "desktop", "--remove")["files"] == []


@pytest.mark.parametrize("folder", ["with a blank", 'with "quotes"', "100% $HOME `here`", "back\\slash"])
def test_the_command_survives_the_quoting_of_the_specification(
    folder: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = program(tmp_path / folder)
    monkeypatch.setattr("sys.executable", str(made.with_name("python")))
    desktop.install()
    said = entry(home)["Exec"].replace("\\\\", "\\")
    told = subprocess.run(
        ["/bin/sh", "-c", f"printf '%s\\n' {said}"], capture_output=True, text=True, check=True
    ).stdout
    command = [part.replace("%%", "%") for part in told.splitlines()]
    assert command[0] == str(made)
    assert command[-1] == "%f"
    assert entry(home)["TryExec"].replace("\\\\", "\\") == str(made)


def test_the_type_is_known_by_its_ending_and_by_the_marks_in_open_and_encrypted_files(home: Path) -> None:
    desktop.install()
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    kind = ElementTree.parse(home / "mime" / "packages" / "greenroom.xml").getroot().find(f"{space}mime-type")
    assert f"{kind.get('type')};" == entry(home)["MimeType"]
    assert [glob.get("pattern") for glob in kind.iter(f"{space}glob")] == ["*.greenroom"]
    mark = next(element for element in kind.iter(f"{space}match") if element.get("type") == "big32")
    assert mark.get("offset") == "68"
    assert FILE_MARK.decode() in [
        (element.get("value") or "").encode().decode("unicode_escape")
        for element in kind.iter(f"{space}match")
        if element.get("offset") == "0"
    ]
    assert struct.pack(">I", int(mark.get("value", ""), 16)) == schema.APPLICATION_ID.to_bytes(4)


def test_what_cannot_be_is_one_line(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.write_text("a file, where a folder should be")
    with pytest.raises(UserError, match="cannot be written"):
        desktop.install()
    monkeypatch.setattr("sys.executable", str(tmp_path / "elsewhere" / "python"))
    with pytest.raises(UserError, match="no command"):
        desktop.install()
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(UserError, match="Linux"):
        desktop.install()
