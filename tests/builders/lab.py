"""A study, footage and a folder for clips, which look after themselves: what may not be left behind is looked for."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from media.frame_index import load_index
from media.probe import probe
from tests.builders.clips import make_clip
from tests.builders.terminal import Terminal
from tests.builders.waiting import HANG_S

SMALL = (160, 120)

_DRIVER = """
import contextlib, io, json, os, resource, sys
from app.cli.main import run
ended = []
for job in json.load(sys.stdin):
    while "=" in job["arguments"][0]:
        os.environ.update([job["arguments"].pop(0).split("=", 1)])
    largest = job["largest_file"] or resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(job["arguments"])
    ended.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(ended))
"""


class Lab:
    """Runs commands on one study and knows what every file of the footage must still be."""

    def __init__(self, folder: Path, greenroom: Terminal) -> None:
        self.greenroom = greenroom
        self.footage = folder / "footage"
        self.clips = folder / "clips"
        self.study = folder / "study" / "lab.greenroom"
        self.footage.mkdir()
        self.study.parent.mkdir()
        self._sources: dict[Path, bytes] = {}
        greenroom("new", self.study)

    def film(self, name: str, **wanted: Any) -> Path:
        """Make a clip in the footage."""
        return self.keep(make_clip(self.footage / name, **{"size": SMALL, "frames": 12, **wanted}))

    def keep(self, source: Path) -> Path:
        """From here on, this file must not change."""
        self._sources[source] = source.read_bytes()
        return source

    def export(self, number: int = 1, *arguments: str) -> dict[str, Any]:
        """Export one recording."""
        return self.greenroom.json(
            "anonymize", "export", self.study, "--recording", number, "--out", self.clips, *arguments
        )

    def whole_chain(self, source: Path) -> Path:
        """Add, mark, track, export: the clip has the frames of the source, at its times. Returns the clip."""
        index = load_index(source)
        (added,) = self.greenroom.json("add", self.study, source)["recordings"]
        number = str(added["number"])
        end = f"{index.times.end_us / 1e6:.6f}"
        mark = ("--start", "0", "--end", end, "--verdict", "error", "--annotator", "Ada")
        self.greenroom("segment", "add", self.study, "--recording", number, *mark)
        assert self.greenroom.json("faces", "track", self.study, "--recording", number)["frames"] == len(index)
        made = self.export(int(number))
        assert (made["frames"], made["faces_left"]) == (len(index), [])
        clip = Path(made["output"])
        written = load_index(clip).times
        assert [*written.times_us] == [*index.times.times_us]
        assert written.end_us == pytest.approx(index.times.end_us, abs=100)
        before, after = probe(source), probe(clip)
        assert after.video.width == before.video.width + before.video.width % 2
        assert after.video.height == before.video.height + before.video.height % 2
        assert after.video.rotation == 0
        assert (after.audio is None) == (before.audio is None)
        return clip

    def refused(self, *arguments: object) -> str:
        """Run a command that must end with one clear line; returns that."""
        before = self.greenroom.json("info", self.study)
        said = self.greenroom(*arguments, code=2)
        assert self.greenroom.json("info", self.study) == before
        return said

    def look_after(self) -> None:
        """Fail where the study is not sound, something is left over, or a source changed."""
        assert self.greenroom.json("study", "check", self.study)["ok"] is True
        assert [p.name for p in self.study.parent.iterdir()] == ["lab.greenroom"]
        if self.clips.exists():
            assert [p.name for p in self.clips.iterdir() if p.suffix != ".mp4" or p.name.startswith(".")] == []
        assert {p for p in self.footage.rglob("*") if p.name.startswith(".")} == set()
        for source, content in self._sources.items():
            assert source.read_bytes() == content


def run_apart(
    *commands: Sequence[object], largest_file: int = 0, mounting: str = "", after: str = ""
) -> list[tuple[int, str]]:
    """Run commands in another process.

    Args:
        commands: the arguments of each, after `NAME=VALUE` where it and those after it have another environment.
        largest_file: bytes that a file may have, as if the disk were full then; 0 for no limit.
        mounting: shell commands run first as the root of a name space of its own; mounts go with the process.
        after: shell commands run there in the end.

    Returns:
        For each command its exit code and what it printed on standard error.
    """
    jobs = [{"arguments": [*map(str, each_command)], "largest_file": largest_file} for each_command in commands]
    python = [sys.executable, "-c", _DRIVER]
    command = ["unshare", "-rm", "sh", "-ec", f'{mounting}\n"$@"\n{after}', "sh", *python] if mounting else python
    done = subprocess.run(command, input=json.dumps(jobs), capture_output=True, text=True, timeout=HANG_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    ended = []
    for code, _, errors in json.loads(done.stdout):
        assert code in (0, 2), errors
        assert "Traceback" not in errors
        assert errors.count("\n") == (1 if code else 0), errors
        ended.append((code, errors))
    return ended


def may_mount(folder: Path) -> bool:
    """Tell whether this user can mount in a name space of their own."""
    try:
        tried = subprocess.run(
            ["unshare", "-rm", "mount", "-t", "tmpfs", "none", str(folder)], capture_output=True, check=False
        )
    except OSError:
        return False
    return tried.returncode == 0
