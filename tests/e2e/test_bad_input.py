"""Footage that is not what one hopes for: worked on whole and in time, or refused in one clear line."""

import os
from collections.abc import Callable
from pathlib import Path

import av
import pytest

from media.decoding import iterate_frames
from media.frame_index import load_index
from media.probe import probe
from tests.builders.clips import make_clip, number_of
from tests.builders.lab import SMALL, Lab

UNEVEN = (0, 33_000, 50_000, 200_000, 233_000, 700_000, 1_000_000, 1_016_000)


def numbers(clip: Path) -> list[int]:
    """Read the number that is drawn into each frame."""
    return [number_of(frame.image) for frame in iterate_frames(clip)]


def lost_its_end(lab: Lab) -> Path:
    """Make an MP4 with its table of contents in front, as downloads have it, that breaks off after half of it."""
    whole, part = make_clip(lab.footage / "whole.mp4", size=SMALL, frames=60, sound=True), lab.footage / "part.mp4"
    with av.open(str(whole)) as old, av.open(str(part), "w", options={"movflags": "+faststart"}) as new:
        streams = {stream.index: new.add_stream_from_template(stream) for stream in old.streams}
        for packet in old.demux():
            if packet.dts is not None:
                packet.stream = streams[packet.stream.index]
                new.mux(packet)
    content = part.read_bytes()
    part.write_bytes(content[: int(len(content) * 0.6)])
    return lab.keep(part)


def oddly_named(lab: Lab) -> Path:
    """Make a clip at a path with spaces, quotes, emoji and a newline, and have clips written to such a one."""
    folder = lab.footage / "a b'\"🎬\nc"
    folder.mkdir()
    lab.clips = lab.clips / "o 'u\" t🎬\nx"
    return lab.keep(make_clip(folder / 'it\'s "q" 🎥\n%d.mp4', size=SMALL, frames=12))


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(lambda lab: lab.film("uneven.mkv", times_us=UNEVEN, sound=True), id="variable frame rate"),
        pytest.param(lambda lab: lab.film("one.mp4", frames=1, sound=True, sound_seconds=1.0), id="one frame"),
        pytest.param(lambda lab: lab.film("turned.mp4", rotation=90, sound=True), id="turned"),
        pytest.param(lambda lab: lab.film("odd.mp4", size=(161, 121), pix_fmt="yuv444p"), id="odd sizes"),
        pytest.param(
            lambda lab: lab.film("ten.mp4", codec="libx265", pix_fmt="yuv420p10le", bframes=2, sound=True),
            id="10 bit HEVC",
        ),
        oddly_named,
    ],
)
def test_a_clip_has_every_frame_of_its_source_at_its_time(lab: Lab, made: Callable[[Lab], Path]) -> None:
    source = made(lab)
    frames = [*range(len(load_index(source)))]
    assert numbers(lab.whole_chain(source)) == numbers(source) == frames


@pytest.mark.parametrize(
    "made",
    [
        lost_its_end,
        pytest.param(lambda lab: lab.film("a.mkv", size=(1, 1), frames=5, codec="ffv1"), id="one pixel"),
    ],
)
def test_what_cannot_be_told_by_its_pictures_keeps_its_times(lab: Lab, made: Callable[[Lab], Path]) -> None:
    source = made(lab)
    clip = lab.whole_chain(source)
    assert probe(clip).video is not None
    assert 5 <= len(load_index(clip)) < 60


def test_sound_alone_is_marked_and_not_looked_at(lab: Lab) -> None:
    lab.greenroom("add", lab.study, lab.film("voice.m4a", picture=False, sound=True))
    mark = ("--recording", "1", "--start", "0.1", "--end", "0.2", "--verdict", "error", "--annotator", "Ada")
    lab.greenroom("segment", "add", lab.study, *mark)
    assert "no picture" in lab.refused("faces", "track", lab.study, "--recording", "1")
    assert "no picture" in lab.refused("anonymize", "export", lab.study, "--recording", "1", "--out", lab.clips)
    lab.greenroom("add", lab.study, lab.film("b.mp4"))
    assert lab.greenroom.json("faces", "track", lab.study)["frames"] == 12
    assert [clip["recording"] for clip in lab.export("all")["clips"]] == [2]


