"""A file of another tool comes in whole, with a scheme for its tiers, and goes back as it was."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import xmlschema
from pympi.Elan import Eaf

from annotate.interchange.annotation_files import apply_import, get_format, plan_import, read_file
from annotate.interchange.document import Document
from annotate.interchange.document_export import export_recordings, exportable_recordings
from annotate.interchange.document_import import Plan
from annotate.interchange.lane_entries import NEW_RECORDING, guess_recordings
from annotate.interchange.lane_mapping import EntryTarget, ImportMapping, guess_mapping
from project.errors import UserError
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments, values_of
from project.queries.study_schemes import all_versions, schemes_in_use
from project.queries.transcript_rows import utterances_of
from project.schemes.scheme import Extent, FieldKind
from project.session.session import Session
from project.store.study import Study

SCHEMA = Path(__file__).with_name("eaf_3_0.xsd")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(Study.create(tmp_path / "a.greenroom"), "Ada") as opened:
        yield opened


def plan_whole(session: Session, document: Document, mapping: ImportMapping | None = None) -> Plan:
    """Plan a document; what fits no recording gets a new one."""
    places = [place or NEW_RECORDING for place in guess_recordings(session, document)]
    plan = plan_import(session, document, mapping or guess_mapping(session, document), places)
    assert isinstance(plan, Plan)
    return plan


def bring(session: Session, path: Path) -> Plan:
    plan = plan_whole(session, read_file(path))
    apply_import(session, plan, path.name)
    return plan


def tiers(document: Document) -> dict[str, object]:
    """Return what must come back of each tier: entries in milliseconds, vocabulary, people, and what it depends on."""
    return {
        lane.name: (
            [
                (
                    e.start_us // 1000,
                    e.end_us // 1000,
                    e.text,
                    {name: value for name, value in e.values.items() if value},
                )
                for e in lane.entries
            ],
            {text: lane.definitions.get(text, "") for text in lane.vocabulary},
            lane.participant,
            lane.parent,
            dict(lane.value_sets),
        )
        for part in document.recordings
        for lane in part.lanes
    }


def gestures(folder: Path) -> Path:
    """Make a file with a vocabulary, speech of two people, and tiers that depend on others."""
    made = Eaf(author="Lab")
    made.add_linguistic_type("speech")
    made.add_linguistic_type("note", "Symbolic_Association", False)
    made.add_linguistic_type("inside", "Included_In")
    made.add_language("eng")
    made.add_controlled_vocabulary("Hands")
    for key, (text, meaning) in enumerate((("prep", "hands leave rest"), ("stroke", "the meaning"), ("hold", ""))):
        made.add_cv_entry("Hands", f"c{key}", [(text, "eng", meaning)])
    made.add_linguistic_type("hands")
    made.linguistic_types["hands"]["CONTROLLED_VOCABULARY_REF"] = "Hands"
    for who in ("mother", "child"):
        made.add_tier(f"speech {who}", "speech", part=who)
        made.add_tier(f"hands {who}", "hands", part=who, ann="Bo")
        made.add_tier(f"hand of {who}", "note", f"hands {who}", part=who)
        for place, words in enumerate(("look at that one", "where is it now", "there you are")):
            at = 1000 + 4000 * place + (2000 if who == "child" else 0)
            made.add_annotation(f"speech {who}", at, at + 1500, f"{words}, {who}")
            made.add_annotation(f"hands {who}", at + 100, at + 900, ("prep", "stroke", "odd one")[place])
            made.add_ref_annotation(f"hand of {who}", f"hands {who}", at + 500, ("left", "right", "left")[place])
    made.add_tier("nods", "inside", "speech child")
    made.add_annotation("nods", 3200, 3400, "nod")
    made.add_annotation("nods", 7100, 7400, "nod")
    made.add_tier("notes", "speech")
    made.add_annotation("notes", 0, 500, "The camera moves.\nThe child looks for it.")
    made.add_tier("empty", "hands")
    path = folder / "walk 1.eaf"
    made.to_file(path)
    return path


def test_every_tier_becomes_a_track_with_its_vocabulary_its_people_and_what_depends_on_it(
    session: Session, tmp_path: Path
) -> None:
    plan = bring(session, gestures(tmp_path))
    assert (plan.left_out, plan.added) == (0, 6 + 6 + 2 + 1)
    scheme = session.schemes.get("walk-1")
    assert (scheme.name, scheme.source, scheme.version) == ("walk 1", "eaf", 1)
    assert {track.key: ([label.key for label in track.labels], track.inside) for track in scheme.tracks} == {
        "hands mother": (["prep", "stroke", "hold", "odd one"], ""),
        "hands child": (["prep", "stroke", "hold", "odd one"], ""),
        "nods": (["nod"], "utterance"),
        "notes": (["notes"], ""),
        "empty": (["prep", "stroke", "hold"], ""),
    }
    assert scheme.track("hands child").labels[0].definition == "hands leave rest"
    kinds = {field.key: (field.kind, field.tracks) for field in scheme.fields}
    assert kinds == {
        "participant": (FieldKind.PARTICIPANT, ("hands mother", "hands child")),
        "notes": (FieldKind.TEXT, ("notes",)),
        "hand of mother": (FieldKind.TEXT, ("hands mother",)),
        "hand of child": (FieldKind.TEXT, ("hands child",)),
    }
    [recording] = all_recordings(session.study)
    assert len({utterance.participant_id for utterance in utterances_of(session.study, recording.id)}) == 2
    note = next(segment for segment in all_segments(session.study) if segment.track == "notes")
    assert values_of(session.study, note.id) == {"notes": "The camera moves.\nThe child looks for it."}


def test_the_scheme_is_in_the_step_and_undone_with_it(session: Session, tmp_path: Path) -> None:
    path = gestures(tmp_path)
    bring(session, path)
    assert session.study.undo_name == "Import walk 1.eaf"
    assert schemes_in_use(session.study) == ["walk-1", "shrec"], "it is marked by at once"
    again = bring(session, path)
    assert (again.added, again.known, again.other_row_count) == (0, 15, 0)
    session.study.undo()
    session.schemes.reload()
    assert (schemes_in_use(session.study), all_segments(session.study)) == (["shrec"], [])
    assert "walk-1" not in all_versions(session.study)
    assert bring(session, path).added == 15


@pytest.mark.parametrize("sample", ["", "elan_sample_2.8.eaf"])
def test_what_came_from_elan_goes_back_with_the_same_tiers_vocabularies_and_times(
    sample: str, session: Session, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue("shared_data") / "interchange" if sample else tmp_path
    path = folder / sample if sample else gestures(tmp_path)
    plan = bring(session, path)
    assert plan.left_out == 0
    assert plan.added == sum(lane.entries for lane in plan.lanes)
    [out] = export_recordings(session, get_format("eaf"), tmp_path / "out.eaf", exportable_recordings(session))
    xmlschema.XMLSchema(str(SCHEMA)).validate(str(out))
    before, after = tiers(get_format("eaf").read(path)), tiers(get_format("eaf").read(out))
    assert sorted(after) == sorted(before)
    for name in before:
        entries, vocabulary, *rest = before[name]
        assert after[name][0] == entries
        assert after[name][2:] == (*rest,)
        assert dict(list(after[name][1].items())[: len(vocabulary)]) == vocabulary
    again = plan_whole(session, read_file(out))
    assert (again.added, again.known, again.other_row_count) == (0, plan.added, 0)


def test_a_further_file_adds_what_it_has_more_as_a_new_version(session: Session, tmp_path: Path) -> None:
    bring(session, gestures(tmp_path))
    more = Eaf()
    more.add_tier("nods", "default-lt")
    more.add_annotation("nods", 0, 400, "shake")
    more.add_tier("gaze", "default-lt")
    for at, text in enumerate(("toy", "toy", "face")):
        more.add_annotation("gaze", at * 100, at * 100 + 50, text)
    more.to_file(tmp_path / "walk 2.eaf")
    plan = bring(session, tmp_path / "walk 2.eaf")
    assert (plan.added, plan.left_out, [*plan.new_versions]) == (4, 0, ["walk-1"])
    scheme = session.schemes.get("walk-1")
    assert scheme.version == 2
    assert [label.key for label in scheme.track("nods").labels] == ["nod", "shake"]
    assert [label.key for label in scheme.track("gaze").labels] == ["toy", "face"]
    assert {label.key for label in scheme.track("hands child").labels} == {"prep", "stroke", "hold", "odd one"}


def test_the_target_of_each_tier_can_be_another(session: Session, tmp_path: Path) -> None:
    document = read_file(gestures(tmp_path))
    guessed = guess_mapping(session, document)
    lanes = dict(guessed.lanes)
    lanes["hands child"] = replace(lanes["hands child"], becomes=EntryTarget.OWN_TEXT)
    lanes["hands mother"] = replace(lanes["hands mother"], labels={"odd one": "", "prep": "stroke"})
    lanes["nods"] = replace(lanes["nods"], becomes=EntryTarget.NOTHING)
    plan = plan_whole(session, document, ImportMapping(lanes))
    assert {reason for lane in plan.lanes for reason in lane.left_out} == {
        "the lane is left out: choose what it becomes",
        "“odd one” is no label: choose one for it, or a new track",
    }
    apply_import(session, plan, "walk.eaf")
    scheme = session.schemes.get("walk-1")
    assert scheme.free_text_field("hands child") is not None
    assert [label.key for label in scheme.track("hands mother").labels] == ["prep", "stroke", "hold"]
    assert [s.label for s in all_segments(session.study) if s.track == "hands mother"] == ["stroke", "stroke"]
    with pytest.raises(UserError, match="not made by an import"):
        plan_whole(session, document, ImportMapping({"nods": replace(guessed.lanes["nods"], scheme="shrec")}))


def project(folder: Path) -> Path:
    """Make a project of BORIS with categories, modifiers, subjects, comments, variables, and a behavior never seen."""

    def behavior(code: str, category: str, key: str, *sets: tuple[str, int, list[str]]) -> dict[str, object]:
        modifiers = {
            str(n): {"name": name, "type": kind, "values": values} for n, (name, kind, values) in enumerate(sets)
        }
        about = {"description": f"The meaning of {code}", "category": category, "modifiers": modifiers, "excluded": ""}
        return {"type": "State event", "key": key, "code": code, **about, "coding map": ""}

    size, body = ("size", 0, ["big (b)", "small"]), ("body", 1, ["head", "hand", "foot"])
    ethogram = [
        behavior("smile", "face", "e", size),
        behavior("touch", "contact", "t", size, body),
        behavior("leave", "", "g"),
        behavior("fight", "trouble", "h"),
    ]
    variables = [("age", "numeric", ""), ("group", "value from set", "control,treatment"), ("observer", "text", "")]
    observation = {
        "type": "MEDIA",
        "date": "2026-03-01T10:00:00",
        "description": "A rainy day",
        "time offset": 2.0,
        "file": {"1": ["walk.mp4"]},
        "media_info": {"length": {"walk.mp4": 60.0}},
        "independent_variables": {"age": "7", "group": "treatment", "observer": "Bo"},
        "events": [
            [3, "child", "smile", "big", "sees the dog"],
            [5, "child", "smile", "big", ""],
            [3, "dog", "smile", "small", ""],
            [5, "dog", "smile", "small", ""],
            [6, "", "leave", "", ""],
            [7, "", "leave", "", ""],
            [8, "child", "touch", "None|hand,foot", ""],
            [9, "child", "touch", "None|hand,foot", ""],
        ],
    }
    path = folder / "dogs.boris"
    content = {
        "behaviors_conf": {str(place): found for place, found in enumerate(ethogram)},
        "subjects_conf": {"0": {"key": "1", "name": "child"}, "1": {"key": "2", "name": "dog"}},
        "independent_variables": {
            str(place): {"label": label, "type": kind, "possible values": values}
            for place, (label, kind, values) in enumerate(variables)
        },
        "observations": {"visit 1": observation},
    }
    path.write_text(json.dumps(content), "utf-8")
    return path


def ethogram(path: Path) -> dict[str, object]:
    """Return what a lab defined in a project: code -> category, meaning, key and modifiers; and subjects."""
    found = json.loads(path.read_text("utf-8"))
    codes = {
        behavior["code"]: (
            behavior["category"],
            behavior["description"],
            behavior["key"],
            [
                (known["name"], known["type"], [value.removesuffix(" (b)") for value in known["values"]])
                for known in behavior["modifiers"].values()
            ],
        )
        for behavior in found["behaviors_conf"].values()
    }
    return {**codes, "subjects": {subject["name"] for subject in found["subjects_conf"].values()}}


def observations(path: Path, points: tuple[str, ...] = ()) -> dict[str, object]:
    """Return what is observed in a project, without the codes of points."""
    found = json.loads(path.read_text("utf-8"))["observations"]
    return {
        name: (
            sorted([*event[:2], *event[2:4], event[4]] for event in about["events"] if event[2] not in points),
            {label: text for label, text in about["independent_variables"].items() if text and label != "annotator"},
            about["description"],
        )
        for name, about in found.items()
    }


def test_a_boris_project_comes_in_whole_with_its_ethogram(session: Session, tmp_path: Path) -> None:
    path = project(tmp_path)
    plan = bring(session, path)
    assert (plan.left_out, plan.added) == (0, 5)
    scheme = session.schemes.get("dogs")
    assert {track.key: [(label.key, label.shortcut) for label in track.labels] for track in scheme.tracks} == {
        "face": [("smile", "E")],
        "contact": [("touch", "T")],
        "Behaviors": [("leave", "G")],
        "Observation": [("Observation", "")],
        "trouble": [("fight", "H")],
    }
    fields = {field.key: field for field in scheme.fields}
    assert fields["body"].kind is FieldKind.CHOICES
    assert [choice.key for choice in fields["size"].choices] == ["big", "small"]
    assert (fields["body"].only_for, fields["size"].only_for) == (("touch",), ("smile", "touch"))
    by_track = {segment.track: segment for segment in all_segments(session.study)}
    whole = values_of(session.study, by_track["Observation"].id)
    about = {"observation": "visit 1", "date": "2026-03-01T10:00:00", "description": "A rainy day"}
    assert whole == {**about, "age": "7", "group": "treatment"}
    assert values_of(session.study, by_track["contact"].id)["body"] == ["hand", "foot"]
    assert (by_track["contact"].start_us, by_track["Observation"].end_us) == (6_000_000, 60_000_000)
    again = bring(session, path)
    assert (again.added, again.known, again.other_row_count) == (0, 5, 0)


def test_what_came_from_boris_goes_back_with_the_same_ethogram_and_observations(
    session: Session, tmp_path: Path
) -> None:
    path = project(tmp_path)
    bring(session, path)
    out = tmp_path / "out.boris"
    export_recordings(session, get_format("boris"), out, exportable_recordings(session))
    assert ethogram(out) == ethogram(path)
    shifted = observations(path)
    events, variables, description = shifted["visit 1"]
    moved = [[event[0] - 2, *event[1:]] for event in events]
    del variables["observer"]
    assert observations(out) == {"visit 1": (moved, variables, description)}
    assert (plan := plan_whole(session, read_file(out))).added == 0
    assert plan.other_row_count == 0


def test_a_sample_of_boris_comes_in_whole_and_goes_back(session: Session, shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "interchange" / "boris_test.boris"
    plan = bring(session, path)
    assert plan.unread == plan.left_out == 1
    assert {lane.target.participant for lane in plan.lanes} == {"", "subject1", "subject2"}
    out = tmp_path / "out.boris"
    export_recordings(session, get_format("boris"), out, exportable_recordings(session))
    before, after = observations(path, ("p", "q")), observations(out, ("p", "q"))
    assert ethogram(out).keys() >= {"s", "r", "p", "q", "m", "subjects"}
    for name in ("observation #1", "modifiers", "live", "live export behavioral sequences", "observation #2 (copy)"):
        assert after[name] == before[name]
    again = plan_whole(session, read_file(out))
    assert (again.added, again.other_row_count) == (0, 0)


@pytest.mark.parametrize("key", ["eaf", "csv", "textgrid", "boris", "boris-csv", "datavyu"])
def test_what_an_import_made_tracks_of_comes_back_in_every_format(key: str, session: Session, tmp_path: Path) -> None:
    added = sum(bring(session, make(tmp_path)).added for make in (gestures, project))
    used = get_format(key)
    for path in export_recordings(session, used, tmp_path / f"out{used.suffixes[0]}", exportable_recordings(session)):
        again = plan_whole(session, read_file(path, key))
        assert (again.added, again.left_out, again.new_versions) == (0, 0, {})
        added -= again.known
    assert added == 0


def test_a_category_of_points_becomes_a_track_of_points_and_goes_back_as_point_events(
    session: Session, tmp_path: Path
) -> None:
    path = tmp_path / "nods.boris"
    behavior = {"type": "Point event", "key": "n", "code": "nod", "category": "", "modifiers": {}}
    events = [[at, who, "nod", "", ""] for at, who in ((1.5, "child"), (1.5, "dog"), (4, "child"))]
    observation = {"type": "LIVE", "file": {}, "events": events}
    path.write_text(json.dumps({"behaviors_conf": {"0": behavior}, "observations": {"visit": observation}}), "utf-8")
    plan = bring(session, path)
    assert (plan.added, plan.left_out) == (3, 0)
    assert session.schemes.get("nods").track("Behaviors").extent is Extent.POINT
    assert {(segment.start_us, segment.end_us) for segment in all_segments(session.study)} == {
        (1_500_000, 1_500_000),
        (4_000_000, 4_000_000),
    }
    out = tmp_path / "out.boris"
    export_recordings(session, get_format("boris"), out, exportable_recordings(session))
    found = json.loads(out.read_text("utf-8"))
    assert [known["type"] for known in found["behaviors_conf"].values()] == ["Point event"]
    assert [event for about in found["observations"].values() for event in about["events"]] == events


def test_points_beside_states_get_a_track_of_points_and_go_back_into_their_category(
    session: Session, tmp_path: Path
) -> None:
    path = tmp_path / "heads.boris"
    codes = (("smile", "State", "face"), ("blink", "Point", "face"), ("walk", "State", ""), ("stop", "Point", ""))
    ethogram = {
        str(place): {"type": f"{kind} event", "key": "cdeg"[place], "code": code, "category": category, "modifiers": {}}
        for place, (code, kind, category) in enumerate(codes)
    }
    events = [[1, "child", "smile", "", ""], [1.5, "child", "blink", "", ""], [2, "child", "smile", "", ""]]
    observation = {"type": "LIVE", "file": {}, "events": [*events, [3, "", "stop", "", ""]]}
    path.write_text(json.dumps({"behaviors_conf": ethogram, "observations": {"visit": observation}}), "utf-8")
    plan = bring(session, path)
    assert (plan.added, plan.left_out, [remark for lane in plan.lanes for remark in lane.remarks]) == (3, 0, [])
    extents = {track.key: track.extent for track in session.schemes.get("heads").tracks}
    assert extents == {
        **dict.fromkeys(("face", "Behaviors"), Extent.SPAN),
        **dict.fromkeys(("face (points)", "Behaviors (points)"), Extent.POINT),
    }
    out = tmp_path / "out.boris"
    export_recordings(session, get_format("boris"), out, exportable_recordings(session))
    found = json.loads(out.read_text("utf-8"))
    assert {
        (known["code"], known["type"].split()[0], known["category"]) for known in found["behaviors_conf"].values()
    } == {*codes}
    assert sorted(found["behavioral_categories"]) == ["face"]
    assert [event for about in found["observations"].values() for event in about["events"]] == observation["events"]
    again = plan_whole(session, read_file(out))
    assert (again.added, again.known, again.other_row_count) == (0, 3, 0)
