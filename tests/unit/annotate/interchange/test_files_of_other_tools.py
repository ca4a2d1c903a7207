"""Files of BORIS, Datavyu and Praat, with everything that is in them."""

import gzip
import json
from pathlib import Path
from typing import Any

from annotate.interchange.annotation_files import get_format, guess_format
from annotate.interchange.document import InterchangeEntry

OLD_TABULAR = """Observation id\tmeeting
Media file(s)
Player #1\tone.mp4

Time\tMedia file path\tTotal length\tFPS\tSubject\tBehavior\tBehavioral category\tModifiers\tComment\tStatus
1.500\tone.mp4\t60.0\t25\tP01\tsmile\t\tbig\tsees\tSTART
2.000\tone.mp4\t60.0\t25\tP01\tnod\t\t\t\tPOINT
3.000\tone.mp4\t60.0\t25\tP01\tsmile\t\tbig\tstops\tSTOP
4.000\tone.mp4\t60.0\t25\tP01\tsmile\t\tbig\t\tSTART
"""
AGGREGATED = (
    "Observation id,Observation date,Description,Observation type,Source,Time offset (s),Coding duration,"
    "Media duration (s),FPS (frame/s),Subject,Observation duration by subject by observation,Behavior,"
    "Behavioral category,Modifier #1,Behavior type,Start (s),Stop (s),Duration (s),Media file name,Image index start,"
    "Image index stop,Image file path start,Image file path stop,Comment start,Comment stop\r\n"
    "one,2026-01-01 10:00:00,,Media file,player #1:a.mp4;b.mp4|player #2:c.mp4,10.0,5.000,60.000;30.000|60.000,"
    "25.000;25.000|25.000,No focal subject,2.0,s,Not defined,m1,STATE,12.000,14.000,2.000,a.mp4,NA,NA,,,here,there\r\n"
    "one,2026-01-01 10:00:00,,Media file,player #1:a.mp4;b.mp4|player #2:c.mp4,10.0,5.000,60.000;30.000|60.000,"
    "25.000;25.000|25.000,P01,2.0,p,gaze,,POINT,13.000,13.000,NA,a.mp4,NA,NA,,,,\r\n"
)


