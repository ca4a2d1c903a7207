"""Footage that is not what one hopes for: worked on whole and in time, or refused in one clear line."""

import json
import os
from pathlib import Path

import av
import pytest

from media.decoding import iterate_rgb_frames
from media.frame_index import load_index
from media.probe import probe
from tests.builders.clips import make_clip, number_of
from tests.builders.lab import SMALL, Lab


def numbers(clip: Path) -> list[int]:
    """Read the number that is drawn into each frame."""
    return [number_of(frame.image) for frame in iterate_rgb_frames(clip)]


def contents_first(source: Path, destination: Path) -> Path:
    """Copy an MP4 with its table of contents in front, as downloads have it."""
    with av.open(str(source)) as old, av.open(str(destination), "w", options={"movflags": "+faststart"}) as new:
        streams = {stream.index: new.add_stream_from_template(stream) for stream in old.streams}
        for packet in old.demux():
            if packet.dts is not None:
                packet.stream = streams[packet.stream.index]
                new.mux(packet)
    return destination


def cut(source: Path, share: float) -> Path:
    """Keep the beginning of a file."""
    content = source.read_bytes()
    source.write_bytes(content[: int(len(content) * share)])
    return source


def test_not_a_video(lab: Lab) -> None:
    letter = lab.footage / "letter.mp4"
    letter.write_text("Dear Ada, this is not a video.\n" * 500)
    playlist = lab.footage / "list.m3u8"
    playlist.write_text("#EXTM3U\n#EXTINF:1,\nhttp://localhost:9/a.ts\n")
    joined = lab.footage / "joined.ffconcat"
    joined.write_text(f"ffconcat version 1.0\nfile {lab.film('a.mp4')}\n")
    for bad in (letter, playlist, joined, lab.study):
        lab.refused("add", lab.study, bad)
    assert "is not a video" in lab.refused("add", lab.study, letter)


def test_zero_bytes(lab: Lab) -> None:
    (lab.footage / "zero.mp4").touch()
    assert "is empty" in lab.refused("add", lab.study, lab.footage / "zero.mp4")


def test_mp4_that_lost_its_end_and_table_of_contents(lab: Lab) -> None:
    source = lab.keep(cut(make_clip(lab.footage / "cut.mp4", size=SMALL, frames=60), 0.5))
    assert "cut short" in lab.refused("add", lab.study, source)


def test_mp4_that_lost_its_end(lab: Lab) -> None:
    whole = make_clip(lab.footage / "whole.mp4", size=SMALL, frames=60, sound=True)
    source = lab.keep(cut(contents_first(whole, lab.footage / "cut.mp4"), 0.6))
    lab.greenroom("add", lab.study, source)
    found = lab.greenroom.json("faces", lab.study)
    assert 10 < found["frames"] < 60
    made = lab.export()
    clip = Path(made["output"])
    assert made["frames"] == found["frames"] == len(load_index(clip))
    clear = [i for i, t in enumerate(load_index(source).times.times_us) if t / 1e6 not in made["blanked"]]
    assert len(clear) > 20
    drawn = numbers(clip)
    assert [drawn[i] for i in clear] == clear


def test_mp4_with_nothing_but_its_table_of_contents(lab: Lab) -> None:
    source = contents_first(lab.film("a.mp4", sound=True), lab.footage / "b.mp4")
    content = source.read_bytes()
    source.write_bytes(content[: content.index(b"mdat") + 8])
    lab.refused("add", lab.study, lab.keep(source))


@pytest.mark.parametrize(("name", "codec"), [("voice.m4a", "aac"), ("voice.wav", "pcm_s16le")])
def test_audio_only(lab: Lab, name: str, codec: str) -> None:
    lab.greenroom("add", lab.study, lab.film(name, picture=False, sound=True, sound_codec=codec))
    mark = ("--recording", "1", "--start", "0.1", "--end", "0.2", "--verdict", "error", "--annotator", "Ada")
    lab.greenroom("segment", "add", lab.study, *mark)
    assert "no picture" in lab.refused("faces", lab.study, "--recording", "1")
    assert "no picture" in lab.refused("anonymize", lab.study, "--recording", "1", "--out", lab.clips)
    lab.greenroom("add", lab.study, lab.film("b.mp4"))
    assert lab.greenroom.json("faces", lab.study)["frames"] == 12
    assert [one["recording"] for one in lab.export("all")["clips"]] == [2]


