"""The field's own libraries open what is written, and find in it what was put there."""

import csv
import html
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pysubs2
import pytest
import webvtt

from annotate.interchange.annotation_files import get_format
from annotate.interchange.document import Document, InterchangeEntry, InterchangeLane, MediaLink, RecordingPart

_NOT_HERE = 77
_BORIS = f"""
import json, sys
try:
    from boris import project_functions as functions
except (ImportError, OSError, SystemExit):
    sys.exit({_NOT_HERE})
_, changed, project, _ = functions.open_project_json(sys.argv[1])
said = functions.check_project_integrity(project, "hh:mm:ss", sys.argv[1], media_file_available=False)
counts = {{name: len(one["events"]) for name, one in project["observations"].items()}}
print(json.dumps([project.get("error"), changed, said, counts]))
"""
ATTRIBUTES = ["emotions", "norms"]
MARKS = (
    InterchangeEntry(
        0, 1_000_000, "error", {"attributes": ATTRIBUTES, "channel": "verbal", "rationale": "Late, and\nloud: so"}
    ),
    InterchangeEntry(500_000, 1_500_000, "error", {"attributes": ["norms"], "rationale": "=1+1"}),
    InterchangeEntry(1_500_000, 2_500_000, "competence"),
)
SAID = (InterchangeEntry(250_000, 900_000, "Hello <you> & all"), InterchangeEntry(1_000_000, 2_000_000, "Fine\nthanks"))
PART = RecordingPart(
    "Meeting",
    (
        InterchangeLane(
            "Ada shrec.segments", MARKS, "segments", "Ada", "", "shrec", "segments", ("error", "competence", "none")
        ),
        InterchangeLane(
            "Bob shrec.segments", MARKS[2:], "segments", "Bob", "", "shrec", "segments", ("error", "competence")
        ),
        InterchangeLane("Speech P01", SAID, "utterances", participant="P01"),
    ),
    (MediaLink("films/one.mp4"), MediaLink("films/two.mp4", 2_000_000)),
    9_000_000,
)


