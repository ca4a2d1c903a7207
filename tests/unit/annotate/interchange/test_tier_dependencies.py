"""Tiers of ELAN that depend on tiers that are no speech come in as tracks that do, and go back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import xmlschema
from pympi.Elan import Eaf

from annotate.blinding.own_answers import SegmentChecker
from annotate.interchange.annotation_files import apply_import, get_format, plan_import, read_file
from annotate.interchange.code_book_files import read_code_book
from annotate.interchange.document_export import export_recordings, exportable_recordings
from annotate.interchange.document_import import Plan
from annotate.interchange.lane_entries import NEW_RECORDING, guess_recordings
from annotate.interchange.lane_mapping import guess_mapping
from annotate.segments.segment_edits import move_segments
from project.queries.segment_rows import all_segments
from project.schemes.scheme import TierConstraint
from project.session.session import Session
from project.store.study import Study

SCHEMA = Path(__file__).with_name("eaf_3_0.xsd")
PHASES = [(1000, 1400, "prep"), (1400, 2000, "stroke"), (4000, 4700, "stroke"), (4700, 5000, "prep")]
PARENTS = {
    "phase": ("gesture", TierConstraint.TIME_SUBDIVISION),
    "contact": ("phase", TierConstraint.INCLUDED_IN),
    "beats": ("gesture", TierConstraint.SYMBOLIC_SUBDIVISION),
    "form": ("gesture", TierConstraint.SYMBOLIC_ASSOCIATION),
    "parts": ("form", TierConstraint.SYMBOLIC_SUBDIVISION),
}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(Study.create(tmp_path / "a.greenroom"), "Bo") as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Make a file in which every kind of dependent tier hangs on tiers that are no speech."""
    made = Eaf(author="Lab")
    for name, constraint in (
        *(("cut", "Time_Subdivision"), ("in", "Included_In"), ("parts", "Symbolic_Subdivision")),
        ("one", "Symbolic_Association"),
    ):
        made.add_linguistic_type(name, constraint, not constraint.startswith("Symbolic"))
    made.add_tier("gesture", ann="Bo")
    made.add_tier("phase", "cut", "gesture", ann="Bo")
    made.add_tier("contact", "in", "phase", ann="Bo")
    made.add_tier("beats", "parts", "gesture", ann="Bo")
    made.add_tier("form", "one", "gesture", ann="Bo")
    made.add_tier("parts", "parts", "form", ann="Bo")
    made.remove_tier("default")
    for start, end in ((1000, 2000), (4000, 5000)):
        made.add_annotation("gesture", start, end, "point")
    for start, end, text in PHASES:
        made.add_annotation("phase", start, end, text)
    made.add_annotation("contact", 1500, 1600, "desk")
    made.add_annotation("contact", 4100, 4200, "desk")
    for tier, owner, at in (("beats", "gesture", 1500), ("form", "gesture", 1500), ("form", "gesture", 4500)):
        made.add_ref_annotation(tier, owner, at, "flat")
    first = next(iter(made.tiers["beats"][1]))
    made.add_ref_annotation("beats", "gesture", 1500, "round", first)
    made.add_ref_annotation("parts", "form", 4500, "palm")
    made.to_file(tmp_path / "hands.eaf")
    return tmp_path / "hands.eaf"


def bring(session: Session, path: Path) -> Plan:
    document = read_file(path)
    places = [place or NEW_RECORDING for place in guess_recordings(session, document)]
    plan = plan_import(session, document, guess_mapping(session, document), places)
    assert isinstance(plan, Plan)
    apply_import(session, plan, path.name)
    return plan


def export(session: Session, path: Path) -> Path:
    [out] = export_recordings(session, get_format("eaf"), path, exportable_recordings(session), overwrite=True)
    xmlschema.XMLSchema(str(SCHEMA)).validate(str(out))
    return out


def dependencies(session: Session) -> dict[str, tuple[str, TierConstraint]]:
    scheme = session.schemes.get("hands")
    return {track.key: (track.parent, track.constraint) for track in scheme.tracks if track.parent}