def test_a_boris_project(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "interchange" / "boris_test.boris"
    assert guess_format(path).key == "boris"
    found = get_format("boris").read(path)
    (tmp_path / "again.boris.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert get_format("boris").read(tmp_path / "again.boris.gz") == found
    parts = {part.name: part for part in found.recordings}
    assert len(parts) == 13
    states = {lane.name: lane for lane in parts["observation #1"].lanes}
    spans = [(entry.start_us, entry.end_us, entry.text) for entry in states["subject1"].entries]
    assert spans == [(3_300_000, 7_750_000, "s"), (9_900_000, 16_200_000, "s"), (18_350_000, 24_475_000, "s")]
    assert states["subject2"].participant == "subject2"
    assert states["subject1"].vocabulary == ("s", "r", "m")
    points, about = parts["offset positif"].lanes
    assert about.about_recording
    assert about.value_sets["c"].values == ("111", "222", "333")
    assert dict(about.entries[0].values) == {"observation": "offset positif", "date": "2016-12-10T15:44:57", "c": "111"}
    assert [(entry.start_us, entry.end_us) for entry in points.entries] == [
        (22_425_000, 22_425_000),
        (199_960_000,) * 2,
    ]
    assert [link.offset_us for link in parts["offset positif"].media] == [0, 20_000_000]
    assert parts["offset positif"].duration_us == 359_960_000
    with_modifiers, _, _ = parts["modifiers"].lanes
    assert with_modifiers.entries[0] == InterchangeEntry(8_475_000, 8_475_000, "q", {"modif #1": "m1"})
    assert [lane.name for lane in parts["observation without events"].lanes] == ["Observation"]
    assert found.unread == {"a start of “s” of observation “live not paired” without an end: end it in BORIS": 1}
    queued = [parts[f"observation #2 (video_test_25fps_{length}s.mp4)"] for length in (180, 360)]
    assert [part.lanes[0].entries[0].start_us for part in queued] == [1_800_000, 47_805_000]
    second = get_format("boris").read(path.with_name("boris_nopaths.boris"))
    assert len(second.recordings) == 10
    assert [link.path for link in second.recordings[-2].media] == ["video1.mp4", "video2.mp4"]


def test_events_without_a_time_and_out_of_the_ethogram_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.boris"
    path.write_text(
        '{"behaviors_conf": {"0": {"type": "State event", "code": "s", "modifiers": {}}}, "observations": {"a": '
        '{"type": "LIVE", "file": {}, "events": [["NA", "", "s", "", ""], [NaN, "", "s", "", ""], [2, "", "x", "", ""],'
        '[3, "", "s", "", "begin"], [1, "", "s", "", ""], [1e99, "", "s", "", ""]]}}}',
        "utf-8",
    )
    found = get_format("boris").read(path)
    states, points = found.recordings[0].lanes
    assert [(e.start_us, e.end_us, e.text) for lane in (states, points) for e in lane.entries] == [
        (1_000_000, 3_000_000, "s"),
        (2_000_000, 2_000_000, "x"),
    ]
    assert states.entries[0].values == {"comment": "begin"}
    assert found.unread == {"an event of observation “a” without a time": 3}
    assert found.remarks == ("Events “x” of observation “a” are not in the ethogram, and are read as points: 1.",)


def test_a_table_of_events_by_an_older_boris(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(OLD_TABULAR, "utf-8")
    found = guess_format(path).read(path)
    (part,) = found.recordings
    assert part.name == "meeting"
    assert [(lane.name, lane.participant) for lane in part.lanes] == [("P01", "P01"), ("P01 Behaviors (points)", "P01")]
    assert [lane.entries for lane in part.lanes] == [
        (InterchangeEntry(1_500_000, 3_000_000, "smile", {"modifier 1": "big", "comment": ["sees", "stops"]}),),
        (InterchangeEntry(2_000_000, 2_000_000, "nod"),),
    ]
    assert found.unread == {"a start of “smile” without a stop": 1}


def test_an_aggregated_table_of_boris(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(AGGREGATED, "utf-8", newline="")
    assert guess_format(path).key == "boris-csv"
    (part,) = guess_format(path).read(path).recordings
    assert (part.name, part.duration_us) == ("one (a.mp4)", 60_000_000)
    assert [link.path for link in part.media] == ["a.mp4", "c.mp4"]
    nobody, person = part.lanes
    assert (nobody.name, nobody.participant, person.name) == ("No focal subject", "", "P01 gaze")
    held = {"modifier 1": "m1", "comment": ["here", "there"]}
    assert nobody.entries == (InterchangeEntry(2_000_000, 4_000_000, "s", held),)
    assert person.entries == (InterchangeEntry(3_000_000, 3_000_000, "p"),)


def read_observation(tmp_path: Path, file: dict[str, list[str]], events: list[list[Any]], **info: Any) -> list[Any]:
    behaviors = {"0": {"type": "State event", "code": "smile"}, "1": {"type": "Point event", "code": "nod"}}
    observation = {"type": "MEDIA", "file": file, "events": events, "media_info": info}
    project = {"behaviors_conf": behaviors, "observations": {"both": observation}}
    path = tmp_path / "a.boris"
    path.write_text(json.dumps(project), "utf-8")
    return [
        (
            part.name,
            [(link.path, link.offset_us) for link in part.media],
            [(entry.start_us, entry.end_us, entry.text) for lane in part.lanes for entry in lane.entries],
        )
        for part in get_format("boris").read(path).recordings
    ]


SECOND = 1_000_000
SMILE = [[58, "P1", "smile", "", ""], [72.5, "P1", "smile", "", ""]]
NODS = [[at, "P1", "nod", "", ""] for at in (5, 60, 65)]
LENGTHS = {"v/a.mp4": 60.0, "v/b.mp4": 60.0, "c.mp4": 30.0}


def test_an_observation_is_a_part_for_each_file_in_the_queue_of_the_first_player(tmp_path: Path) -> None:
    found = read_observation(
        tmp_path, {"1": ["v/a.mp4", "v/b.mp4"], "2": ["c.mp4"]}, SMILE + NODS, length=LENGTHS, offset={"2": 50.0}
    )
    assert found == [
        (
            "both (a.mp4)",
            [("v/a.mp4", 0), ("c.mp4", 50 * SECOND)],
            [(5 * SECOND, 5 * SECOND, "nod"), (58 * SECOND, 60 * SECOND, "smile")],
        ),
        (
            "both (b.mp4)",
            [("v/b.mp4", 0), ("c.mp4", -10 * SECOND)],
            [(0, 12_500_000, "smile"), (0, 0, "nod"), (5 * SECOND, 5 * SECOND, "nod")],
        ),
    ]
    for file, lengths in (({"1": ["v/a.mp4", "v/b.mp4"]}, {}), ({"1": [], "2": ["c.mp4"]}, LENGTHS), ({}, {})):
        ((name, _, entries),) = read_observation(tmp_path, file, NODS, length=lengths)
        assert (name, len(entries)) == ("both", len(NODS)), "no queue of known lengths: no event is lost or doubled"


def test_rows_of_a_further_file_in_an_older_table_are_left_out_as_nobody_knows_when_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    columns = "Observation id\tMedia file\tTotal length\tSubject\tBehavior\tBehavior type\tStart (s)\tStop (s)\n"
    rows = "one\ta.mp4\t90\tP1\ts\tSTATE\t1\t2\none\tb.mp4\t90\tP1\ts\tSTATE\t65\t70\n"
    path.write_text(columns + rows, "utf-8")
    found = guess_format(path).read(path)
    [part] = found.recordings
    assert [link.path for link in part.media] == ["a.mp4"]
    assert [entry.start_us for lane in part.lanes for entry in lane.entries] == [SECOND]
    assert found.unread == {"a row of a further file, of which nobody knows when it begins": 1}


def test_spreadsheets_of_datavyu(shared_data: Path) -> None:
    for name, text in (("datavyu_demo.opf", "textdata1 with a \\"), ("datavyu_shapa.opf", "textdata1")):
        path = shared_data / "interchange" / name
        assert guess_format(path).key == "datavyu"
        (part,) = guess_format(path).read(path).recordings
        lanes = {lane.name: lane.entries for lane in part.lanes}
        assert list(lanes) == ["float", "int", "text", "nominal", "predicate", "matrix"]
        assert all(len(entries) == 10 for entries in lanes.values())
        assert lanes["text"][1] == InterchangeEntry(5_000_000, 10_000_000, text)
        assert lanes["nominal"][0].text == "nom1"
        assert lanes["matrix"][1] == InterchangeEntry(
            30_000_000, 31_000_000, "1.200000", {"int": "4", "nominal": "nm", "qstring": "qs"}
        )
