"""The history: random edits, undo, redo and reopening against a model of plain lists, and how the journal is kept."""

import copy
import json
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from project.entities.study_records import ConsentUse, FieldValue, Participant, ParticipantRole, Segment, Verdict
from project.files.sqlcipher import sqlite3
from project.ids import new_id
from project.integrity.integrity_check import check_study
from project.queries import recording_rows as participants
from project.queries import recording_rows as recordings
from project.queries import segment_rows
from project.queries.segment_rows import all_segments, insert_segment
from project.queries.study_schemes import insert_version
from project.schemes.scheme_file import shipped_text
from project.store.creation import create_file
from project.store.journal import Journal
from project.store.study import Study
from tests.builders.small_study import Small, furnish

State = dict[str, Any]
_TEXT = st.text(st.characters(blacklist_categories=()), max_size=8)
_JSON = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=4,
).filter(lambda value: value is not None)


class Edits(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.study = Study.create(Path(self.folder.name) / "a")
        self.small: Small = furnish(self.study)
        with self.study.without_history():
            newer = shipped_text("shrec").replace("version = 1", "version = 2", 1)
            insert_version(self.study, "shrec", 2, newer)
        self.now: State = {"segments": {}, "values": {}, "consents": {}, "people": {}}
        self.past: list[State] = []
        self.future: list[State] = []
        self.recording_there = True

    def teardown(self) -> None:
        self.study.close()
        assert check_study(self.study.path) == []
        assert [p.name for p in Path(self.folder.name).iterdir()] == ["a.greenroom"]
        self.folder.cleanup()

    def edited(self, change: Any) -> None:
        before = copy.deepcopy(self.now)
        with self.study.step("Edit", self.small.annotator.id) as step:
            change()
        if self.now != before:
            assert step.changes
            self.past.append(before)
            self.future.clear()

    def some(self, place: int) -> Segment:
        found: list[Segment] = list(self.now["segments"].values())
        return found[place % len(found)]

    has_segments = precondition(lambda self: bool(self.now["segments"]))

    @rule(start=st.integers(0, 10**7), length=st.integers(1, 10**7), verdict=st.sampled_from(Verdict))
    def add(self, start: int, length: int, verdict: Verdict) -> None:
        new = Segment(new_id(), self.small.recording.id, self.small.annotator.id, verdict, start, start + length)

        def change() -> None:
            segment_rows.insert_segment(self.study, new)
            self.now["segments"][new.id] = new

        self.edited(change)

    @has_segments
    @rule(place=st.integers(0, 99), end=st.integers(10**7 + 1, 2 * 10**7))
    def move(self, place: int, end: int) -> None:
        new = replace(self.some(place), end_us=end)

        def change() -> None:
            segment_rows.update_segment(self.study, new)
            self.now["segments"][new.id] = new

        self.edited(change)

    @has_segments
    @rule(place=st.integers(0, 99), version=st.integers(1, 2), field=st.sampled_from("ab"), value=_JSON | st.none())
    def fill_in(self, place: int, version: int, field: str, value: Any) -> None:
        segment = self.some(place).id

        def change() -> None:
            segment_rows.set_value(self.study, FieldValue(segment, "shrec", version, field, value))
            values = self.now["values"]
            if value is not None:
                # As text: to Python True, 1 and 1.0 are the same.
                values[segment, version, field] = json.dumps(value)
            else:
                for key in [key for key in values if (key[0], key[2]) == (segment, field)]:
                    del values[key]

        self.edited(change)

    @has_segments
    @rule(place=st.integers(0, 99))
    def delete(self, place: int) -> None:
        segment = self.some(place).id

        def change() -> None:
            segment_rows.delete_segments(self.study, segment)
            del self.now["segments"][segment]
            for key in [key for key in self.now["values"] if key[0] == segment]:
                del self.now["values"][key]

        self.edited(change)

    @rule(name=_TEXT.filter(lambda text: text.isprintable()))
    def add_person(self, name: str) -> None:
        person = Participant(new_id(), name, ParticipantRole.USER)

        def change() -> None:
            participants.insert_participant(self.study, person)
            participants.set_consent(self.study, person.id, ConsentUse.RELEASE, True)
            self.now["people"][person.id] = person

        self.edited(change)

    @precondition(lambda self: bool(self.now["people"]))
    @rule(place=st.integers(0, 99))
    def delete_person(self, place: int) -> None:
        people = list(self.now["people"])
        person = people[place % len(people)]

        def change() -> None:
            participants.PARTICIPANTS.delete_tree(self.study, person)
            del self.now["people"][person]

        self.edited(change)

    @rule()
    def delete_recording_and_undo(self) -> None:
        with self.study.step("Delete recording"):
            recordings.RECORDINGS.delete_tree(self.study, self.small.recording.id)
        assert segment_rows.all_segments(self.study) == []
        self.future.clear()
        self.study.undo()
        self.future.append({"deleted": True})

    @precondition(lambda self: self.past)
    @rule()
    def undo(self) -> None:
        assert self.study.undo_name == "Edit"
        assert self.study.undo()
        self.future.append(self.now)
        self.now = self.past.pop()

    @precondition(lambda self: self.future and "deleted" not in self.future[-1])
    @rule()
    def redo(self) -> None:
        assert self.study.redo_name == "Edit"
        assert self.study.redo()
        self.past.append(self.now)
        self.now = self.future.pop()

    @rule()
    def reopen(self) -> None:
        self.study.close()
        self.study = Study.open(self.study.path)

    @invariant()
    def same(self) -> None:
        if not hasattr(self, "study"):
            return
        assert {segment.id: segment for segment in segment_rows.all_segments(self.study)} == self.now["segments"]
        for segment in self.now["segments"]:
            newest = {field: value for (of, _, field), value in sorted(self.now["values"].items()) if of == segment}
            found = {field: json.dumps(value) for field, value in segment_rows.values_of(self.study, segment).items()}
            assert found == newest
        found_people = {person.id: person for person in participants.all_participants(self.study)}
        assert found_people == self.now["people"]
        for person in found_people:
            assert participants.consents(self.study, person)[ConsentUse.RELEASE]
        assert (self.study.undo_name is not None) == bool(self.past)
        assert (self.study.redo_name is not None) == bool(self.future)


TestEdits = Edits.TestCase
TestEdits.settings = settings(max_examples=settings.default.max_examples // 3, stateful_step_count=25)


class ClosedSchema(sqlite3.Connection):
    """As on systems that let nobody write to a schema."""

    def executemany(self, sql: str, rows: object, /) -> sqlite3.Cursor:
        raise sqlite3.OperationalError("table sqlite_temp_master may not be modified")


def test_every_trigger_of_the_journal_is_there_however_it_is_made_and_the_file_is_not_touched(tmp_path: Path) -> None:
    path = create_file(tmp_path / "s", "")
    before, triggers = path.read_bytes(), []
    for kind in (sqlite3.Connection, ClosedSchema):
        with closing(sqlite3.connect(path, factory=kind, isolation_level=None)) as connection:
            Journal(connection).install()
            schema = "SELECT name, tbl_name, sql FROM temp.sqlite_schema WHERE type = 'trigger'"
            triggers.append(connection.execute(schema).fetchall())
            assert connection.execute("PRAGMA writable_schema").fetchone() == (0,)
            with pytest.raises(sqlite3.IntegrityError, match="an edit outside a step"):
                connection.execute("INSERT INTO property VALUES ('x', '1')")
    assert path.read_bytes() == before
    assert triggers[0] == triggers[1]
    assert len(triggers[0]) > 100


def logged(study: Study) -> list[tuple[object, ...]]:
    return study.rows(
        "SELECT table_name, row_id, operation, before, after FROM journal_change "
        "WHERE step_id = (SELECT max(id) FROM journal_step) ORDER BY row_id"
    )


def test_the_history_is_the_same_and_undo_takes_them_away(small: Small) -> None:
    study = small.study
    made = [
        Segment(new_id(), small.recording.id, small.annotator.id, Verdict.ERROR, n * 1000, n * 1000 + 500)
        for n in range(50)
    ]
    with study.step("One by one"):
        for segment in made:
            insert_segment(study, segment)
    expected = logged(study)
    study.undo()
    rows = [(s.id, s.recording_id, s.annotator_id, s.scheme, s.track, s.label, s.start_us, s.end_us) for s in made]
    with study.step("At once") as step:
        study.insert_many("segment", rows, [segment.id for segment in made])
    assert step.changes.ids("segment") == {segment.id for segment in made}
    assert logged(study) == expected
    extra = Segment(new_id(), small.recording.id, small.annotator.id, Verdict.ERROR, 0, 500)
    with study.step("And one more"):
        insert_segment(study, extra)
    assert len(logged(study)) == 1
    study.undo()
    study.undo()
    assert all_segments(study) == []
    study.redo()
    assert len(all_segments(study)) == 50
    study.close()
    assert check_study(study.path) == []


def test_a_step_that_fails_leaves_the_triggers_as_they_were(small: Small, tmp_path: Path) -> None:
    study, bad = small.study, [("x",) * 8]
    with pytest.raises(Exception, match="cannot store"), study.step("Bad"):
        study.insert_many("segment", bad, ["x"])
    segment = small.add()
    assert [row[1] for row in logged(study)] == [segment.id]
    with pytest.raises(RuntimeError, match="inside"):
        study.insert_many("segment", bad, ["x"])