@pytest.fixture
def written(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    used = get_format(request.param)
    path = tmp_path / f"file{used.suffixes[0]}"
    used.write(Document((PART,)), path)
    return path


@pytest.mark.parametrize("written", ["webvtt"], indirect=True)
def test_webvtt_has_a_voice_for_each_speaker(written: Path) -> None:
    found = [(one.start, one.end, one.voice, html.unescape(one.text)) for one in webvtt.read(str(written))]
    assert found == [
        ("00:00:00.250", "00:00:00.900", "P01", "Hello <you> & all"),
        ("00:00:01.000", "00:00:02.000", "P01", "Fine\nthanks"),
    ]


@pytest.mark.parametrize("written", ["srt"], indirect=True)
def test_pysubs2_reads_the_srt(written: Path) -> None:
    found = [
        (ssa_event.start, ssa_event.end, ssa_event.plaintext)
        for ssa_event in pysubs2.load(str(written), keep_unknown_html_tags=True)
    ]
    assert found == [(250, 900, "P01: Hello <you> & all"), (1000, 2000, "P01: Fine\nthanks")]


@pytest.mark.parametrize("written", ["srt-segments"], indirect=True)
def test_segments_are_shown_with_label_and_values(written: Path) -> None:
    first = pysubs2.load(str(written))[0]
    assert (first.start, first.end) == (0, 1000)
    assert first.plaintext.split("\n")[:3] == ["Ada: error", "attributes: emotions; norms", "channel: verbal"]


@pytest.mark.parametrize("written", ["boris"], indirect=True)
def test_a_project_has_what_boris_projects_have(written: Path, shared_data: Path) -> None:
    made = json.loads(written.read_text("utf-8"))
    theirs = json.loads((shared_data / "interchange" / "boris_test.boris").read_text("utf-8"))
    assert made.keys() >= theirs.keys()
    assert made["project_format_version"] == theirs["project_format_version"] == "7.0"
    for part in ("subjects_conf", "behaviors_conf", "independent_variables"):
        assert all(one.keys() >= theirs[part]["0"].keys() for one in made[part].values())
    known = {one["code"]: one for one in made["behaviors_conf"].values()}
    assert len(known) == len(made["behaviors_conf"])
    subjects = {one["name"] for one in made["subjects_conf"].values()} | {""}
    assert list(made["observations"]) == ["Meeting [Ada]", "Meeting [Bob]", "Meeting"]
    for one in made["observations"].values():
        assert one.keys() >= theirs["observations"]["observation #1"].keys()
        assert one["media_info"].keys() >= theirs["observations"]["observation #1"]["media_info"].keys()
        assert one["media_info"]["length"] == {"films/one.mp4": 9.0, "films/two.mp4": 9.0}
        assert one["media_info"]["offset"] == {"1": 0.0, "2": 2.0}
        pairs = Counter((subject, code, modifiers) for _, subject, code, modifiers, *_ in one["events"])
        assert all(count % 2 == 0 for count in pairs.values())
        for at, subject, code, modifiers, _, frame in one["events"]:
            assert isinstance(at, float)
            assert subject in subjects
            assert len(modifiers.split("|")) == max(1, len(known[code]["modifiers"]))
            assert frame == "NA"


@pytest.mark.parametrize("written", ["boris"], indirect=True)
def test_events_of_a_project(written: Path) -> None:
    made = json.loads(written.read_text("utf-8"))["observations"]["Meeting [Ada]"]["events"]
    first = "rationale: Late, and\n  loud: so"
    assert made == [
        [0.0, "", "error", "emotions,norms|verbal", first, "NA"],
        [0.5, "#2", "error", "norms|None", "rationale: =1+1", "NA"],
        [1.0, "", "error", "emotions,norms|verbal", "", "NA"],
        [1.5, "#2", "error", "norms|None", "", "NA"],
        [1.5, "", "competence", "None|None", "", "NA"],
        [2.5, "", "competence", "None|None", "", "NA"],
    ]


@pytest.mark.parametrize("written", ["boris"], indirect=True)
def test_boris_opens_a_project_and_finds_nothing_wrong(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    done = subprocess.run([sys.executable, "-c", _BORIS, str(written)], capture_output=True, text=True, check=False)
    if done.returncode == _NOT_HERE:
        pytest.skip("BORIS, or a library that it needs, is not installed")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found == [None, False, "", {"Meeting [Ada]": 6, "Meeting [Bob]": 2, "Meeting": 4}]


@pytest.mark.parametrize("written", ["boris-csv"], indirect=True)
def test_a_table_has_the_columns_of_boris(written: Path) -> None:
    with written.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = ("Observation id", "Subject", "Behavior", "Modifier #1", "Behavior type", "Start (s)", "Stop (s)")
    assert [tuple(row[name] for name in wanted) for row in rows[:2]] == [
        ("Meeting [Ada]", "", "error", "emotions,norms", "STATE", "0.000", "1.000"),
        ("Meeting [Ada]", "", "error", "norms", "STATE", "0.500", "1.500"),
    ]
    assert [row["Comment start"] for row in rows if row["Kind"] == "utterance"] == ["Hello <you> & all", "Fine\nthanks"]
    assert not any(cell[:1] in ("=", "+", "-", "@") for row in rows for cell in row.values())


def test_pyvyu_reads_the_columns(tmp_path: Path) -> None:
    pyvyu = pytest.importorskip("pyvyu", reason="its installation brings many test tools with it")
    # It knows nothing of what a backslash stands before.
    marks = (
        InterchangeEntry(0, 1_000_000, "error", {"rationale": "Late"}),
        InterchangeEntry(1_500_000, 2_500_000, "competence"),
    )
    path = tmp_path / "file.opf"
    lane = InterchangeLane("Ada shrec.segments", marks, "segments", "Ada", "", "shrec", "segments")
    get_format("datavyu").write(Document((RecordingPart("Meeting", (lane,)),)), path)
    column = pyvyu.load_opf(str(path)).get_column("Ada_shrec_segments")
    assert list(column.codelist) == ["label", "id", "rationale"]
    cells = [(cell.onset, cell.offset, cell.get_code("label")) for cell in column.sorted_cells()]
    assert cells == [(0, 1000, "error"), (1500, 2500, "competence")]
