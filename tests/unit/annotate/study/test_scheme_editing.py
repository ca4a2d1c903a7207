"""A code book is drafted, and a changed one tells what it does to segments before it does that."""

from dataclasses import replace

import pytest

from annotate.segments.segment_edits import add_segment, set_label
from annotate.study import recording_edits as history
from annotate.study.field_changes import FieldChange
from annotate.study.scheme_changes import SchemeEffect, apply_plan, plan_draft, plan_text
from annotate.study.scheme_draft import SchemeDraft
from annotate.study.scheme_versions import find_orphans, use_scheme
from project.entities.study_records import Json
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.segment_rows import find_segment, value_history, values_of
from project.queries.study_schemes import all_versions
from project.schemes.scheme import (
    Extent,
    Field,
    FieldChoice,
    FieldKind,
    Label,
    Pattern,
    Scheme,
    TierConstraint,
    Track,
)
from project.schemes.scheme_checks import find_scheme_problems
from project.schemes.scheme_file import load_scheme, parse_scheme, write_scheme
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK

EMPTY = Scheme("scheme", "", 1, (Track("codes", "Codes", ()),), ())


def greetings() -> SchemeDraft:
    """Two tracks, with a field of the first that a cold greeting needs."""
    draft = SchemeDraft(EMPTY).edit(name="How we greet")
    for name in ("Warm", "Cold", "Left out"):
        draft, _ = draft.add_label("codes", Label("", name))
    draft, track = draft.add_track("Gaze")
    draft, _ = draft.add_label(track, Label("", "Warm"))
    draft, field = draft.add_field("Why", FieldKind.TEXT, "codes")
    return draft.require_field("codes", field, {"cold"})


def used(session: Session) -> dict[str, str]:
    """Use them, with a segment of each label of the first track; returns label -> segment."""
    apply_plan(session, plan_draft(session, greetings()), default=True)
    assert session.scheme.key == "how_we_greet"
    made = {}
    for place, label in enumerate(("warm", "cold", "left_out"), start=1):
        values = {"why": "A nod."} if label == "cold" else {}
        made[label] = add_segment(session, WALK, place * SECOND, (place + 1) * SECOND, label, values)[0]
    return made


def label_of(session: Session, segment: str) -> tuple[str, str]:
    found = find_segment(session.study, segment)
    return found.track, found.label


def test_a_new_scheme_gets_keys_from_names_until_they_are_given_and_is_written_as_it_is_read() -> None:
    draft = greetings()
    assert draft.scheme.key == "how_we_greet"
    assert [label.key for label in draft.scheme.track("codes").labels] == ["warm", "cold", "left_out"]
    draft, key = draft.name_label("codes", "warm", "Größe: Ünder 1")
    assert key == "größe_ünder_1"
    draft, same = draft.rekey_label("codes", key, "w").name_label("codes", "w", "Other")
    assert same == "w"
    with pytest.raises(UserError, match="Another label has the key"):
        draft.rekey_label("codes", "w", "cold")
    assert draft.required_labels("codes", "why") == {"cold"}
    draft = draft.edit_label("codes", "cold", colour="#12ab9f", pattern=Pattern.GRID, definition='"\\\t“x”\nnext')
    assert not [*find_scheme_problems(draft.scheme)]
    assert parse_scheme(write_scheme(draft.scheme), "it") == draft.scheme


def test_what_names_a_label_a_track_or_a_field_follows_it() -> None:
    scheme = replace(
        greetings().scheme,
        fields=(replace(greetings().scheme.fields[0], only_for=("cold", "warm")),),
        examples=(replace(load_scheme("plain").examples[0], label="cold", values={"why": "x"}),),
    )
    draft = SchemeDraft.of(scheme).rekey_label("codes", "cold", "cool").rekey_label("codes", "warm", "hot")
    assert draft.scheme.fields[0].only_for == ("cool", "warm", "hot"), "the other track has a label of that key"
    assert draft.scheme.rules[0].label == draft.scheme.examples[0].label == "cool"
    draft = draft.rekey_track("codes", "acts").merge_label("acts", "hot", "cool").rekey_label("acts", "cool", "any")
    assert draft.scheme.fields[0].tracks == ("acts",)
    assert draft.sources_of("acts", "any") == [("codes", "warm"), ("codes", "cold")]
    without = draft.remove_label("acts", "any")
    assert (without.scheme.rules, without.scheme.examples) == ((), ())
    assert not draft.remove_track("acts").scheme.fields
    assert not [*find_scheme_problems(draft.scheme)]


