"""Formats that are only read, by small files after their descriptions."""

from pathlib import Path

import pytest

from annotate.interchange.annotation_files import READ_ONLY_FORMATS, get_format, guess_format, read_file
from annotate.interchange.document import Document, InterchangeEntry
from project.errors import UserError
from tests.builders.read_only_files import CHA, INTERACT, OBSERVER, RTTM

Lane = tuple[str, str, list[tuple[int, int, str]]]


def read(tmp_path: Path, name: str, text: str) -> Document:
    path = tmp_path / name
    path.write_text(text, "utf-8", newline="")
    return read_file(path)


def lanes(document: Document) -> dict[str, list[Lane]]:
    return {
        part.name: [
            (lane.name, lane.participant, [(e.start_us // 1000, e.end_us // 1000, e.text) for e in lane.entries])
            for lane in part.lanes
        ]
        for part in document.recordings
    }


def test_a_transcript_of_chat(tmp_path: Path) -> None:
    found = read(tmp_path, "walk.cha", CHA)
    assert lanes(found) == {
        "walk": [
            ("CHI", "CHI", [(1200, 2500, "more cookie .")]),
            ("%act CHI", "CHI", [(1200, 2500, "reaches for the jar")]),
            ("FAT", "FAT", [(2500, 4100, "you want another one ?")]),
        ]
    }
    [part] = found.recordings
    assert [link.path for link in part.media] == ["walk"]
    assert [lane.is_speech for lane in part.lanes] == [True, False, True]
    assert part.lanes[1].parent == "CHI"
    assert found.unread == {
        "an utterance without a time: link it to the media in CLAN": 1,
        "a line about an utterance without a time": 1,
    }


def test_turns_and_words_of_rttm(tmp_path: Path) -> None:
    assert lanes(read(tmp_path, "a.rttm", RTTM)) == {
        "walk": [
            ("SPEAKER A", "A", [(500, 1750, "speaker")]),
            ("SPEAKER B", "B", [(1750, 2250, "speaker")]),
            ("LEXEME A", "A", [(500, 800, "hello")]),
            ("NON-SPEECH", "", [(3000, 3000, "laugh")]),
        ]
    }


def test_an_event_log_of_the_observer(tmp_path: Path) -> None:
    found = read(tmp_path, "log.csv", OBSERVER)
    assert found.source == "observer"
    assert lanes(found) == {
        "visit 1": [("child", "child", [(1500, 4000, "look"), (5000, 5000, "nod")])],
        "visit 2": [("No focal subject", "", [(1000, 2250, "walk")])],
    }
    look = found.recordings[0].lanes[0].entries[0]
    assert look == InterchangeEntry(1_500_000, 4_000_000, "look", {"modifier 1": "mother", "comment": "first"})
    assert found.unread == {"a start of “walk” without a stop: stop it in The Observer": 1}


def test_events_of_interact(tmp_path: Path) -> None:
    found = read(tmp_path, "dyads.txt", INTERACT)
    assert lanes(found) == {
        "dyads": [
            ("Affect", "", [(1400, 2000, "positive"), (2000, 4960, "neutral")]),
            ("Gaze", "", [(2000, 4960, "mother")]),
        ]
    }
    affect = found.recordings[0].lanes[0].entries[0]
    assert dict(affect.values) == {"DataGroup": "home", "DataSet": "dyad 1", "comment": "smiles first"}
    assert found.remarks == ("Times count frames, which are read as 25 a second.",)
    seconds = read(tmp_path, "s.csv", "Level,Description,Number,Onset_Time,Offset_Time,Affect\n3,Event,1,0.5,1.25,A\n")
    assert lanes(seconds) == {"s": [("Affect", "", [(500, 1250, "A")])]}


def test_times_that_make_no_sense_are_left_out_and_counted(tmp_path: Path) -> None:
    digits = "9" * 5000
    head = "Time_Relative_sf;Behavior;Event_Type\n"
    for name, text, why in (
        ("a.txt", f"Onset\tOffset\tGaze\n0:00:01:{digits}\t0:00:02:00\tmother\n", "an event without times"),
        ("a.csv", f"{head}4;look;State start\n2;look;State stop\n", "a stop before its start"),
        ("b.csv", f"{head}{digits};look;Point\n", "a row without a time"),
        ("a.rttm", f"SPEAKER walk 1 nan {digits} <NA> <NA> A <NA> <NA>\n", "a line without times"),
        ("a.cha", f"@UTF8\n@Begin\n*CHI:\tyes . \x15{digits}_2\x15\n@End\n", "an utterance without a time"),
    ):
        found = read(tmp_path, name, text)
        assert not any(lane.entries for part in found.recordings for lane in part.lanes), name
        assert [(what.startswith(why), count) for what, count in found.unread.items()] == [(True, 1)], name


@pytest.mark.parametrize("key", READ_ONLY_FORMATS)
def test_what_is_only_read_refuses_other_files_and_to_be_written(key: str, tmp_path: Path) -> None:
    file_format = get_format(key)
    path = tmp_path / f"a{file_format.suffixes[0]}"
    for content in (b"", b"\xff\xfe", b"hello\n", b"a,b\n1,2\n", b"\x00" * 100, b"SPEAKER a 1 x"):
        path.write_bytes(content)
        with pytest.raises(UserError):
            file_format.read(path)
        with pytest.raises(UserError):
            guess_format(path)
    with pytest.raises(UserError):
        file_format.write(Document(()), path)
