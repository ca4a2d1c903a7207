"""What we write opens in the libraries of the field with the right content, and fits the description of the format."""

import csv
import html
import json
import tempfile
from pathlib import Path

import pysubs2
import pytest
import webvtt
import xmlschema
from hypothesis import HealthCheck, given, settings
from praatio import textgrid
from pympi.Elan import Eaf

from annotate.interchange.annotation_files import get_format
from annotate.interchange.document import Document, InterchangeEntry, InterchangeLane, MediaLink, RecordingPart
from annotate.interchange.document_export import build_document, exportable_recordings
from project.ids import new_id
from tests.builders.interchange_studies import Content, contents, opened

SCHEMA = xmlschema.XMLSchema(str(Path(__file__).with_name("eaf_3_0.xsd")))
SOME = settings(max_examples=settings.default.max_examples // 3, suppress_health_check=list(HealthCheck))
OVERLAPPING = (
    InterchangeEntry(
        1_000_500, 3_000_000, "error", {"attributes": ["norms", "emotions"], "rationale": "A “why” & <so>"}, new_id()
    ),
    InterchangeEntry(2_000_000, 4_000_000, "competence", {}, new_id()),
)
DOCUMENT = Document(
    (
        RecordingPart(
            "walk",
            (
                InterchangeLane(
                    *("Ada shrec.segments", OVERLAPPING, "segments", "Ada", "", "shrec", "segments"),
                    ("error", "competence"),
                ),
                InterchangeLane(
                    "Speech P01", (InterchangeEntry(0, 900_000, "Hello."),), "utterances", participant="P01"
                ),
            ),
            (MediaLink("footage/walk.mp4"),),
            5_000_000,
        ),
    )
)  # fmt: skip


@pytest.fixture
def eaf(tmp_path: Path) -> Path:
    get_format("eaf").write(DOCUMENT, tmp_path / "a.eaf")
    return tmp_path / "a.eaf"


def test_pympi_finds_tiers_values_vocabulary_and_media(eaf: Path) -> None:
    found = Eaf(eaf)
    assert found.get_annotation_data_for_tier("Ada shrec.segments") == [(1000, 3000, "error")]
    assert found.get_annotation_data_for_tier("Ada shrec.segments-2") == [(2000, 4000, "competence")]
    assert found.get_annotation_data_for_tier("Speech P01") == [(0, 900, "Hello.")]
    [reason] = found.get_ref_annotation_data_for_tier("Ada shrec.segments rationale")
    assert reason[:3] == (1000, 3000, "A “why” & <so>")
    assert found.get_parameters_for_tier("Ada shrec.segments")["ANNOTATOR"] == "Ada"
    assert found.get_parameters_for_tier("Speech P01")["PARTICIPANT"] == "P01"
    assert [media["RELATIVE_MEDIA_URL"] for media in found.media_descriptors] == ["./footage/walk.mp4"]
    entries = found.get_cv_entries("shrec.segments")
    assert [values[0][0] for values, *_ in entries.values()] == ["error", "competence"]


@given(content=contents())
@SOME
def test_any_study_fits_the_description(content: Content) -> None:
    with opened(content) as session, tempfile.TemporaryDirectory() as folder:
        for recording in exportable_recordings(session):
            path = Path(folder) / "a.eaf"
            get_format("eaf").write(build_document(session, [recording]), path)
            SCHEMA.validate(str(path))


def test_what_pympi_saves_again_is_read_with_fields_and_ids(eaf: Path) -> None:
    again = eaf.with_name("again.eaf")
    Eaf(eaf).to_file(again)
    [part] = get_format("eaf").read(again).recordings
    marked = next(lane for lane in part.lanes if lane.name == "Ada shrec.segments")
    assert sorted(entry.id for entry in marked.entries) == sorted(entry.id for entry in OVERLAPPING)
    assert dict(marked.entries[0].values) == {"attributes": "norms; emotions", "rationale": "A “why” & <so>"}


def test_praatio_finds_tiers_without_a_gap(tmp_path: Path) -> None:
    path = tmp_path / "a.textgrid"
    get_format("textgrid").write(DOCUMENT, path)
    found = textgrid.openTextgrid(str(path), includeEmptyIntervals=True, reportingMode="error")
    assert found.maxTimestamp == 5
    [first, second, speech] = (
        [(start, end, text) for start, end, text in found.getTier(name).entries if text]
        for name in ("Ada | shrec.segments", "Ada | shrec.segments #2", "Speech | P01")
    )
    assert (first, second, speech) == ([(1.0005, 3, "error")], [(2, 4, "competence")], [(0, 0.9, "Hello.")])
    for tier in found.tiers:
        edges = [0.0, *(entry.end for entry in tier.entries)]
        assert [entry.start for entry in tier.entries] == edges[:-1]
        assert edges[-1] == 5


@pytest.mark.parametrize(("form", "encoding"), [("long_textgrid", "utf-16"), ("short_textgrid", "utf-8")])
def test_what_praatio_writes_is_read(form: str, encoding: str, tmp_path: Path) -> None:
    made = textgrid.Textgrid()
    made.addTier(textgrid.IntervalTier("wörter", [(0.5, 1.25, 'say "yes"'), (2, 3, "no")], 0, 4))
    made.addTier(textgrid.PointTier("clicks", [(1.5, "!")], 0, 4))
    path = tmp_path / "a.textgrid"
    made.save(str(path), format=form, includeBlankSpaces=True)
    path.write_bytes(path.read_text("utf-8").encode(encoding))
    [part] = get_format("textgrid").read(path).recordings
    assert [(lane.name, [(e.start_us, e.end_us, e.text) for e in lane.entries]) for lane in part.lanes] == [
        ("wörter", [(500_000, 1_250_000, 'say "yes"'), (2_000_000, 3_000_000, "no")]),
        ("clicks", [(1_500_000, 1_500_000, "!")]),
    ]
    assert part.duration_us == 4_000_000


def test_elans_own_sample(shared_data: Path) -> None:
    path = shared_data / "interchange" / "elan_sample_2.8.eaf"
    [part] = get_format("eaf").read(path).recordings
    theirs = Eaf(path)
    for name in ("text", "gestures"):
        lane = next(interchange_lane for interchange_lane in part.lanes if interchange_lane.name == name)
        found = [(entry.start_us // 1000, entry.end_us // 1000, entry.text) for entry in lane.entries]
        assert found == sorted(theirs.get_annotation_data_for_tier(name))
    words = next(interchange_lane for interchange_lane in part.lanes if interchange_lane.name == "words-symsub")
    assert len(words.entries) == 1995
    assert words.entries[1].values == {"words-pos": "adj"}


ATTRIBUTES = ["emotions", "norms"]
MARKS = (
    InterchangeEntry(
        0, 1_000_000, "error", {"attributes": ATTRIBUTES, "channel": "verbal", "rationale": "Late, and\nloud: so"}
    ),
    InterchangeEntry(500_000, 1_500_000, "error", {"attributes": ["norms"], "rationale": "=1+1"}),
    InterchangeEntry(1_500_000, 2_500_000, "competence"),
)
PART = RecordingPart(
    "Meeting",
    (
        InterchangeLane(
            "Ada shrec.segments", MARKS, "segments", "Ada", "", "shrec", "segments", ("error", "competence", "none")
        ),
        InterchangeLane(
            "Bob shrec.segments", MARKS[2:], "segments", "Bob", "", "shrec", "segments", ("error", "competence")
        ),
        InterchangeLane(
            "Speech P01",
            (
                InterchangeEntry(250_000, 900_000, "Hello <you> & all"),
                InterchangeEntry(1_000_000, 2_000_000, "Fine\nthanks"),
            ),
            "utterances",
            participant="P01",
        ),
    ),
    (MediaLink("films/one.mp4"), MediaLink("films/two.mp4", 2_000_000)),
    9_000_000,
)


def written(key: str, folder: Path) -> Path:
    used = get_format(key)
    path = folder / f"{key}{used.suffixes[0]}"
    used.write(Document((PART,)), path)
    return path


def test_players_read_captions_with_their_speakers_and_segments_with_their_values(tmp_path: Path) -> None:
    captions = webvtt.read(str(written("webvtt", tmp_path))).captions
    found = [(caption.start, caption.end, caption.voice, html.unescape(caption.text)) for caption in captions]
    assert found == [
        ("00:00:00.250", "00:00:00.900", "P01", "Hello <you> & all"),
        ("00:00:01.000", "00:00:02.000", "P01", "Fine\nthanks"),
    ]
    events = pysubs2.load(str(written("srt", tmp_path)), keep_unknown_html_tags=True)
    assert [(event.start, event.end, event.plaintext) for event in events] == [
        (250, 900, "P01: Hello <you> & all"),
        (1000, 2000, "P01: Fine\nthanks"),
    ]
    first = pysubs2.load(str(written("srt-segments", tmp_path)))[0]
    assert (first.start, first.end) == (0, 1000)
    assert first.plaintext.split("\n")[:3] == ["Ada: error", "attributes: emotions; norms", "channel: verbal"]


def test_a_project_and_a_table_have_what_those_of_boris_have(tmp_path: Path, shared_data: Path) -> None:
    made = json.loads(written("boris", tmp_path).read_text("utf-8"))
    theirs = json.loads((shared_data / "interchange" / "boris_test.boris").read_text("utf-8"))
    assert made.keys() >= theirs.keys()
    assert made["project_format_version"] == theirs["project_format_version"] == "7.0"
    for part in ("subjects_conf", "behaviors_conf", "independent_variables"):
        assert all(row.keys() >= theirs[part]["0"].keys() for row in made[part].values())
    example = theirs["observations"]["observation #1"]
    assert list(made["observations"]) == ["Meeting [Ada]", "Meeting [Bob]", "Meeting"]
    for observation in made["observations"].values():
        assert observation.keys() >= example.keys()
        assert observation["media_info"].keys() >= example["media_info"].keys()
        assert observation["media_info"]["offset"] == {"1": 0.0, "2": 2.0}
    first = "rationale: Late, and\n  loud: so"
    assert made["observations"]["Meeting [Ada]"]["events"] == [
        [0.0, "", "error", "emotions,norms|verbal", first, "NA"],
        [0.5, "#2", "error", "norms|None", "rationale: =1+1", "NA"],
        [1.0, "", "error", "emotions,norms|verbal", "", "NA"],
        [1.5, "#2", "error", "norms|None", "", "NA"],
        [1.5, "", "competence", "None|None", "", "NA"],
        [2.5, "", "competence", "None|None", "", "NA"],
    ]
    with written("boris-csv", tmp_path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = ("Observation id", "Subject", "Behavior", "Modifier #1", "Behavior type", "Start (s)", "Stop (s)")
    assert [tuple(row[name] for name in wanted) for row in rows[:2]] == [
        ("Meeting [Ada]", "", "error", "emotions,norms", "STATE", "0.000", "1.000"),
        ("Meeting [Ada]", "", "error", "norms", "STATE", "0.500", "1.500"),
    ]
    assert [row["Comment start"] for row in rows if row["Kind"] == "utterance"] == ["Hello <you> & all", "Fine\nthanks"]
    assert not any(cell[:1] in ("=", "+", "-", "@") for row in rows for cell in row.values())