def test_a_track_depends_on_another_under_its_new_key_until_that_is_gone() -> None:
    draft, hand = greetings().add_track("Hand")
    draft, _ = draft.add_label(hand, Label("", "Left"))
    draft = draft.edit_track(hand, parent="codes", constraint=TierConstraint.TIME_SUBDIVISION)
    draft = draft.rekey_track("codes", "acts")
    assert not [*find_scheme_problems(draft.scheme)]
    assert parse_scheme(write_scheme(draft.scheme), "it").track(hand) == draft.scheme.track(hand)
    assert draft.scheme.track(hand).parent == "acts"
    assert draft.remove_track("acts").scheme.track(hand).parent == ""
    for changes, what in (
        ({"parent": "gone"}, "“gone” is not a track"),
        ({"parent": hand}, "a track does not depend on itself"),
        ({"inside": "utterance"}, "a track depends on utterances or on another track, not on both"),
    ):
        [problem] = find_scheme_problems(draft.edit_track(hand, **changes).scheme)
        assert (problem.path[-1], problem.what) == ("parent", what)
    [problem] = find_scheme_problems(draft.edit_track("acts", extent=Extent.POINT).scheme)
    assert problem.what.startswith("nothing lies inside segments of")


def test_every_problem_is_found_at_its_place() -> None:
    draft = greetings().edit_label("codes", "warm", shortcut="e", name="").edit_label("codes", "cold", shortcut="E")
    draft = draft.edit_field("why", kind=FieldKind.CHOICE).edit_label("codes", "left_out", colour="green")
    draft, _ = draft.add_track("Empty")
    found = {problem.where: problem.what for problem in find_scheme_problems(draft.scheme)}
    assert {*found} == {
        *("tracks[1].labels[1].name", "tracks[1].labels[2].shortcut", "tracks[1].labels[3].colour"),
        *("tracks[3].labels", "fields[1].choices"),
    }


def test_a_plan_says_what_happens_and_one_undo_takes_it_back(session: Session) -> None:
    made = used(session)
    before = session.schemes.get("how_we_greet")
    draft = SchemeDraft.of(before).merge_label("codes", "left_out", "cold").edit_label("codes", "cold", name="Cool")
    draft = draft.rekey_label("codes", "warm", "friendly").rekey_track("codes", "acts").remove_field("why")
    plan = plan_draft(session, draft)
    assert [str(effect) for effect in plan.effects] == [
        "1 segment with “Codes: Cold” gets “Codes: Cool”, as others have it.",
        "1 segment with “Codes: Left out” gets “Codes: Cool”, as others have it.",
        "1 segment with “Codes: Warm” gets “Codes: Warm”.",
        "1 value of “Why” no longer fits the form: kept under “Kept from an earlier version”.",
    ]
    assert label_of(session, made["cold"]) == ("codes", "cold"), "a plan changes nothing"
    apply_plan(session, plan)
    assert [label_of(session, segment) for segment in made.values()] == [
        *(("acts", "friendly"), ("acts", "cold"), ("acts", "cold"))
    ]
    assert values_of(session.study, made["cold"]) == {"why": "A nod."}
    assert [*all_versions(session.study)["how_we_greet"]] == [1, 2]
    assert len(find_orphans(session, "how_we_greet")) == 1
    history.undo(session)
    assert label_of(session, made["warm"]) == ("codes", "warm")
    assert session.schemes.get("how_we_greet") == before
    history.redo(session)
    assert label_of(session, made["warm"]) == ("acts", "friendly")
    assert check_study(session.study.path) == []


