"""A code book out of a file of another tool has its codes, with what that file says about them."""

import json
from pathlib import Path

import pytest

from annotate.interchange.annotation_files import read_file
from annotate.interchange.code_book_files import read_code_book
from annotate.interchange.lane_mapping import guess_mapping
from annotate.study.scheme_changes import apply_plan, plan_draft
from annotate.study.scheme_draft import SchemeDraft
from project.errors import UserError
from project.schemes.scheme import FieldKind
from project.schemes.scheme_checks import find_scheme_problems
from project.session.session import Session

TEMPLATE = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2026-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0">
<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/><TIME_ORDER/>
<TIER LINGUISTIC_TYPE_REF="gaze" PARTICIPANT="A" TIER_ID="gaze@A"/>
<TIER LINGUISTIC_TYPE_REF="gaze" PARTICIPANT="B" TIER_ID="gaze@B"/>
<TIER LINGUISTIC_TYPE_REF="notes" TIER_ID="notes"/>
<LINGUISTIC_TYPE CONTROLLED_VOCABULARY_REF="gaze" LINGUISTIC_TYPE_ID="gaze" TIME_ALIGNABLE="true"/>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="notes" TIME_ALIGNABLE="true"/>
<LANGUAGE LANG_ID="und" LANG_LABEL="undetermined (und)"/>
<CONTROLLED_VOCABULARY CV_ID="gaze"><DESCRIPTION LANG_REF="und"/>
<CV_ENTRY_ML CVE_ID="c0"><CVE_VALUE DESCRIPTION="At the other's face." LANG_REF="und">face</CVE_VALUE></CV_ENTRY_ML>
<CV_ENTRY_ML CVE_ID="c1"><CVE_VALUE DESCRIPTION="" LANG_REF="und">looks away</CVE_VALUE></CV_ENTRY_ML>
</CONTROLLED_VOCABULARY></ANNOTATION_DOCUMENT>"""


def behavior(code: str, key: str, **more: object) -> dict[str, object]:
    return {"code": code, "key": key, "type": "State event", "description": "", "category": "", "modifiers": {}, **more}


def test_a_template_of_elan_gives_tracks_and_its_files_come_into_them(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "Gaze study.etf"
    path.write_text(TEMPLATE)
    scheme = read_code_book(path)
    assert (scheme.key, scheme.name, scheme.version) == ("gaze_study", "Gaze study", 1)
    gaze, notes = scheme.tracks
    assert scheme.participant_field("gaze") is not None, "one track for the tiers of both"
    assert [(label.key, label.definition) for label in gaze.labels] == [
        *(("face", "At the other's face."), ("looks away", ""))
    ]
    assert scheme.free_text_field(notes.key) is not None, "a tier without a vocabulary takes any text"
    apply_plan(session, plan_draft(session, SchemeDraft(scheme)))
    (tmp_path / "Gaze study.eaf").write_text(TEMPLATE)
    document = read_file(tmp_path / "Gaze study.eaf")
    targets = guess_mapping(session, document).lanes
    assert [(targets[f"gaze@{who}"].scheme, targets[f"gaze@{who}"].track) for who in "AB"] == [
        *(("gaze_study", "gaze"), ("gaze_study", "gaze"))
    ]


def test_an_ethogram_of_boris_keeps_keys_that_are_free_colours_and_modifiers(tmp_path: Path) -> None:
    sets = {"0": {"name": "side", "type": 0, "values": ["left (l)", "right"]}}
    ethogram = [
        behavior("nod", "n", description="Down and up.", category="Head", modifiers=sets, color="#12ab34"),
        behavior("shake", "s", category="Head"),
        behavior("wave", "w"),
    ]
    project = {
        "behaviors_conf": {str(place): found for place, found in enumerate(ethogram)},
        "behavioral_categories_config": {"0": {"name": "Head", "color": "#aa00bb"}},
        "observations": {},
    }
    path = tmp_path / "ethogram.boris"
    path.write_text(json.dumps(project))
    scheme = read_code_book(path)
    head, others = scheme.tracks
    assert [(label.name, label.shortcut, label.colour, label.definition) for label in head.labels] == [
        *(("nod", "N", "#12ab34", "Down and up."), ("shake", "1", "#aa00bb", ""))
    ]
    assert [(label.name, label.shortcut) for label in others.labels] == [("wave", "W")]
    side = scheme.field("side")
    assert (side.kind, [choice.name for choice in side.choices]) == (FieldKind.CHOICE, ["left", "right"])
    assert (side.only_for, side.tracks) == (("nod",), (head.key,))
    assert not [*find_scheme_problems(scheme)]


def test_a_table_gives_labels_and_says_what_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("Label;Definition;Key;Colour;Track\nWarm;Kind;w;#00aa00;Tone\nCold;;C;green;Tone\nNod;;n;;Head\n")
    scheme = read_code_book(path)
    assert [(track.name, [label.key for label in track.labels]) for track in scheme.tracks] == [
        *(("Tone", ["warm", "cold"]), ("Head", ["nod"]))
    ]
    warm, cold = scheme.tracks[0].labels
    assert (warm.definition, warm.shortcut, warm.colour, cold.colour) == ("Kind", "W", "#00aa00", "")
    path.write_text("who,when\na,b\n")
    with pytest.raises(UserError, match="no column is called “label”"):
        read_code_book(path)


@pytest.mark.parametrize("name", ["elan_sample_2.8.eaf", "boris_test.boris", "boris_nopaths.boris"])
def test_files_of_the_tools_give_code_books_that_can_be_used(session: Session, shared_data: Path, name: str) -> None:
    path = shared_data / "interchange" / name
    scheme = read_code_book(path)
    assert not [*find_scheme_problems(scheme)]
    apply_plan(session, plan_draft(session, SchemeDraft(scheme)))
    document = read_file(path)
    targets = guess_mapping(session, document).lanes
    known = {target.scheme for name, target in targets.items() if target.track and name != "Observation"}
    assert known == {scheme.key}, "what is imported goes into its tracks"
