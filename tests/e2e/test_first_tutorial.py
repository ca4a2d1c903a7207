"""The page *From nothing to a data set*: every block of it, in order, on the sample at a few frames a second."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from app import demo_study as sample
from tests.builders.terminal import Terminal
from tests.contract.documentation import ROOT, all_pages, page
from tests.e2e import plain
from tests.e2e.fewer_frames import fewer_frames

pytestmark = pytest.mark.e2e

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EVERY = 10
PICTURE = re.compile(r"\]\((?:docs/)?([\w-]+\.(?:png|svg))\)")
REFUSED = "--dry-run"


def test_every_block_of_the_page_does_what_it_says(
    greenroom: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = fewer_frames(tmp_path / "few.mp4", EVERY, (480, 270))
    monkeypatch.setattr(sample, "resource", lambda *_: few)
    monkeypatch.chdir(tmp_path)
    said = ""
    blocks = BLOCK.findall(page("tutorial"))
    assert {kind for kind, _ in blocks} == {"sh", "srt", "python", "text"}
    for kind, text in blocks:
        if kind == "sh":
            commands = [shlex.split(line) for line in text.replace("\\\n", "").splitlines()]
            assert all(words[0] == "greenroom" for words in commands)
            said = "".join(greenroom(*words[1:], code=2 if REFUSED in words else 0) for words in commands)
        elif kind == "srt":
            (tmp_path / "tutorial" / "said.srt").write_text(text, "utf-8")
        elif kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(text, "tutorial", "exec"), {})
            said = printed.getvalue()
        else:
            assert [line for line in text.splitlines() if line not in said] == []
    assert len(plain.frame_times(tmp_path / "tutorial" / "sample.mp4")) == len(plain.frame_times(few))
    made = {path.name for path in (tmp_path / "tutorial" / "data-set").iterdir()}
    assert {"DATACARD.md", "annotations", "video-source", "frames-1hz", "manifest.json"} <= made
    card = (tmp_path / "tutorial" / "data-set" / "DATACARD.md").read_text("utf-8")
    assert "faces left: 0" in card


def test_nothing_that_is_meant_to_be_typed_stands_outside_the_blocks() -> None:
    assert re.findall(r"^    (?:greenroom|\$)", page("tutorial"), re.MULTILINE) == []


def test_every_picture_of_the_pages_is_there_and_every_picture_there_is_shown() -> None:
    shown = set(PICTURE.findall(all_pages() + (ROOT / "ARCHITECTURE.md").read_text("utf-8")))
    assert shown == {path.name for path in (ROOT / "docs").iterdir() if path.suffix in (".png", ".svg")}