def test_video_without_audio(lab: Lab) -> None:
    assert numbers(lab.whole_chain(lab.film("silent.mp4"))) == [*range(12)]


def test_one_frame(lab: Lab) -> None:
    assert numbers(lab.whole_chain(lab.film("one.mp4", frames=1))) == [0]
    clip = lab.whole_chain(lab.film("long sound.mp4", frames=1, sound=True, sound_seconds=1.0))
    assert probe(clip).duration_us == pytest.approx(1_000_000, abs=50_000)


@pytest.mark.parametrize(("name", "codec"), [("a.mp4", "mpeg4"), ("a.mkv", "ffv1"), ("a.webm", "libvpx-vp9")])
def test_one_pixel(lab: Lab, name: str, codec: str) -> None:
    lab.whole_chain(lab.film(name, size=(1, 1), frames=5, codec=codec))


@pytest.mark.parametrize("size", [(161, 121), (33, 120), (160, 17)])
def test_odd_sizes(lab: Lab, size: tuple[int, int]) -> None:
    clip = lab.whole_chain(lab.film("odd.mp4", size=size, pix_fmt="yuv444p", sound=True))
    assert numbers(clip) == [*range(12)]


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_rotation(lab: Lab, rotation: int) -> None:
    source = lab.film("turned.mp4", rotation=rotation, sound=True)
    clip = lab.whole_chain(source)
    assert numbers(clip) == numbers(source) == [*range(12)]


UNEVEN = (0, 33_000, 50_000, 200_000, 233_000, 700_000, 1_000_000, 1_016_000)


@pytest.mark.parametrize("name", ["uneven.mp4", "uneven.mkv"])
def test_variable_frame_rate(lab: Lab, name: str) -> None:
    source = lab.film(name, times_us=UNEVEN, sound=True)
    assert [*load_index(source).times.times_us] == [*UNEVEN]
    assert numbers(lab.whole_chain(source)) == [*range(len(UNEVEN))]
    part = Path(lab.export(1, "--start", "0.2", "--end", "0.8")["output"])
    assert [*load_index(part).times.times_us] == [0, 33_000, 500_000]
    assert numbers(part) == [3, 4, 5]


def test_10_bit_hevc(lab: Lab) -> None:
    source = lab.film("ten.mp4", codec="libx265", pix_fmt="yuv420p10le", bframes=2, sound=True)
    assert numbers(lab.whole_chain(source)) == [*range(12)]


def test_a_path_with_spaces_quotes_emoji_and_a_newline(lab: Lab) -> None:
    odd = lab.footage / "a b'\"🎬\nc"
    odd.mkdir()
    lab.clips = lab.clips / "o 'u\" t🎬\nx"
    source = lab.keep(make_clip(odd / 'it\'s "q" 🎥\n%d.mp4', size=SMALL, frames=12))
    assert numbers(lab.whole_chain(source)) == [*range(12)]
    assert len(lab.greenroom("info", lab.study).splitlines()) == 2
    lab.refused("add", lab.study, source)


def test_a_study_of_an_odd_name(lab: Lab, tmp_path: Path) -> None:
    study = tmp_path / "my 'st\"udy 🎬\n#?%41.greenroom"
    assert lab.greenroom.json("new", study)["study"] == str(study)
    lab.greenroom("add", study, lab.film("a.mp4"))
    assert lab.greenroom.json("info", study)["recordings"] == 1
    study.unlink()


