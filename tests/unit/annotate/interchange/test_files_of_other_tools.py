"""Files of other tools, with everything that is in them and times that ELAN leaves to be worked out."""

import gzip
from pathlib import Path

from annotate.interchange.annotation_files import get_format, guess_format
from annotate.interchange.document import InterchangeEntry, RecordingPart
from annotate.interchange.formats.elan import TimeSlots, interpolate_slots

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
    assert len(parts) == 12
    states = {lane.name: lane for lane in parts["observation #1"].lanes}
    spans = [(entry.start_us, entry.end_us, entry.text) for entry in states["subject1"].entries]
    assert spans == [(3_300_000, 7_750_000, "s"), (9_900_000, 16_200_000, "s"), (18_350_000, 24_475_000, "s")]
    assert states["subject2"].participant == "subject2"
    assert states["subject1"].vocabulary == ("p", "s", "q", "r", "m")
    (points,) = parts["offset positif"].lanes
    assert [(entry.start_us, entry.end_us) for entry in points.entries] == [
        (22_425_000, 22_425_000),
        (199_960_000,) * 2,
    ]
    assert [link.offset_us for link in parts["offset positif"].media] == [0, 20_000_000]
    assert parts["offset positif"].duration_us == 359_960_000
    (with_modifiers,) = parts["modifiers"].lanes
    assert with_modifiers.entries[0] == InterchangeEntry(8_475_000, 8_475_000, "q", {"modif #1": "m1"})
    assert parts["observation without events"].lanes == ()
    assert found.remarks == ("Observation “live not paired”: starts of “s” without an end are left out: 1.",)
    second = get_format("boris").read(path.with_name("boris_nopaths.boris"))
    assert len(second.recordings) == 9
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
    (lane,) = found.recordings[0].lanes
    assert [(entry.start_us, entry.end_us, entry.text) for entry in lane.entries] == [
        (1_000_000, 3_000_000, "s"),
        (2_000_000, 2_000_000, "x"),
    ]
    assert lane.entries[0].values == {"comment": "begin"}
    assert found.remarks == (
        "Observation “a”: events without a time are left out: 3.",
        "Observation “a”: events “x”, which are not in the ethogram, are read as points: 1.",
    )


