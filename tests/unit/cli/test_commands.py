"""The command line, run in this process: what it prints, how it ends, what it refuses."""

import json
from pathlib import Path

import pytest

from tests.builders.clips import make_clip
from tests.builders.terminal import Terminal


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("clips") / "walk.mp4", frames=60, size=(160, 120), sound=True)


@pytest.fixture
def study(tmp_path: Path, clip: Path, greenroom: Terminal) -> Path:
    path = tmp_path / "lab.greenroom"
    greenroom("new", path)
    greenroom("add", path, clip)
    return path


SEGMENT = ("--recording", "1", "--start", "0.5", "--end", "0:01.5", "--verdict", "error", "--annotator", "Ada")


def test_a_new_study_is_empty(tmp_path: Path, greenroom: Terminal) -> None:
    made = greenroom.json("new", tmp_path / "lab")
    assert made["study"].endswith("lab.greenroom")
    found = greenroom.json("info", made["study"])
    assert (found["recordings"], found["segments"], found["annotators"]) == (0, 0, 0)
    assert greenroom.json("check", made["study"])["ok"] is True
    assert [p.name for p in tmp_path.iterdir()] == ["lab.greenroom"]


def test_an_existing_study_is_not_overwritten(study: Path, greenroom: Terminal) -> None:
    before = study.read_bytes()
    greenroom("new", study, code=2)
    greenroom("synthetic", study, "--segments", "1", code=2)
    assert study.read_bytes() == before


def test_a_segment_is_added_listed_edited_and_deleted(study: Path, greenroom: Terminal) -> None:
    made = greenroom.json(
        "segment", "add", study, *SEGMENT, "--attribute", "norms", "--attribute", "emotions", "--channel", "both",
        "--rationale", "It looked away “again”.", "--correction", "Look at her.",
    )  # fmt: skip
    assert (made["start"], made["end"], made["verdict"]) == (0.5, 1.5, "error")
    assert made["attributes"] == ["emotions", "norms"]
    (listed,) = greenroom.json("segment", "list", study)["segments"]
    assert listed == made
    assert made["id"] in greenroom("segment", "list", study, "--recording", "walk.mp4", "--annotator", "Ada")
    assert greenroom.json("segment", "list", study, "--annotator", "Bo")["segments"] == []
    edited = greenroom.json("segment", "edit", study, made["id"], "--end", "1.75", "--rationale", "")
    assert (edited["end"], edited["rationale"], edited["correction"]) == (1.75, None, "Look at her.")
    greenroom("segment", "delete", study, made["id"], "--annotator", "Ada")
    assert greenroom.json("info", study)["segments"] == 0


def test_nobody_changes_what_somebody_else_made(study: Path, greenroom: Terminal) -> None:
    made = greenroom.json("segment", "add", study, *SEGMENT)
    greenroom("segment", "add", study, *SEGMENT, "--annotator", "Bo")
    for name in ("Bo", "Cy"):
        assert "somebody else" in greenroom(
            "segment", "edit", study, made["id"], "--end", "1.75", "--annotator", name, code=2
        )
        assert "somebody else" in greenroom("segment", "delete", study, made["id"], "--annotator", name, code=2)
    assert made in greenroom.json("segment", "list", study)["segments"]


def test_undo_and_redo_reach_back_over_reopening(study: Path, greenroom: Terminal) -> None:
    made = greenroom.json("segment", "add", study, *SEGMENT)
    greenroom("segment", "edit", study, made["id"], "--verdict", "competence", "--annotator", "Ada")
    assert greenroom.json("undo", study)["undone"] == "Edit segment"
    (listed,) = greenroom.json("segment", "list", study)["segments"]
    assert listed == made
    greenroom("undo", study)
    assert greenroom.json("info", study)["segments"] == 0
    greenroom("redo", study)
    greenroom("redo", study)
    (listed,) = greenroom.json("segment", "list", study)["segments"]
    assert listed == {**made, "label": "competence", "verdict": "competence"}
    greenroom("redo", study, code=2)
    for _ in range(3):
        greenroom("undo", study)
    greenroom("undo", study, code=2)


@pytest.mark.parametrize(
    "wrong",
    [
        ("--start", "soon"),
        ("--end", "0.5"),
        ("--end", "9:00"),
        ("--verdict", "bad"),
        ("--attribute", "charm"),
        ("--channel", "telepathy"),
        ("--recording", "7"),
        ("--recording", "nobody.mp4"),
        ("--annotator", " "),
    ],
)
def test_a_wrong_segment_is_refused_in_one_line(study: Path, greenroom: Terminal, wrong: tuple[str, str]) -> None:
    greenroom("segment", "add", study, *SEGMENT, *wrong, code=2)
    assert greenroom.json("info", study)["segments"] == 0


def test_only_an_error_has_a_correction(study: Path, greenroom: Terminal) -> None:
    greenroom("segment", "add", study, *SEGMENT, "--verdict", "competence", "--correction", "No.", code=2)


def test_what_is_not_a_study_is_refused_unchanged(tmp_path: Path, greenroom: Terminal) -> None:
    alien = tmp_path / "alien.greenroom"
    alien.write_bytes(b"hello")
    for command in ("info", "undo", "faces"):
        greenroom(command, alien, code=2)
        greenroom(command, tmp_path / "missing.greenroom", code=2)
        greenroom(command, tmp_path, code=2)
    found = json.loads(greenroom("check", alien, "--json", code=2).splitlines()[-1])
    assert found["ok"] is False
    assert found["problems"]
    assert alien.read_bytes() == b"hello"
    assert not (tmp_path / "missing.greenroom").exists()


