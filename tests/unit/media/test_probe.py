import os
from fractions import Fraction
from pathlib import Path

import pytest

from media.frame_index import load_index
from media.probe import probe
from media.source import open_checked, open_source
from project.entities.study_records import VideoFacts
from project.errors import UserError
from tests.builders.clips import make_clip
from tests.builders.hostile_media import ALIAS, INSIDE, NAMING, make_hostile


def video(path: Path) -> VideoFacts:
    facts = probe(path).video
    assert facts is not None
    return facts


def refusal(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        probe(path)
    assert "\n" not in str(caught.value)
    assert caught.value.hint
    return caught.value.message


def test_tells_codec_size_rate_and_sound(tmp_path: Path) -> None:
    facts = probe(make_clip(tmp_path / "a.mp4", size=(320, 240), frames=60, sound=True))
    assert (facts.video.codec, facts.video.width, facts.video.height) == ("h264", 320, 240)
    assert (facts.video.frames, facts.video.frame_rate, facts.video.variable_rate) == (60, 30, False)
    assert (facts.audio.codec, facts.audio.sample_rate, facts.audio.channels) == ("aac", 48_000, 1)
    assert facts.duration_us == pytest.approx(2_000_000, abs=25_000)


def test_variable_rate_is_seen_in_both_kinds_of_container(tmp_path: Path) -> None:
    times = [i * 33_000 + (i % 7 == 0) * 9_000 for i in range(40)]
    for name in ("a.mp4", "a.mkv"):
        assert video(make_clip(tmp_path / name, times_us=times)).variable_rate
    for name in ("b.mp4", "b.mkv"):
        assert not video(make_clip(tmp_path / name, fps=30, frames=40, bframes=2)).variable_rate


def test_size_is_that_of_the_upright_picture_with_square_pixels(tmp_path: Path) -> None:
    for rotation, size in ((90, (240, 320)), (180, (320, 240)), (270, (240, 320))):
        facts = video(make_clip(tmp_path / "r.mp4", size=(320, 240), frames=3, rotation=rotation))
        assert (facts.rotation, facts.width, facts.height) == (rotation, *size)
    facts = video(make_clip(tmp_path / "s.mp4", size=(240, 240), frames=3, pixel_aspect=Fraction(4, 3)))
    assert (facts.width, facts.height) == (320, 240)


def test_ten_bit_hevc(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "h.mp4", codec="libx265", pix_fmt="yuv420p10le", frames=5)
    facts = video(clip)
    assert (facts.codec, facts.bit_depth, facts.pixel_format) == ("hevc", 10, "yuv420p10le")


def test_sound_only_and_picture_only(tmp_path: Path) -> None:
    sound = probe(make_clip(tmp_path / "s.m4a", picture=False, sound=True))
    assert sound.video is None
    assert sound.audio is not None
    assert probe(make_clip(tmp_path / "p.mp4", frames=3)).audio is None


def test_one_pixel_and_one_frame_and_odd_sizes(tmp_path: Path) -> None:
    for size in ((1, 1), (101, 77)):
        clip = make_clip(tmp_path / f"{size[0]}.mkv", size=size, frames=1, codec="ffv1", pix_fmt="yuv444p")
        facts = video(clip)
        assert (facts.width, facts.height) == size
        assert len(load_index(clip)) == 1
    assert video(make_clip(tmp_path / "a.mkv", frames=45)).frames == 45


def test_any_name_will_do(tmp_path: Path) -> None:
    for name in ("two words.mp4", 'it\'s "here".mp4', "😀.mp4", "a\nb.mp4", "50%03d.mp4", "x:y.mp4", "-i.mp4"):
        assert video(make_clip(tmp_path / name, frames=2)).frames == 2, name


def test_missing_folder_empty_and_not_a_video(tmp_path: Path) -> None:
    assert "missing" in refusal(tmp_path / "gone.mp4")
    assert "folder" in refusal(tmp_path)
    (tmp_path / "empty.mp4").touch()
    assert "empty" in refusal(tmp_path / "empty.mp4")
    (tmp_path / "text.mp4").write_text("This is not a video.\n" * 100)
    assert "not a video" in refusal(tmp_path / "text.mp4")
    os.mkfifo(tmp_path / "pipe.mp4")
    assert "not a file" in refusal(tmp_path / "pipe.mp4")
    assert "reached" in refusal(Path("a\0b.mp4"))
    (tmp_path / "a\nb.mp4").touch()
    assert "a b.mp4" in refusal(tmp_path / "a\nb.mp4"), "a message is one line whatever the name"
    whole = make_clip(tmp_path / "a.mp4", frames=30).read_bytes()
    (tmp_path / "cut.mp4").write_bytes(whole[: len(whole) // 2])
    assert "cut short" in refusal(tmp_path / "cut.mp4")


def test_still_pictures_and_subtitles_are_refused(tmp_path: Path) -> None:
    make_clip(tmp_path / "still.png", codec="png", pix_fmt="rgb24", frames=1, container="image2")
    assert "still picture" in refusal(tmp_path / "still.png")
    (tmp_path / "a.srt").write_text("1\n00:00:00,000 --> 00:00:01,000\nHello\n")
    assert refusal(tmp_path / "a.srt")


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may read everything")
def test_no_right_to_read(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", frames=2)
    clip.chmod(0)
    assert "may not be read" in refusal(clip)


def test_the_file_that_was_checked_is_handed_on_with_its_reader(tmp_path: Path) -> None:
    for name, reader in {"a.mp4": "mov", "a.mkv": "matroska", "a.avi": "avi", "a.ts": "mpegts"}.items():
        path = make_clip(tmp_path / name, frames=2)
        checked = open_checked(path)
        try:
            assert (checked.reader, checked.size) == (reader, path.stat().st_size)
            assert os.read(checked.handle, checked.size + 1) == path.read_bytes()
        finally:
            os.close(checked.handle)


def test_no_handle_stays_open_where_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("#EXTM3U\nhttp://127.0.0.1:9/a.ts\n")
    before = len([*Path("/proc/self/fd").iterdir()])
    for _ in range(20):
        with pytest.raises(UserError):
            open_checked(tmp_path / "a.mp4")
    assert len([*Path("/proc/self/fd").iterdir()]) <= before


def test_what_names_others_has_no_reader(tmp_path: Path) -> None:
    for kind in NAMING:
        path = make_hostile(tmp_path, kind.name, 9)
        for opening in (open_source, open_checked):
            with pytest.raises(UserError, match=r"names other files|not a video or sound file"):
                pytest.fail(f"{kind.name}: {opening(path)}")


def test_what_says_to_be_in_another_file_is_read_from_this_one_or_left_out(tmp_path: Path) -> None:
    for kind in (kind for kind in INSIDE if kind.name.startswith("quicktime")):
        assert video(make_hostile(tmp_path, kind.name, 9)).frames == 20
    assert "cannot be decoded" in refusal(make_hostile(tmp_path, ALIAS.name, 9))


def test_the_size_of_the_first_table_makes_no_list_of_a_recording(tmp_path: Path) -> None:
    whole = make_clip(tmp_path / "a.mp4", frames=2).read_bytes()
    for size in (0x3C, 0x5B, 0x20):
        (tmp_path / "b.mp4").write_bytes(size.to_bytes(4, "big") + b"free" + bytes(size - 8) + whole)
        open_source(tmp_path / "b.mp4").close()


def test_a_recorder_that_forgets_to_say_where_the_data_is_is_forgiven(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "a.mp4", frames=2)
    inside = b"url \0\0\0\x01"
    assert inside in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(inside, b"url \0\0\0\0"))
    open_source(path).close()
