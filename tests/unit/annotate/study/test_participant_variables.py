"""Variables of participants: they are typed, grouped by, filled in from a table, and never in an annotator's copy."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.segments.segment_edits import add_segment
from annotate.statistics.study_observations import ObservationQuery, available_groupings, read_observations
from annotate.statistics.time_budget import compute_time_budget
from annotate.study.participant_variables import (
    enter_variables,
    import_variables,
    read_variables,
    variable_kinds,
    variable_values,
    variables_by_participant,
)
from annotate.study.people import add_participant
from annotate.study.scheme_versions import use_shipped_scheme
from annotate.team.assignments import PlanOptions, make_plan
from annotate.team.study_copies import merge_copies, split_study
from project.entities.study_records import Participant, ParticipantRole, VariableKind
from project.errors import UserError
from project.queries.recording_rows import all_participants
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK, open_study
from tests.builders.terminal import Terminal


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path) as opened:
        for name in ("P01", "P02", "P03"):
            add_participant(opened, name, ParticipantRole.USER, WALK)
        yield opened


def people(session: Session) -> list[Participant]:
    return all_participants(session.study)


def known(session: Session) -> list[dict[str, str]]:
    found = variables_by_participant(session.study)
    return [found.get(participant.id, {}) for participant in people(session)]


def test_a_value_is_filled_in_changed_taken_away_and_undone(session: Session) -> None:
    first, second, _ = people(session)
    enter_variables(session, first, {"age": " 23 ", "condition": "robot"})
    enter_variables(session, second, {"age": "31.5"})
    assert known(session) == [{"age": "23", "condition": "robot"}, {"age": "31.5"}, {}]
    assert variable_kinds(session.study) == {"age": VariableKind.NUMBER, "condition": VariableKind.CHOICE}
    assert variable_values(session.study)[second.id] == {"age": 31.5}
    enter_variables(session, first, {"age": "", "nothing": ""})
    assert known(session)[0] == {"condition": "robot"}
    session.study.undo()
    assert known(session)[0]["age"] == "23"


def test_a_variable_has_one_kind(session: Session) -> None:
    first, second, _ = people(session)
    enter_variables(session, first, {"age": "23"})
    with pytest.raises(UserError, match="age is a number"):
        enter_variables(session, second, {"age": "about thirty"})
    enter_variables(session, second, {"age": "about thirty"}, VariableKind.TEXT)
    assert variable_kinds(session.study) == {"age": VariableKind.TEXT}
    with pytest.raises(UserError, match="age is a number"):
        enter_variables(session, first, {"age": "23"}, VariableKind.NUMBER)
    assert variable_kinds(session.study) == {"age": VariableKind.TEXT}, "nothing of it was written"
    with pytest.raises(UserError, match="cannot be called"):
        enter_variables(session, first, {"a/b": "1"})


def test_a_table_is_filled_in_as_one_step_or_not_at_all(session: Session, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("Participant;age;condition\nP01;23;robot\nP02;;human\n", "utf-8-sig")
    count, _ = import_variables(session, read_variables(table))
    assert (count, known(session)) == (3, [{"age": "23", "condition": "robot"}, {"condition": "human"}, {}])
    session.study.undo()
    assert known(session) == [{}, {}, {}]
    with pytest.raises(UserError, match="Nobody in the study is called P99"):
        import_variables(session, {"P01": {"age": "1"}, "P99": {"age": "2"}})
    assert known(session) == [{}, {}, {}]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "does not name its columns"),
        (b"age,sex\n1,2\n", "does not name its columns"),
        (b"participant,age,age\nP01,1,2\n", "no name, or that of another"),
        (b"participant,age\nP01\n", "another number of cells"),
        (b"participant,age\nP01,1\nP01,2\n", "two rows"),
        (b"participant,age\nP01,\xff\n", "not in UTF-8"),
        (b'participant,age\nP01,"1\n', "cannot be read at line"),
    ],
)
def test_a_table_that_cannot_be_read(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "people.csv").write_bytes(content)
    with pytest.raises(UserError, match=said):
        read_variables(tmp_path / "people.csv")


def test_a_budget_is_grouped_by_a_variable(session: Session) -> None:
    use_shipped_scheme(session, "cues")
    first, second, third = people(session)
    for participant, condition in ((first, "robot"), (second, "human"), (third, "robot")):
        enter_variables(session, participant, {"condition": condition})
    for number, participant in enumerate((first, first, second, third)):
        span, values = (number * SECOND, (number + 1) * SECOND), {"participant": participant.id}
        add_segment(session, WALK, *span, "gesture", values, scheme="cues", track="action")
    assert "condition" in available_groupings(session, "cues", "action", phases=False)
    assert "condition" not in available_groupings(session, "shrec", "segments", phases=False)
    read = read_observations(session, ObservationQuery("cues", "action", ("condition",)))
    rows = [row for row in compute_time_budget(read.keys, read.labels, read.observations).rows if row.count]
    assert [(row.group, row.count, row.observed_s) for row in rows] == [(("robot",), 3, 1200), (("human",), 1, 600)]


def test_who_annotates_a_copy_is_not_told_and_its_merge_takes_nothing_away(session: Session, tmp_path: Path) -> None:
    first, *_ = people(session)
    enter_variables(session, first, {"condition": "Zyxrobot"})
    make_plan(session, PlanOptions(("Ben",), 1))
    copy = split_study(session, "Ben", tmp_path / "ben").path
    assert b"Zyxrobot" not in copy.read_bytes()
    with Session.open(copy, "Ben") as theirs:
        assert first in people(theirs)
        assert known(theirs) == [{}, {}, {}]
        add_segment(theirs, WALK, 0, SECOND, "error")
    merge_copies(session, [copy])
    assert known(session)[0] == {"condition": "Zyxrobot"}


def test_the_command_line_sets_lists_and_removes(session: Session, greenroom: Terminal, tmp_path: Path) -> None:
    path = session.study.path
    session.close()
    told = greenroom.json("participant", "set", path, "P01", "--set", "age=23", "--set", "condition=robot")
    assert told["participants"][0]["variables"] == {"age": "23", "condition": "robot"}
    greenroom("participant", "set", path, "P01", "--set", "condition=", "--set", "age=23", "--kind", "text")
    listed = greenroom.json("participant", "list", path)
    assert listed["variables"] == {"age": "text"}
    assert [person["variables"] for person in listed["participants"]] == [{"age": "23"}, {}, {}]
    (tmp_path / "t.csv").write_text("participant,sex\nP02,f\n")
    assert "Filled in 1 value." in greenroom("participant", "import", path, tmp_path / "t.csv")
    assert "does not say which value" in greenroom("participant", "set", path, "P01", "--set", "age", code=2)
