import os
from fractions import Fraction
from pathlib import Path

import pytest

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
    sound = probe(make_clip(tmp_path / "s.m4a", picture=False, sound=True))
    assert sound.video is None
    assert sound.audio is not None
    hevc = probe(make_clip(tmp_path / "h.mp4", codec="libx265", pix_fmt="yuv420p10le", frames=5))
    assert (hevc.video.codec, hevc.video.bit_depth, hevc.video.pixel_format) == ("hevc", 10, "yuv420p10le")
    assert hevc.audio is None


def test_variable_rate_is_seen_in_both_kinds_of_container(tmp_path: Path) -> None:
    times = [i * 33_000 + (i % 7 == 0) * 9_000 for i in range(40)]
    for name in ("a.mp4", "a.mkv"):
        assert video(make_clip(tmp_path / name, times_us=times)).variable_rate
    for name in ("b.mp4", "b.mkv"):
        assert not video(make_clip(tmp_path / name, fps=30, frames=40, bframes=2)).variable_rate


def test_size_is_that_of_the_upright_picture_with_square_pixels(tmp_path: Path) -> None:
    facts = video(make_clip(tmp_path / "r.mp4", size=(320, 240), frames=3, rotation=90))
    assert (facts.rotation, facts.width, facts.height) == (90, 240, 320)
    facts = video(make_clip(tmp_path / "s.mp4", size=(240, 240), frames=3, pixel_aspect=Fraction(4, 3)))
    assert (facts.width, facts.height) == (320, 240)


def test_any_name_will_do(tmp_path: Path) -> None:
    for name in ("two words 😀.mp4", "a\nb.mp4", "50%03d.mp4", "x:y.mp4", "-i.mp4"):
        assert video(make_clip(tmp_path / name, frames=2)).frames == 2, name


def test_missing_folder_empty_and_not_a_video(tmp_path: Path) -> None:
    assert "missing" in refusal(tmp_path / "gone.mp4")
    assert "folder" in refusal(tmp_path)
    (tmp_path / "empty.mp4").touch()
    assert "empty" in refusal(tmp_path / "empty.mp4")
    (tmp_path / "text.mp4").write_text("This is not a video.\n" * 100)
    assert "not a video" in refusal(tmp_path / "text.mp4")
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


def test_the_file_that_was_checked_is_handed_on_with_its_reader(tmp_path: Path) -> None:
    for name, reader in {"a.mp4": "mov", "a.mkv": "matroska"}.items():
        path = make_clip(tmp_path / name, frames=2)
        checked = open_checked(path)
        try:
            assert (checked.reader, checked.size) == (reader, path.stat().st_size)
            assert os.read(checked.handle, checked.size + 1) == path.read_bytes()
        finally:
            os.close(checked.handle)


def test_what_names_others_has_no_reader(tmp_path: Path) -> None:
    for kind in NAMING:
        path = make_hostile(tmp_path, kind.name, 9)
        for opening in (open_source, open_checked):
            with pytest.raises(UserError, match=r"refers to other files|not a video or sound file"):
                pytest.fail(f"{kind.name}: {opening(path)}")


def test_what_says_to_be_in_another_file_is_read_from_this_one_or_left_out(tmp_path: Path) -> None:
    for kind in (kind for kind in INSIDE if kind.name.startswith("quicktime")):
        assert video(make_hostile(tmp_path, kind.name, 9)).frames == 20
    assert "cannot be decoded" in refusal(make_hostile(tmp_path, ALIAS.name, 9))


def test_a_recorder_that_forgets_to_say_where_the_data_is_is_forgiven(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "a.mp4", frames=2)
    inside = b"url \0\0\0\x01"
    assert inside in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(inside, b"url \0\0\0\0"))
    open_source(path).close()
