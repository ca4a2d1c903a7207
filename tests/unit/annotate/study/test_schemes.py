"""A scheme may change; what was filled in under it may not."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from annotate.segments.segment_edits import (
    add_segment,
    delete_kept_value,
    edit_segment,
    move_segments,
    set_field,
    split_segment,
)
from annotate.study import recording_edits as history
from annotate.study import scheme_versions as commands
from annotate.study.people import add_participant
from annotate.study.scheme_versions import find_orphans, list_study_schemes
from app.cli.annotate.segment import parse_values
from project.entities.study_records import Json, ParticipantRole, Utterance
from project.errors import UserError
from project.ids import new_id
from project.integrity.integrity_check import check_study
from project.queries.segment_rows import find_segment, value_history, values_of
from project.queries.study_schemes import all_versions
from project.queries.transcript_rows import insert_utterances
from project.schemes.scheme_file import shipped_text
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK, open_study


def text(
    version: int,
    labels: list[str] | None = None,
    choices: list[str] | None = None,
    fields: list[str] | None = None,
    maximum: int = 5,
    extra: str = "",
) -> str:
    made = [f'key = "lab"\nname = "Lab"\nversion = {version}\n[[tracks]]\nkey = "t"\nname = "T"\n{extra}']
    made += [f'[[tracks.labels]]\nkey = "{label}"\nname = "{label}"\n' for label in labels or ["a", "b"]]
    listed = "".join(f'[[fields.choices]]\nkey = "{choice}"\nname = "{choice}"\n' for choice in choices or ["x", "y"])
    every = {
        "many": f'kind = "choices"\nname = "Many"\n{listed}',
        "one": f'kind = "choice"\nname = "One"\n{listed}',
        "words": 'kind = "text"\nname = "Words"\n',
        "number": f'kind = "scale"\nname = "Number"\nminimum = 0\nmaximum = {maximum}\n',
    }
    wanted = [*every] if fields is None else fields
    made += [f'[[fields]]\nkey = "{key}"\n{body}' for key, body in every.items() if key in wanted]
    return "".join(made)


def made(session: Session, label: str = "a", **values: Json) -> str:
    return add_segment(session, WALK, SECOND, 5 * SECOND, label, values, scheme="lab")[0]


def test_a_scheme_is_used_kept_and_undone_in_one_step(session: Session) -> None:
    scheme, changes = commands.use_scheme(session, text(1), "lab.toml")
    assert changes
    assert [each_scheme.key for each_scheme in session.schemes] == ["shrec", "lab"]
    assert [*all_versions(session.study).get("lab", {})] == [1]
    segment_id = made(session)
    found = find_segment(session.study, segment_id)
    assert (found.scheme, found.track) == (scheme.key, "t")
    history.undo(session)
    assert history.undo(session).name == "Use scheme Lab"
    assert [each_scheme.key for each_scheme in session.schemes] == ["shrec"]
    assert [*all_versions(session.study).get("lab", {})] == []
    history.redo(session)
    assert session.schemes.is_in_use("lab")
    assert not commands.use_scheme(session, "# a remark\n" + text(1), "lab.toml")[1], "used again, nothing changes"


def test_a_changed_text_needs_a_higher_version(session: Session) -> None:
    commands.use_scheme(session, text(1), "lab.toml")
    with pytest.raises(UserError, match="content differs") as refused:
        commands.use_scheme(session, text(1, labels=["a"]), "lab.toml")
    assert "Set `version` to 2" in refused.value.hint
    commands.use_scheme(session, text(2, labels=["a"]), "lab.toml")
    assert [*all_versions(session.study).get("lab", {})] == [1, 2]
    with pytest.raises(UserError, match="has version 2"):
        commands.use_scheme(session, text(1), "lab.toml")
    changed = shipped_text("plain").replace("Two neutral labels", "Three")
    with pytest.raises(UserError, match="Greenroom ships"):
        commands.use_scheme(session, changed, "plain.toml")


def test_values_that_have_no_place_any_more_are_kept_listed_and_can_be_deleted(session: Session) -> None:
    commands.use_scheme(session, text(1), "lab.toml")
    one = made(session, "b", many=["x", "y"], words="Because.", number=5)
    commands.use_scheme(session, text(2, labels=["a"], choices=["x"], fields=["many", "number"], maximum=3), "lab.toml")
    scheme = session.schemes.get("lab")
    values = values_of(session.study, one)
    assert values == {"many": ["x", "y"], "words": "Because.", "number": 5}
    assert scheme.known_values("t", values) == {"many": ["x"]}
    orphans = find_orphans(session, "lab")
    assert [None if o.value is None else o.value.field for o in orphans] == [None, "many", "number", "words"]
    assert next(k for k in list_study_schemes(session) if k.key == "lab").orphans == 4
    delete_kept_value(session, one, "words", 1)
    assert "words" not in values_of(session.study, one)
    history.undo(session)
    assert values_of(session.study, one)["words"] == "Because."
    second, _ = split_segment(session, one, 3 * SECOND)
    assert values_of(session.study, second)["words"] == "Because.", "a split keeps them on both sides"
    fitting = made(session, number=2)
    assert fitting not in {orphan.segment.id for orphan in find_orphans(session, "lab")}
    with pytest.raises(UserError, match="to the form"):
        delete_kept_value(session, fitting, "number", 2)


def test_clearing_a_field_leaves_what_the_form_could_not_show(session: Session) -> None:
    commands.use_scheme(session, text(1), "lab.toml")
    one = made(session, many=["x", "y"], number=2)
    commands.use_scheme(session, text(2, choices=["x"]), "lab.toml")
    for field, value in (("many", ["x"]), ("many", None), ("number", None)):
        set_field(session, one, field, value)
    left = [(value.field, value.version, value.value) for value in value_history(session.study, one)]
    assert left == [("many", 1, ["x", "y"])]


def test_a_scheme_that_is_dropped_keeps_its_segments(session: Session) -> None:
    commands.use_scheme(session, text(1), "lab.toml")
    one = made(session, words="Kept.")
    commands.make_default(session, "lab")
    unnamed, _ = add_segment(session, WALK, 0, SECOND, "a")
    assert find_segment(session.study, unnamed).scheme == "lab"
    commands.drop_scheme(session, "lab")
    assert session.scheme.key == "shrec"
    assert not session.schemes.is_in_use("lab")
    with pytest.raises(UserError, match="only scheme"):
        commands.drop_scheme(session, "shrec")
    assert values_of(session.study, one)["words"] == "Kept."
    found = session.schemes.find("lab")
    assert found.name == "Lab"
    with pytest.raises(UserError, match="is not in this study"):
        made(session)
    commands.use_kept_scheme(session, "lab")
    made(session)


def test_a_track_about_the_recording_has_the_recordings_span(session: Session) -> None:
    commands.use_scheme(session, text(1, extra='extent = "recording"\n'), "lab.toml")
    one = made(session)
    found = find_segment(session.study, one)
    assert (found.start_us, found.end_us) == (0, 600 * SECOND)
    for change in (
        lambda: move_segments(session, [(one, 0, SECOND)]),
        lambda: edit_segment(session, one, end_us=SECOND),
        lambda: split_segment(session, one, SECOND),
    ):
        with pytest.raises(UserError, match="whole recording"):
            change()
    edit_segment(session, one, label="b")


def test_a_segment_is_cut_to_the_utterance_under_it(session: Session) -> None:
    commands.use_scheme(session, text(1, extra='inside = "utterance"\n'), "lab.toml")
    free = find_segment(session.study, made(session))
    assert (free.start_us, free.end_us) == (SECOND, 5 * SECOND)
    spoken = [(2, 3, "Hm."), (3, 10, "What a long story."), (20, 25, "Yes.")]
    with session.step("Transcript"):
        insert_utterances(
            session.study, [Utterance(new_id(), WALK, a * SECOND, b * SECOND, words) for a, b, words in spoken]
        )
    cut = find_segment(session.study, made(session))
    assert (cut.start_us, cut.end_us) == (3 * SECOND, 5 * SECOND)
    with pytest.raises(UserError, match="Nobody speaks"):
        add_segment(session, WALK, 12 * SECOND, 15 * SECOND, "a", scheme="lab")


def test_values_are_typed_as_the_fields_are(session: Session) -> None:
    scheme, _ = commands.use_scheme(session, text(1), "lab.toml")
    given = ["many=y, x", "one=x", "words=a = b", "number=3"]
    values = parse_values(session, scheme, given)
    assert values == {"many": ["y", "x"], "one": "x", "words": "a = b", "number": 3}
    made(session, **values)
    assert parse_values(session, scheme, ["words="]) == {"words": None}
    for wrong, says in (("words", "not a value of a field"), ("number=x", "not a number"), ("nothing=1", "no field")):
        with pytest.raises(UserError, match=says):
            parse_values(session, scheme, [wrong])
    ratings, _ = commands.use_shipped_scheme(session, "sotopia-eval")
    person, _ = add_participant(session, "P01", ParticipantRole.USER)
    assert parse_values(session, ratings, ["participant=P01"]) == {"participant": person}
    with pytest.raises(UserError, match="Choose one of P01") as refused:
        parse_values(session, ratings, ["participant=P02"])
    assert refused.value.message.startswith("There is no participant")


LABELS = st.lists(st.sampled_from("abcd"), min_size=1, unique=True)
CHOICES = st.lists(st.sampled_from("wxyz"), min_size=1, unique=True)
FIELDS = st.lists(st.sampled_from(["many", "one", "words", "number"]), unique=True)
VALUES = {
    "many": st.lists(st.sampled_from("wxyz"), unique=True),
    "one": st.sampled_from("wxyz"),
    "words": st.text("ab ", max_size=4),
    "number": st.integers(0, 9),
}
SCHEMES = st.tuples(LABELS, CHOICES, FIELDS, st.integers(1, 9))
EDITS = st.lists(st.tuples(SCHEMES, st.fixed_dictionaries({}, optional=VALUES)), min_size=1, max_size=5)


def _same(shown: object, given: object) -> bool:
    """Tell whether two values are one: several choices stand in the order of the scheme that shows them."""
    return sorted(shown) == sorted(given) if isinstance(shown, list) and isinstance(given, list) else shown == given


@given(EDITS)
@example([((["a"], ["x", "w"], ["many"], 1), {"many": ["w", "x"]}), ((["a"], ["w", "x"], ["many"], 1), {})])
@settings(max_examples=settings.default.max_examples // 2, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_change_of_a_scheme_loses_a_value(
    tmp_path_factory: pytest.TempPathFactory,
    edits: list[tuple[tuple[list[str], list[str], list[str], int], dict[str, Json]]],
) -> None:
    given_under: dict[tuple[str, int], dict[str, Json]] = {}
    with open_study(tmp_path_factory.mktemp("study")) as session:
        segments: list[str] = []
        for version, ((labels, choices, fields, maximum), values) in enumerate(edits, start=1):
            scheme, _ = commands.use_scheme(session, text(version, labels, choices, fields, maximum), "lab.toml")
            fitting = {key: value for key, value in values.items() if not scheme.orphaned_values("t", {key: value})}
            segments.append(made(session, labels[0]))
            for segment in segments:
                for field, value in fitting.items():
                    checked = scheme.check_value(field, value)
                    if checked is not None:
                        set_field(session, segment, field, value)
                        given_under.setdefault((segment, version), {})[field] = checked
        newest = session.schemes.get("lab")
        listed = {
            (o.segment.id, o.value.field, o.value.version) for o in find_orphans(session, "lab") if o.value is not None
        }
        for segment in segments:
            kept = {(value.field, value.version): value.value for value in value_history(session.study, segment)}
            assert kept == {
                (field, version): value
                for (owner, version), filled in given_under.items()
                if owner == segment
                for field, value in filled.items()
            }
            shown = values_of(session.study, segment)
            placed = newest.known_values("t", shown)
            for (field, version), value in kept.items():
                shadowed = any(other > version for known, other in kept if known == field)
                assert (segment, field, version) in listed or shadowed or _same(placed[field], value)
        assert [*all_versions(session.study).get("lab", {})] == [*range(1, len(edits) + 1)]
    assert check_study(session.study.path) == []