def test_a_file_replaced_by_another_as_large_is_not_used_and_the_first_is_found_again(lab: Lab) -> None:
    source = make_clip(lab.footage / "a.mp4", size=SMALL, frames=12)
    first = source.read_bytes()
    lab.greenroom("add", lab.study, source)
    lab.greenroom("faces", "track", lab.study)
    source.write_bytes(first[:-1] + bytes([first[-1] ^ 1]))
    lab.keep(source)
    assert lab.greenroom.json("info", lab.study)["recording_list"][0]["media"] == "replaced"
    assert len(lab.greenroom.json("study", "check", lab.study)["media"]) == 1
    assert "not the one that was added" in lab.refused("faces", "track", lab.study)
    assert "not the one" in lab.refused("anonymize", "export", lab.study, "--recording", "1", "--out", lab.clips)
    assert lab.greenroom.json("study", "relink", lab.study, lab.footage)["relinked"] == []
    (lab.footage / "moved").mkdir()
    (lab.footage / "moved" / "a.mp4").write_bytes(first)
    assert lab.greenroom.json("study", "relink", lab.study, lab.footage)["relinked"] == ["a.mp4"]
    assert lab.export()["frames"] == 12


def test_what_is_no_recording_no_study_or_no_place_is_refused_and_left_alone(lab: Lab, tmp_path: Path) -> None:
    lab.greenroom("add", lab.study, lab.film("a.mp4"))
    letter, empty, pipe = (lab.footage / name for name in ("letter.mp4", "zero.mp4", "pipe.mp4"))
    letter.write_text("Dear Ada, this is not a video.\n" * 500)
    empty.touch()
    os.mkfifo(pipe)
    joined = lab.footage / "joined.ffconcat"
    joined.write_text("ffconcat version 1.0\nfile a.mp4\n")
    loop, loop_study, gone_study = (tmp_path / name for name in ("loop.mp4", "loop.greenroom", "gone.greenroom"))
    for link, target in ((loop, loop.name), (loop_study, loop_study.name), (gone_study, "nowhere")):
        link.symlink_to(target)
    export = ("anonymize", "export", lab.study, "--recording", "1", "--out")
    for said, *command in (
        ("is not a video", "add", lab.study, letter),
        ("is empty", "add", lab.study, empty),
        ("is a folder", "add", lab.study, lab.footage),
        ("is missing", "add", lab.study, lab.footage / "nowhere.mp4"),
        *(("", "add", lab.study, bad) for bad in (pipe, joined, lab.study, loop, tmp_path / ("x" * 300), "")),
        *(("", command, bad) for command in ("new", "info", "undo", "check") for bad in (loop_study, gone_study)),
        *(("", command, bad) for command in ("new", "info") for bad in (tmp_path / ("x" * 300), "")),
        *(("", "info", bad) for bad in (pipe, lab.footage)),
        ("", "new", lab.footage / "deeper" / "a.greenroom"),
        *(("", *export, bad) for bad in (lab.study, tmp_path / ("x" * 300), loop)),
        ("", "faces", "track", lab.study, "--recording", "x" * 300),
        ("", "study", "relink", lab.study, tmp_path / ("x" * 300)),
        ("", "demo", "--no-window", "--dir", tmp_path / ("x" * 300)),
    ):
        assert said in lab.refused(*command)
    lab.greenroom("study", "relink", lab.study, lab.footage)
    known = {"footage", "study", loop.name, loop_study.name, gone_study.name}
    assert {path.name for path in tmp_path.iterdir()} == known


def test_names_that_are_not_text(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alien = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    Path(alien).mkdir()
    for arguments in (
        ("add", lab.study, make_clip(Path(alien) / "a.mp4", size=SMALL, frames=2)),
        ("new", alien + ".greenroom"),
        ("study", "relink", lab.study, alien),
        ("anonymize", "export", lab.study, "--recording", "1", "--out", alien),
        ("segment", "list", lab.study, "--annotator", "\udcff"),
    ):
        assert "not valid UTF-8" in lab.refused(*arguments)
    monkeypatch.chdir(alien)
    assert lab.greenroom.json("new", "here.greenroom")["study"] == "here.greenroom"
    lab.greenroom("add", "here.greenroom", "a.mp4")
    lab.greenroom("info", "here.greenroom")
    lab.greenroom("faces", "track", "here.greenroom")
    lab.greenroom("anonymize", "export", "here.greenroom", "--recording", "1", "--out", "clips", code=2)
    assert lab.greenroom.json("study", "check", "here.greenroom")["ok"] is True
    assert sorted(path.name for path in Path(alien).iterdir()) == ["a.mp4", "here.greenroom"]