def test_a_table_of_events_by_an_older_boris(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(OLD_TABULAR, "utf-8")
    found = guess_format(path).read(path)
    (part,) = found.recordings
    assert part.name == "meeting"
    assert [(lane.name, lane.participant) for lane in part.lanes] == [("P01", "P01")]
    assert part.lanes[0].entries == (
        InterchangeEntry(1_500_000, 3_000_000, "smile", {"modifier 1": "big", "comment": ["sees", "stops"]}),
        InterchangeEntry(2_000_000, 2_000_000, "nod"),
    )
    assert found.remarks == ("Starts of “smile” without a stop are left out: 1.",)


def test_an_aggregated_table_of_boris(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(AGGREGATED, "utf-8", newline="")
    assert guess_format(path).key == "boris-csv"
    (part,) = guess_format(path).read(path).recordings
    assert (part.name, part.duration_us) == ("one", 90_000_000)
    assert [link.path for link in part.media] == ["a.mp4", "b.mp4", "c.mp4"]
    nobody, person = part.lanes
    assert (nobody.name, nobody.participant, person.name) == ("No focal subject", "", "P01 gaze")
    held = {"modifier 1": "m1", "comment": ["here", "there"]}
    assert nobody.entries == (InterchangeEntry(2_000_000, 4_000_000, "s", held),)
    assert person.entries == (InterchangeEntry(3_000_000, 3_000_000, "p"),)


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


def test_several_voices_in_a_cue_and_what_is_no_cue(tmp_path: Path) -> None:
    path = tmp_path / "a.vtt"
    path.write_text(
        "WEBVTT\n\nNOTE about it\n\nSTYLE\n::cue { color: red }\n\n00:01.000 --> 00:02.000 align:start\n"
        "<v.loud Ann>Yes</v> <v Bob &amp; Co>No &lt;3\n\nbroken --> 00:03.000\nlost\n\n00:04.000 --> 00:03.000\nback\n",
        "utf-8",
    )
    found = guess_format(path).read(path)
    (part,) = found.recordings
    assert [(lane.participant, lane.entries[0].text) for lane in part.lanes] == [("Ann", "Yes "), ("Bob & Co", "No <3")]
    assert found.remarks == (
        "Cues without a time that makes sense are left out: 1.",
        "The cue at 00:00:04.000 ends before it starts, and is left out.",
    )


def test_names_in_an_srt_are_taken_only_where_they_are_plainly_meant(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    times = "00:00:0{0},000 --> 00:00:0{0},500"
    said = ["I know: it is late", "Well", "<i>Yes</i>", "No"]
    path.write_text("\n\n".join(f"{n}\n{times.format(n)}\n{text}" for n, text in enumerate(said, 1)), "utf-8")
    (part,) = guess_format(path).read(path).recordings
    assert [(lane.participant, [entry.text for entry in lane.entries]) for lane in part.lanes] == [
        ("", ["I know: it is late", "Well", "Yes", "No"])
    ]
    said = ["Ann: Hello", "Ann: Late", "Oh", "Bob: Yes", "Bob: Bye"]
    path.write_text("\n\n".join(f"{n}\n{times.format(n)}\n{text}" for n, text in enumerate(said, 1)), "utf-8")
    (part,) = guess_format(path).read(path).recordings
    assert [(lane.participant, len(lane.entries)) for lane in part.lanes] == [("Ann", 2), ("", 1), ("Bob", 2)]


def test_a_fraction_of_a_second_may_have_fewer_digits(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text("1\n00:00:01,5 --> 00:00:02,05\nHello\n", "utf-8")
    (part,) = get_format("srt").read(path).recordings
    assert [(entry.start_us, entry.end_us) for entry in part.lanes[0].entries] == [(1_500_000, 2_050_000)]


def read(tmp_path: Path, header: str, slots: str, tiers: str) -> RecordingPart:
    path = tmp_path / "a.eaf"
    order = f"<HEADER>{header}</HEADER><TIME_ORDER>{slots}</TIME_ORDER>"
    path.write_text(f"<ANNOTATION_DOCUMENT>{order}{tiers}</ANNOTATION_DOCUMENT>", "utf-8")
    [part] = get_format("eaf").read(path).recordings
    return part


def slot(name: str, value: int | None = None) -> str:
    return f'<TIME_SLOT TIME_SLOT_ID="{name}"' + (f' TIME_VALUE="{value}"/>' if value is not None else "/>")


def aligned(name: str, start: str, end: str, text: str) -> str:
    refs = f'ANNOTATION_ID="{name}" TIME_SLOT_REF1="{start}" TIME_SLOT_REF2="{end}"'
    value = f"<ANNOTATION_VALUE>{text}</ANNOTATION_VALUE>"
    return f"<ANNOTATION><ALIGNABLE_ANNOTATION {refs}>{value}</ALIGNABLE_ANNOTATION></ANNOTATION>"


def test_parts_of_a_subdivision_share_its_time_evenly() -> None:
    slots = {"a": 1000, "b": None, "c": None, "d": None, "e": None, "f": 4000}
    parts = [TimeSlots("a", "b"), TimeSlots("c", "d"), TimeSlots("e", "f")]
    assert interpolate_slots(slots, [parts]) == {"a": 1000, "b": 2000, "c": 2000, "d": 3000, "e": 3000, "f": 4000}


def test_slots_of_no_tier_lie_evenly_between_their_neighbours() -> None:
    found = interpolate_slots({"x": None, "a": 0, "b": None, "c": 100, "d": None}, [])
    assert found == {"x": None, "a": 0, "b": 50, "c": 100, "d": None}


def test_annotations_without_any_time_are_left_out(tmp_path: Path) -> None:
    tier = f'<TIER TIER_ID="t">{aligned("a1", "s1", "s2", "x")}{aligned("a2", "s3", "s4", "y")}</TIER>'
    part = read(tmp_path, "", slot("s1", 5) + slot("s2", 10) + slot("s3") + slot("s4"), tier)
    assert [entry.text for entry in part.lanes[0].entries] == ["x"]


def test_where_the_medium_begins_is_honoured(tmp_path: Path) -> None:
    first = '<MEDIA_DESCRIPTOR MEDIA_URL="a.mp4" MIME_TYPE="video/mp4" TIME_ORIGIN="2000"/>'
    second = '<MEDIA_DESCRIPTOR MEDIA_URL="b.mp4" MIME_TYPE="video/mp4" TIME_ORIGIN="500"/>'
    tier = f'<TIER TIER_ID="t">{aligned("a1", "s1", "s2", "x")}</TIER>'
    part = read(tmp_path, first + second, slot("s1", 1000) + slot("s2", 3000), tier)
    [entry] = part.lanes[0].entries
    assert (entry.start_us, entry.end_us) == (3_000_000, 5_000_000)
    assert [link.offset_us for link in part.media] == [0, 1_500_000]


def test_subdivisions_and_associations(tmp_path: Path) -> None:
    def ref(name: str, owner: str, text: str) -> str:
        value = f"<ANNOTATION_VALUE>{text}</ANNOTATION_VALUE>"
        refs = f'ANNOTATION_ID="{name}" ANNOTATION_REF="{owner}"'
        return f"<ANNOTATION><REF_ANNOTATION {refs}>{value}</REF_ANNOTATION></ANNOTATION>"

    tiers = (
        f'<TIER TIER_ID="gloss" PARENT_REF="words" LINGUISTIC_TYPE_REF="one">{ref("a4", "a3", "N")}</TIER>'
        f'<TIER TIER_ID="words" PARENT_REF="t" LINGUISTIC_TYPE_REF="cut">'
        f"{ref('a2', 'a1', 'a')}{ref('a3', 'a1', 'b')}</TIER>"
        f'<TIER TIER_ID="t">{aligned("a1", "s1", "s2", "a b")}</TIER>'
        '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="one" CONSTRAINTS="Symbolic_Association"/>'
        '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="cut" CONSTRAINTS="Symbolic_Subdivision"/>'
    )
    part = read(tmp_path, "", slot("s1", 0) + slot("s2", 1000), tiers)
    found = {lane.name: [(e.start_us, e.end_us, e.text, dict(e.values)) for e in lane.entries] for lane in part.lanes}
    assert found == {
        "words": [(0, 500_000, "a", {}), (500_000, 1_000_000, "b", {"gloss": "N"})],
        "t": [(0, 1_000_000, "a b", {})],
    }