def test_tracks_depend_on_tracks_as_the_tiers_did(session: Session, file: Path) -> None:
    assert bring(session, file).left_out == 0
    assert dependencies(session) == PARENTS
    code_book = read_code_book(file)
    assert {track.key: (track.parent, track.constraint) for track in code_book.tracks if track.parent} == PARENTS
    checker = SegmentChecker(session)
    assert {checker.problems(segment, {}) for segment in all_segments(session.study)} == {()}


def test_they_go_back_with_parents_constraints_and_links(session: Session, file: Path, tmp_path: Path) -> None:
    added = bring(session, file).added
    out = export(session, tmp_path / "out.eaf")
    before, after = Eaf(file), Eaf(out)
    for tier, (parent, constraint) in PARENTS.items():
        about = after.get_parameters_for_tier(tier)
        assert about["PARENT_REF"] == parent
        kind = after.get_parameters_for_linguistic_type(about["LINGUISTIC_TYPE_REF"])
        assert kind["CONSTRAINTS"] == constraint.title().replace(" ", "_")
    for tier in ("gesture", "phase", "contact"):
        assert sorted(after.get_annotation_data_for_tier(tier)) == sorted(before.get_annotation_data_for_tier(tier))
    slots = [ends[:2] for ends in after.tiers["phase"][0].values()]
    assert {end for _, end in slots} & {start for start, _ in slots}, "neighbours share a time slot"
    flat, turned = after.tiers["beats"][1].values()
    assert (flat[2], turned[2]) == (None, next(iter(after.tiers["beats"][1]))), "the order of parts is kept"
    again = bring(session, out)
    assert (again.added, again.known, again.other_row_count) == (0, added, 0)


def test_times_that_a_constraint_does_not_allow_are_kept_and_the_constraint_is_not(
    session: Session, file: Path, tmp_path: Path
) -> None:
    bring(session, file)
    by_track = {(segment.track, segment.start_us): segment for segment in all_segments(session.study)}
    moved = (by_track["phase", 4_700_000], by_track["beats", 1_000_000])
    move_segments(session, [(segment.id, segment.start_us + 50_000, segment.end_us) for segment in moved])
    out = Eaf(export(session, tmp_path / "out.eaf"))
    assert (4750, 5000, "prep") in out.get_annotation_data_for_tier("phase")
    assert (1050, 1500, "flat") in out.get_annotation_data_for_tier("beats")
    kinds = {tier: out.get_parameters_for_tier(tier)["LINGUISTIC_TYPE_REF"] for tier in ("phase", "beats")}
    constraints = {out.get_parameters_for_linguistic_type(kind)["CONSTRAINTS"] for kind in kinds.values()}
    assert constraints == {"Included_In"}
    move_segments(session, [(by_track["contact", 4_100_000].id, 3_000_000, 3_100_000)])
    outside = next(segment for segment in all_segments(session.study) if segment.start_us == 3_000_000)
    assert SegmentChecker(session).problems(outside, {}) == ("It does not lie inside a segment of phase.",)
    assert "PARENT_REF" not in Eaf(export(session, tmp_path / "out.eaf")).get_parameters_for_tier("contact")


def test_a_tier_goes_back_under_the_speaker_whose_utterances_hold_it_most_tightly(
    session: Session, tmp_path: Path
) -> None:
    made = Eaf(author="Lab")
    made.add_linguistic_type("in", "Included_In")
    for speaker, start, end in (("A", 0, 9000), ("B", 4000, 5000)):
        made.add_tier(speaker, part=speaker)
        made.add_annotation(speaker, start, end, "we walk to the door")
    made.add_tier("gaze", "in", "B")
    for start in (4100, 4400, 4700):
        made.add_annotation("gaze", start, start + 200, "door")
    made.remove_tier("default")
    made.to_file(tmp_path / "talk.eaf")
    bring(session, tmp_path / "talk.eaf")
    assert Eaf(export(session, tmp_path / "out.eaf")).get_parameters_for_tier("gaze")["PARENT_REF"] == "B"
