"""Transcripts out of files and into files: what is odd is repaired and said, or refused in a line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.study import recording_edits as history
from annotate.study.recording_edits import add_recordings, probe_file
from annotate.team.assignments import hold_out
from annotate.transcript.transcript_files import (
    TRANSCRIPT_FORMATS,
    export_transcript,
    guess_transcript_format,
    import_transcript,
    transcript_text,
)
from project.entities.study_records import Utterance
from project.entities.transcript import Word
from project.errors import UserError
from project.ids import new_id
from project.queries.recording_rows import all_participants
from project.queries.transcript_rows import insert_utterances, utterances_of
from project.session.session import Session
from project.store.study import Study
from tests.builders.face_study import only_recording
from tests.builders.voices import silence, write_sound

ODD = """1
-00:00:01,000 --> 00:00:02,000
Robot: Good morning to you

2
00:00:01,500 --> 00:00:03,000
Ada: I speak over you

3
00:00:05,000 --> 00:00:04,000
Robot: This runs backwards

4
00:01:05,000 --> 00:01:06,000
Ada: After the end of it all
"""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Session]:
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as session:
        add_recordings(session, [probe_file(write_sound(tmp_path / "talk.wav", silence(8)))])
        yield session


@pytest.fixture
def here(lab: Session) -> str:
    return only_recording(lab)


def rows(session: Session, recording: str) -> list[tuple[int, int, str]]:
    return [
        (utterance.start_us // 1000, utterance.end_us // 1000, utterance.text)
        for utterance in utterances_of(session.study, recording)
    ]


def test_odd_times_are_repaired_and_said(lab: Session, here: str, tmp_path: Path) -> None:
    (tmp_path / "odd.srt").write_text(ODD)
    made = import_transcript(lab, here, tmp_path / "odd.srt")
    assert rows(lab, here) == [(0, 2000, "Good morning to you"), (1500, 3000, "I speak over you")]
    assert {participant.pseudonym for participant in all_participants(lab.study)} == {"Robot", "Ada"}
    assert not any(utterance.checked or utterance.words for utterance in utterances_of(lab.study, here))
    said = "\n".join(made.remarks)
    for part in (
        "a caption that ends before it starts",
        "another one ends: 1",
        "outside the recording",
        "cut off there",
    ):
        assert part in said
    assert lab.study.undo_name == "Import odd.srt into recording 1"
    history.undo(lab)
    assert rows(lab, here) == []
    for content in ("", "1\n00:00:05,000 --> 00:00:04,000\nBackwards\n"):
        (tmp_path / "empty.srt").write_text(content)
        with pytest.raises(UserError) as caught:
            import_transcript(lab, here, tmp_path / "empty.srt")
        assert caught.value.message.startswith("empty.srt")
        assert "\n" not in str(caught.value)
    assert rows(lab, here) == []


def test_drafts_make_room_only_when_asked_and_what_was_imported_stays(lab: Session, here: str, tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nThe first of them\n")
    (tmp_path / "b.srt").write_text("1\n00:00:03,000 --> 00:00:04,000\nAnd another one too\n")
    import_transcript(lab, here, tmp_path / "a.srt")
    with pytest.raises(UserError, match="already"):
        import_transcript(lab, here, tmp_path / "b.srt")
    made = import_transcript(lab, here, tmp_path / "b.srt", replace_drafts=True)
    assert (made.added, made.removed) == (1, 0)
    assert [text for *_, text in rows(lab, here)] == ["The first of them", "And another one too"]
    again = import_transcript(lab, here, tmp_path / "b.srt", replace_drafts=True)
    assert (again.added, again.known) == (0, 1)


def test_what_is_written_comes_back(lab: Session, here: str, tmp_path: Path) -> None:
    (tmp_path / "odd.srt").write_text(ODD)
    import_transcript(lab, here, tmp_path / "odd.srt")
    before = rows(lab, here)
    for name in ("a.srt", "a.vtt", "a.TextGrid", "a.eaf", "a.csv"):
        export_transcript(lab, here, tmp_path / name, guess_transcript_format(tmp_path / name))
        history.undo(lab)
        assert rows(lab, here) == []
        made = import_transcript(lab, here, tmp_path / name)
        assert rows(lab, here) == before, made.remarks
    with pytest.raises(UserError, match=r"\.srt"):
        guess_transcript_format(tmp_path / "a.docx")


def test_lines_and_json_hold_words_and_speakers(lab: Session, here: str, tmp_path: Path) -> None:
    words = (Word("Hi,", 100_000, 300_000, 0.5), Word("you", 300_000, 900_000, 0.75))
    with lab.step("Speak"):
        insert_utterances(
            lab.study, [Utterance(new_id(), here, 100_000, 900_000, "Hi, you", None, words, checked=False)]
        )
    assert transcript_text(lab, here) == "? [0.10-0.90]: Hi, you\n"
    export_transcript(lab, here, tmp_path / "a.json", "json")
    (found,) = json.loads((tmp_path / "a.json").read_text())["utterances"]
    assert (found["text"], found["speaker"], found["start"], found["end"]) == ("Hi, you", None, 0.1, 0.9)
    assert found["words"][0] == {"text": "Hi,", "start": 0.1, "end": 0.3, "confidence": 0.5}
    with pytest.raises(UserError, match="already exists"):
        export_transcript(lab, here, tmp_path / "a.json", "json")


def test_a_hold_out_is_never_exported(lab: Session, here: str, tmp_path: Path) -> None:
    hold_out(lab, here)
    for key in TRANSCRIPT_FORMATS:
        with pytest.raises(UserError, match="held out"):
            export_transcript(lab, here, tmp_path / "a", key)
    with pytest.raises(UserError, match="held out"):
        transcript_text(lab, here)
    assert not (tmp_path / "a").exists()
