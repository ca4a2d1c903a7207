"""The command line: segments and recordings, and nothing that a model or a study says steers the terminal."""

import json
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.cli.console import Bar, Output, aligned, print_output, to_json_line
from project.queries.segment_rows import all_segments
from project.session.session import Session
from tests.builders.clips import make_clip
from tests.builders.terminal import Terminal

SEGMENT = ("--recording", "1", "--start", "0.5", "--end", "0:01.5", "--verdict", "error", "--annotator", "Ada")


def test_a_segment_is_added_listed_edited_and_deleted_and_undo_reaches_back_over_reopening(
    tmp_path: Path, greenroom: Terminal
) -> None:
    study = greenroom.json("new", tmp_path / "lab")["study"]
    assert study.endswith("lab.greenroom")
    greenroom("add", study, make_clip(tmp_path / "walk.mp4", frames=60, size=(64, 48)))
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
    greenroom("study", "undo", study)
    assert greenroom.json("study", "undo", study)["undone"] == "Edit segment"
    assert greenroom.json("segment", "list", study)["segments"] == [made]
    greenroom("study", "redo", study)
    assert greenroom.json("segment", "list", study)["segments"] == [edited]
    greenroom("study", "redo", study)
    greenroom("study", "redo", study, code=2)


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
    assert len(greenroom.json("study", "check", path)["media"]) == 2
    greenroom("faces", "track", path, code=2)
    found = greenroom.json("study", "relink", path, tmp_path / "moved")
    assert sorted(found["relinked"]) == ["b.mp4", "other name.mp4"]
    assert greenroom.json("study", "check", path)["media"] == []
    make_clip(tmp_path / "moved" / "b.mp4", frames=24)
    assert "not the one that was added" in greenroom("faces", "track", path, "--recording", "b", code=2)


def test_deleting_says_how_many_segments_of_how_many_recordings(tmp_path: Path, greenroom: Terminal) -> None:
    size = ("--recordings", "3", "--segments", "30", "--annotators", "2")
    greenroom("study", "synthetic", tmp_path / "bare", *size, "--bare")
    assert greenroom.json("info", tmp_path / "bare.greenroom")["segments"] == 30
    path = tmp_path / "lab.greenroom"
    greenroom("study", "synthetic", path, *size)
    found = greenroom.json("info", path)
    assert (found["recordings"], found["annotators"]) == (3, 2)
    assert found["segments"] > 30, "statements and ratings are segments too"
    with Session.open(path, "Annotator 1") as session:
        who = session.annotator()
        own = [segment for segment in all_segments(session.study) if segment.annotator_id == who.id]
    first = own[0].recording_id
    other = next(segment for segment in own if segment.recording_id != first)
    same = [segment.id for segment in own if segment.recording_id == first][:2]
    deleted = greenroom("segment", "delete", path, *same, other.id, "--annotator", "Annotator 1")
    assert deleted.startswith("Deleted 3 segments in 2 recordings. Undo: greenroom study undo ")
    assert greenroom("study", "undo", path) == "Undone: Delete 3 segments in 2 recordings\n"
    assert greenroom("segment", "delete", path, other.id, "--annotator", "Annotator 1").startswith("Deleted 1 segment.")


EVIL = "\x1b[31m\x1b]0;title\x07\u202eevil\x9b31m\x7f\u2028\U000e0041"


@given(st.dictionaries(st.text(), st.text() | st.lists(st.text())))
def test_an_object_is_printable_and_says_the_same(result: dict[str, str | list[str]]) -> None:
    line = to_json_line(result)
    assert line.isprintable()
    assert json.loads(line) == result


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text() | st.just(EVIL))
def test_lines_for_people_are_printable(capsys: pytest.CaptureFixture[str], text: str) -> None:
    capsys.readouterr()
    print_output(Output({}, text), as_json=False)
    assert all(line.isprintable() for line in capsys.readouterr().out.split("\n"))


def test_progress_is_printable(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    bar = Bar(f"Ask {EVIL}")
    bar.progress(1, 1, EVIL)
    bar.progress(1, 0, EVIL)
    drawn = capsys.readouterr().err.split("\r\033[K")
    assert len(drawn) > 1
    assert all(line.isprintable() for line in drawn)


def test_a_table_and_progress_fit_the_terminal_and_texts_are_whole_elsewhere(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    rows = [("A model that looks at what is said and shown", "0.571", "12"), ("Chance", "0.333", "12")]
    assert rows[0][0] in aligned(rows, "", "Right", "n")[1]
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    head, first, second = aligned(rows, "", "Right", "n")
    assert {len(head), len(first), len(second)} == {40}
    assert first == "A model that looks at what i…  0.571  12"
    Bar("Ask about all segments").progress(1, 2, "and about many more of them")
    assert len(capsys.readouterr().err.removeprefix("\r\033[K")) < 40