def test_names_that_are_not_text(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alien = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    Path(alien).mkdir()
    for arguments in (
        ("add", lab.study, make_clip(Path(alien) / "a.mp4", size=SMALL, frames=2)),
        ("new", alien + ".greenroom"),
        ("relink", lab.study, alien),
        ("anonymize", lab.study, "--recording", "1", "--out", alien),
        ("segment", "list", lab.study, "--annotator", "\udcff"),
    ):
        assert "not valid text" in lab.refused(*arguments)
    monkeypatch.chdir(alien)
    assert lab.greenroom.json("new", "here.greenroom")["study"] == "here.greenroom"
    lab.greenroom("info", "here.greenroom")
    lab.greenroom.json("info", "here.greenroom")
    lab.greenroom("add", "here.greenroom", "a.mp4")
    lab.greenroom("faces", "here.greenroom")
    lab.greenroom("anonymize", "here.greenroom", "--recording", "1", "--out", "clips", code=2)
    assert lab.greenroom.json("check", "here.greenroom")["ok"] is True
    assert sorted(p.name for p in Path(alien).iterdir()) == ["a.mp4", "here.greenroom"]


def test_names_that_are_too_long_or_empty(lab: Lab, tmp_path: Path) -> None:
    lab.greenroom("add", lab.study, lab.film("a.mp4"))
    lab.greenroom("faces", lab.study)
    for name in ("", "x" * 300):
        endless = tmp_path / name if name else ""
        lab.refused("new", endless)
        lab.refused("info", endless)
        lab.refused("add", lab.study, endless)
        lab.refused("faces", lab.study, "--recording", name)
    lab.refused("relink", lab.study, endless)
    lab.refused("anonymize", lab.study, "--recording", "1", "--out", endless)
    lab.refused("demo", "--no-window", "--dir", endless)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["footage", "study"]


def test_links_that_lead_nowhere(lab: Lab, tmp_path: Path) -> None:
    for name in ("loop.mp4", "loop.greenroom"):
        (tmp_path / name).symlink_to(name)
    (tmp_path / "gone.greenroom").symlink_to("nowhere")
    lab.refused("add", lab.study, tmp_path / "loop.mp4")
    for study in ("loop.greenroom", "gone.greenroom"):
        for command in ("new", "info", "undo", "check"):
            lab.refused(command, tmp_path / study)


def test_a_folder(lab: Lab) -> None:
    assert "is a folder" in lab.refused("add", lab.study, lab.footage)
    lab.refused("info", lab.footage)
    lab.refused("new", lab.footage / "deeper" / "a.greenroom")
    lab.refused("anonymize", lab.study, "--recording", "1", "--out", lab.study)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(lab: Lab) -> None:
    os.mkfifo(lab.footage / "pipe.mp4")
    lab.refused("add", lab.study, lab.footage / "pipe.mp4")
    lab.refused("info", lab.footage / "pipe.mp4")
    lab.greenroom("relink", lab.study, lab.footage)


def test_a_missing_file(lab: Lab) -> None:
    assert "is missing" in lab.refused("add", lab.study, lab.footage / "nowhere.mp4")
    source = make_clip(lab.footage / "a.mp4", size=SMALL, frames=12)
    lab.greenroom("add", lab.study, source)
    lab.greenroom("faces", lab.study)
    source.rename(lab.footage / "b.mp4")
    assert lab.greenroom.json("info", lab.study)["recording_list"][0]["media"] == "missing"
    assert "is missing" in lab.refused("faces", lab.study)
    assert "is missing" in lab.refused("anonymize", lab.study, "--recording", "1", "--out", lab.clips)
    mark = ("--recording", "1", "--start", "0", "--end", "0.2", "--verdict", "error", "--annotator", "Ada")
    lab.greenroom("segment", "add", lab.study, *mark)
    assert lab.greenroom.json("relink", lab.study, lab.footage)["relinked"] == ["b.mp4"]
    assert lab.export()["frames"] == 12


def _padded(path: Path, size: int) -> None:
    """Make a file as large as another with a box that players skip."""
    more = size - path.stat().st_size
    with path.open("ab") as file:
        file.write(more.to_bytes(4, "big") + b"free" + bytes(more - 8))


@pytest.mark.parametrize("same_size", [False, True])
def test_a_file_replaced_by_another_of_the_same_name(lab: Lab, same_size: bool) -> None:
    source = make_clip(lab.footage / "a.mp4", size=SMALL, frames=48)
    first = source.read_bytes()
    lab.greenroom("add", lab.study, source)
    lab.greenroom("faces", lab.study)
    make_clip(source, size=SMALL, frames=24)
    if same_size:
        _padded(source, len(first))
    lab.keep(source)
    assert lab.greenroom.json("info", lab.study)["recording_list"][0]["media"] == "replaced"
    assert len(json.loads(lab.greenroom("check", lab.study, "--json"))["media"]) == 1
    assert "not the one that was added" in lab.refused("faces", lab.study)
    assert "not the one" in lab.refused("anonymize", lab.study, "--recording", "1", "--out", lab.clips)
    assert lab.greenroom.json("relink", lab.study, lab.footage)["relinked"] == []
    (lab.footage / "moved").mkdir()
    (lab.footage / "moved" / "a.mp4").write_bytes(first)
    assert lab.greenroom.json("relink", lab.study, lab.footage)["relinked"] == ["a.mp4"]
    assert lab.export()["frames"] == 48