def rated(session: Session) -> dict[str, str]:
    """Use a code book with fields of many kinds, filled in about three segments; returns label -> segment."""
    draft = SchemeDraft(EMPTY).edit(name="How we greet")
    for name in ("Warm", "Cold", "Left out"):
        draft, _ = draft.add_label("codes", Label("", name))
    for name, kind in (("Means", FieldKind.CHOICES), ("Size", FieldKind.SCALE), ("Why", FieldKind.TEXT)):
        draft, _ = draft.add_field(name, kind, "codes")
    choices = (FieldChoice("w", "Words"), FieldChoice("g", "Gesture"))
    draft = draft.edit_field("means", choices=choices).add_example("A nod", "warm")
    draft = draft.edit_example(0, situation="He nods.", values={"means": ["g"], "size": 2})
    apply_plan(session, plan_draft(session, draft), default=True)
    filled: dict[str, dict[str, Json]] = {
        "warm": {"means": ["g"], "size": 2, "why": "Words"},
        "cold": {"means": ["w", "g"], "size": 5, "why": "He looks away."},
        "left_out": {"means": ["w"]},
    }
    return {
        label: add_segment(session, WALK, place * SECOND, (place + 1) * SECOND, label, values)[0]
        for place, (label, values) in enumerate(filled.items(), start=1)
    }


def test_a_field_gets_another_kind_and_key_and_its_values_follow_where_they_fit(session: Session) -> None:
    made = rated(session)
    before = {label: values_of(session.study, segment) for label, segment in made.items()}
    draft = SchemeDraft.of(session.scheme).edit_field("means", kind=FieldKind.CHOICE).rekey_field("means", "by")
    draft = draft.edit_field("size", kind=FieldKind.TEXT).edit_field("why", kind=FieldKind.CHOICES)
    draft = draft.edit_field("why", choices=(FieldChoice("w", "Words"),))
    assert draft.scheme.examples[0].values == {"by": "g", "size": "2"}
    again = draft.edit_field("by", kind=FieldKind.TEXT).edit_field("by", kind=FieldKind.CHOICES)
    assert again.edit_field("size", kind=FieldKind.SCALE).scheme.fields[:2] == (
        replace(session.scheme.field("means"), key="by"),
        session.scheme.field("size"),
    )
    plan = plan_draft(session, draft)
    assert [str(effect) for effect in plan.effects] == [
        "2 values of “Means” are converted to one choice.",
        "2 values of “Means” get the key “by”.",
        "2 values of “Size” are converted to text.",
        "1 value of “Why” is converted to several choices.",
        "1 value of “Means” no longer fits the form: kept under “Kept from an earlier version”.",
        "1 value of “Why” no longer fits the form: kept under “Kept from an earlier version”.",
    ]
    apply_plan(session, plan)
    assert {label: values_of(session.study, segment) for label, segment in made.items()} == {
        "warm": {"by": "g", "size": "2", "why": ["w"]},
        "cold": {"means": ["w", "g"], "size": "5", "why": "He looks away."},
        "left_out": {"by": "w"},
    }
    versions = {value.field: value.version for value in value_history(session.study, made["cold"])}
    assert versions == {"means": 1, "size": 2, "why": 1}, "a text that is left is one of a version that asks for text"
    assert len(find_orphans(session, "how_we_greet")) == 2
    assert check_study(session.study.path) == []
    history.undo(session)
    assert {label: values_of(session.study, segment) for label, segment in made.items()} == before


SCALE = Field("f", FieldKind.SCALE, "F", minimum=1, maximum=5)
SLIDER = replace(SCALE, kind=FieldKind.SLIDER, step=0.5)
TEXT, PARTICIPANT = (Field("f", kind, "F") for kind in (FieldKind.TEXT, FieldKind.PARTICIPANT))
GRADES = Field("f", FieldKind.CHOICE, "F", choices=(FieldChoice("a", "4"), FieldChoice("b", "Best")))


@pytest.mark.parametrize(
    ("before", "value", "after", "expected"),
    [
        (TEXT, "2,5", SLIDER, 2.5),
        (TEXT, "2,5", SCALE, None),
        (TEXT, "6", SCALE, None),
        (TEXT, "two", SCALE, None),
        (TEXT, "best", GRADES, "b"),
        (SLIDER, 2.0, SCALE, 2),
        (SLIDER, 4.0, GRADES, "a"),
        (GRADES, "a", SCALE, 4),
        (GRADES, "b", TEXT, "Best"),
        (PARTICIPANT, "p", TEXT, None),
        (TEXT, "p", PARTICIPANT, None),
    ],
)
def test_a_value_becomes_one_of_another_kind_or_stays(before: Field, value: Json, after: Field, expected: Json) -> None:
    assert FieldChange(before, after).new_value(value) == expected