def test_bad_videos_are_refused_and_leave_nothing_behind(study: Path, tmp_path: Path, greenroom: Terminal) -> None:
    text = tmp_path / "notes.mp4"
    text.write_text("not a video")
    zero = tmp_path / "zero.mp4"
    zero.touch()
    cut = tmp_path / "cut.mp4"
    cut.write_bytes((make_clip(tmp_path / "whole.mp4", frames=30)).read_bytes()[:900])
    for bad in (text, zero, cut, tmp_path, tmp_path / "nowhere.mp4"):
        greenroom("add", study, bad, code=2)
        greenroom("add", study, tmp_path / "whole.mp4", bad, code=2)
    assert greenroom.json("info", study)["recordings"] == 1


def test_the_same_video_is_added_once(study: Path, clip: Path, greenroom: Terminal) -> None:
    assert "recording 1" in greenroom("add", study, clip, code=2)


def test_a_path_may_hold_anything_a_file_name_may(tmp_path: Path, study: Path, greenroom: Terminal) -> None:
    odd = tmp_path / "a b'\"🎬\nc"
    odd.mkdir()
    video = make_clip(odd / 'it\'s "q" 🎥\n.mp4', frames=20)
    added = greenroom.json("add", study, video)
    assert added["recordings"][0]["number"] == 2
    listed = greenroom.json("info", study)["recording_list"][1]
    assert listed["media"] == "present"


def test_a_moved_file_is_relinked_by_its_content(tmp_path: Path, greenroom: Terminal) -> None:
    videos = [make_clip(tmp_path / f"{name}.mp4", frames=20 + i) for i, name in enumerate("ab")]
    path = tmp_path / "lab.greenroom"
    greenroom("new", path)
    greenroom("add", path, *videos)
    (tmp_path / "moved").mkdir()
    videos[0].rename(tmp_path / "moved" / "other name.mp4")
    videos[1].rename(tmp_path / "moved" / "b.mp4")
    greenroom("segment", "add", path, "--recording", "a", *SEGMENT[2:], "--end", "0.6")
    assert len(greenroom.json("check", path)["media"]) == 2
    greenroom("faces", path, code=2)
    found = greenroom.json("relink", path, tmp_path / "moved")
    assert sorted(found["relinked"]) == ["b.mp4", "other name.mp4"]
    assert greenroom.json("check", path)["media"] == []
    greenroom("relink", path, tmp_path / "nowhere", code=2)


def test_a_file_replaced_by_another_is_not_used(tmp_path: Path, greenroom: Terminal) -> None:
    video = make_clip(tmp_path / "a.mp4", frames=20)
    path = tmp_path / "lab.greenroom"
    greenroom("new", path)
    greenroom("add", path, video)
    make_clip(video, frames=24)
    assert "not the one that was added" in greenroom("faces", path, code=2)


def test_nothing_is_exported_unseen(study: Path, tmp_path: Path, greenroom: Terminal) -> None:
    out = tmp_path / "clips"
    assert "not been tracked" in greenroom("anonymize", study, "--recording", "1", "--out", out, code=2)
    assert not out.exists()


def test_faces_then_an_export_in_range(study: Path, tmp_path: Path, greenroom: Terminal) -> None:
    found = greenroom.json("faces", study, "--recording", "1")
    assert (found["frames"], found["frames_with_face"], found["tracks"]) == (60, 0, 0)
    out = tmp_path / "clips"
    made = greenroom.json("anonymize", study, "--recording", "1", "--out", out, "--start", "0.5", "--end", "1")
    assert made["faces_left"] == []
    assert Path(made["output"]).stat().st_size > 0
    assert "walk" not in Path(made["output"]).name
    assert greenroom.json("check", study)["ok"] is True
    before = Path(made["output"]).read_bytes()
    greenroom("anonymize", study, "--recording", "1", "--out", out, "--start", "0.5", "--end", "1", code=2)
    greenroom("anonymize", study, "--recording", "1", "--out", out, "--start", "2", "--end", "1", code=2)
    greenroom("anonymize", study, "--recording", "1", "--out", out, "--method", "magic", code=2)
    assert Path(made["output"]).read_bytes() == before
    assert len(list(out.iterdir())) == 1


def test_a_synthetic_study_has_the_size_asked_for(tmp_path: Path, greenroom: Terminal) -> None:
    path = tmp_path / "big.greenroom"
    size = ("--recordings", "5", "--segments", "321", "--annotators", "3")
    greenroom("synthetic", path, *size, "--bare")
    found = greenroom.json("info", path)
    assert (found["recordings"], found["segments"], found["annotators"]) == (5, 321, 3)
    path = tmp_path / "whole.greenroom"
    greenroom("synthetic", path, *size)
    assert greenroom.json("info", path)["segments"] > 321, "statements and ratings are segments too"
    assert greenroom.json("check", path)["ok"] is True


def test_a_wrong_command_line_is_one_line(greenroom: Terminal) -> None:
    greenroom("dance", code=2)
    greenroom("new", code=2)
    greenroom("segment", "add", "x.greenroom", code=2)
