"""The command line, run in this process: what it prints, how it ends, what it refuses."""

import json
from pathlib import Path

import pytest

from project.queries.segment_rows import all_segments
from project.session.session import Session
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


def test_a_path_may_hold_anything_a_file_name_may(tmp_path: Path, study: Path, greenroom: Terminal) -> None:
    odd = tmp_path / "a b'\"🎬\nc"
    odd.mkdir()
    video = make_clip(odd / 'it\'s "q" 🎥\n.mp4', frames=20)
    added = greenroom.json("add", study, video)
    assert added["recordings"][0]["number"] == 2
    listed = greenroom.json("info", study)["recording_list"][1]
    assert listed["media"] == "present"


def test_a_moved_file_is_relinked_by_its_content_and_one_replaced_by_another_is_not_used(
    tmp_path: Path, greenroom: Terminal
) -> None:
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
    make_clip(tmp_path / "moved" / "b.mp4", frames=24)
    assert "not the one that was added" in greenroom("faces", path, "--recording", "b", code=2)


def test_faces_then_an_export_in_range(study: Path, tmp_path: Path, greenroom: Terminal) -> None:
    found = greenroom.json("faces", study, "--recording", "1")
    assert (found["frames"], found["frames_with_face"], found["tracks"]) == (60, 0, 0)
    out = tmp_path / "clips"
    made = greenroom.json("anonymize", study, "--recording", "1", "--out", out, "--start", "0.5", "--end", "1")
    assert made["faces_left"] == []
    assert Path(made["output"]).stat().st_size > 0
    assert "walk" not in Path(made["output"]).name
    assert greenroom.json("check", study)["ok"] is True
    assert len(list(out.iterdir())) == 1


def test_a_synthetic_study_has_the_size_asked_for(tmp_path: Path, greenroom: Terminal) -> None:
    size = ("--recordings", "5", "--segments", "60", "--annotators", "3")
    for name, more in (("bare", ["--bare"]), ("whole", [])):
        greenroom("synthetic", tmp_path / name, *size, *more)
        found = greenroom.json("info", tmp_path / f"{name}.greenroom")
        assert (found["recordings"], found["annotators"]) == (5, 3)
        assert (found["segments"] == 60) == (name == "bare"), "statements and ratings are segments too"


def test_deleting_says_how_many_segments_of_how_many_recordings(tmp_path: Path, greenroom: Terminal) -> None:
    path = tmp_path / "lab.greenroom"
    greenroom("synthetic", path, "--recordings", "3", "--segments", "30")
    with Session.open(path, "Annotator 1") as session:
        who = session.annotator()
        own = [segment for segment in all_segments(session.study) if segment.annotator_id == who.id]
    first = own[0].recording_id
    other = next(segment for segment in own if segment.recording_id != first)
    same = [segment.id for segment in own if segment.recording_id == first][:2]
    deleted = greenroom("segment", "delete", path, *same, other.id, "--annotator", "Annotator 1")
    assert deleted.startswith("Deleted 3 segments in 2 recordings. Undo: greenroom undo ")
    assert greenroom("undo", path) == "Undone: Delete 3 segments in 2 recordings\n"
    assert greenroom("segment", "delete", path, other.id, "--annotator", "Annotator 1").startswith("Deleted 1 segment.")