def test_two_fields_can_change_keys_and_none_gets_the_key_of_values_that_are_left(session: Session) -> None:
    made = rated(session)
    draft = SchemeDraft.of(session.scheme).rekey_field("why", "x").rekey_field("size", "why").rekey_field("x", "size")
    apply_plan(session, plan_draft(session, draft))
    assert values_of(session.study, made["warm"]) == {"means": ["g"], "size": "Words", "why": 2}
    with pytest.raises(UserError, match="Another field that was removed here has the key “size”"):
        SchemeDraft.of(session.scheme).remove_field("size").rekey_field("why", "size")
    apply_plan(session, plan_draft(session, SchemeDraft.of(session.scheme).remove_field("size")))
    with pytest.raises(UserError, match="Other values have the key “size” already"):
        plan_draft(session, SchemeDraft.of(session.scheme).rekey_field("why", "size"))


def test_the_text_of_a_file_gives_fields_other_kinds_and_keys(session: Session) -> None:
    made = rated(session)
    draft = SchemeDraft.of(session.scheme).edit_field("size", kind=FieldKind.TEXT).rekey_field("why", "reason")
    text = write_scheme(replace(draft.scheme, version=2))
    assert len(plan_text(session, text, "lab.toml").effects) == 2, "without a word, the values of “why” have no field"
    with pytest.raises(UserError, match="has no field “who”"):
        plan_text(session, text, "lab.toml", (), [("who", "reason")])
    with pytest.raises(UserError, match="have the key “reason” already"):
        plan_text(session, text, "lab.toml", (), [("why", "reason"), ("means", "reason")])
    apply_plan(session, plan_text(session, text, "lab.toml", (), [("why", "reason")]))
    assert values_of(session.study, made["warm"]) == {"means": ["g"], "size": "2", "reason": "Words"}


def test_two_labels_can_change_places(session: Session) -> None:
    made = used(session)
    draft = SchemeDraft.of(session.scheme).rekey_label("codes", "warm", "x").rekey_label("codes", "cold", "warm")
    apply_plan(session, plan_draft(session, draft.rekey_label("codes", "x", "cold")))
    assert [label_of(session, made[label])[1] for label in ("warm", "cold")] == ["cold", "warm"]


def test_a_retired_label_stays_where_it_is_and_is_given_to_nothing_else(session: Session) -> None:
    made = used(session)
    draft, (first, _) = SchemeDraft.of(session.scheme).split_label("codes", "cold")
    plan = plan_draft(session, draft)
    assert [effect.effect for effect in plan.effects] == [SchemeEffect.RETIRED]
    apply_plan(session, plan)
    assert [label.name for label in session.scheme.track("codes").offered_labels] == [
        *("Warm", "Cold 1", "Cold 2", "Left out")
    ]
    assert label_of(session, made["cold"]) == ("codes", "cold")
    assert not find_orphans(session, "how_we_greet")
    with pytest.raises(UserError, match="retired"):
        set_label(session, [made["warm"]], "cold")
    set_label(session, [made["cold"]], first)


def test_the_text_of_a_file_is_used_with_labels_renamed(session: Session) -> None:
    made = used(session)
    scheme = session.schemes.get("how_we_greet")
    draft = SchemeDraft.of(scheme).rekey_label("codes", "warm", "kind").remove_label("codes", "left_out")
    text = write_scheme(replace(draft.scheme, version=2))
    assert [str(effect) for effect in plan_text(session, text, "lab.toml").effects] == [
        "1 segment keeps “Codes: Left out”, which is no longer in the scheme: drawn grey.",
        "1 segment keeps “Codes: Warm”, which is no longer in the scheme: drawn grey.",
    ]
    use_scheme(session, text, "lab.toml")
    with pytest.raises(UserError, match="No label is called “lukewarm”"):
        plan_text(session, text, "lab.toml", [("lukewarm", "kind")])
    renames = [("codes/warm", "kind"), ("left_out", "cold")]
    apply_plan(session, plan_text(session, text, "lab.toml", renames))
    assert [label_of(session, segment)[1] for segment in made.values()] == ["kind", "cold", "cold"]
