"""Bringing work home: what is taken, what is a conflict, and what is refused."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from project.entities.judgments import Reveal
from project.entities.study_records import Annotator, FieldValue, Participant, Recording, Segment
from project.errors import Cancelled, UserError
from project.ids import new_id
from project.integrity.integrity_check import check_study
from project.merging.conflict_resolution import apply_version, present_version
from project.merging.merge import merge_copy, open_copy
from project.queries.annotator_rows import all_annotators, insert_annotator
from project.queries.history_rows import all_conflicts
from project.queries.judgment_rows import insert_judgments, insert_reveal, judgments_in, reveals_to
from project.queries.policy_rows import all_egress, insert_egress
from project.queries.recording_rows import all_participants, all_recordings, insert_recording, update_participant
from project.queries.segment_rows import (
    all_segments,
    delete_segments,
    find_segment,
    set_value,
    update_segment,
    values_of,
)
from project.store.study import Study
from tests.builders.cancelling import CancelAt
from tests.builders.merge_study import (
    ADA,
    BO,
    COLLECTION,
    PERSON,
    SCHEME,
    content,
    copy_file,
    everything,
    furnish,
    mark,
    merge,
    working,
)
from tests.builders.stored_judgments import SAID, SENT


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return furnish(tmp_path / "home.greenroom")


def edit(path: Path, change: Callable[[Study], object]) -> None:
    with working(path) as study, study.step("Edit", BO.id):
        change(study)


def text_of(study: Study, segment: Segment) -> object:
    return values_of(study, segment.id).get("rationale")


def rationale(segment: Segment, text: str | None) -> Callable[[Study], None]:
    return lambda study: set_value(study, FieldValue(segment.id, SCHEME.key, SCHEME.version, "rationale", text))


@pytest.fixture
def segment(home: Path) -> Segment:
    with working(home) as study:
        return mark(study, BO, rationale="first")


def test_what_is_new_in_a_copy_comes_home_once(home: Path) -> None:
    copy = copy_file(home, "copy")
    with working(copy) as study:
        made = [mark(study, ADA, start=n * 1_000_000, rationale=f"because {n}") for n in range(5)]
        with study.step("Edit", ADA.id):
            rationale(made[0], "no")(study)
        study.undo()
    copy.chmod(0o400)
    before = content(home)
    (first,) = merge(home, copy)
    assert (first.tables["segment"].added, first.tables["segment_value"].added, first.conflicts) == (5, 5, 0)
    with working(home) as study:
        assert {s.id for s in all_segments(study)} == {s.id for s in made}
        assert text_of(study, made[3]) == "because 3"
    after = everything(home)
    (second,) = merge(home, copy)
    assert second.is_empty
    assert everything(home) == after
    with working(home) as study:
        assert study.undo_name == "Merge copy"
        study.undo()
    assert content(home) == before
    (again,) = merge(home, copy)
    assert again.tables["segment"].added == 5
    assert check_study(home) == []


def test_only_what_came_since_the_last_merge_is_looked_at(home: Path, segment: Segment) -> None:
    copy = copy_file(home, "copy")
    edit(copy, rationale(segment, "second"))
    merge(home, copy)
    edit(home, rationale(segment, "the owner's"))
    with working(copy) as study:
        mark(study, ADA)
    (again,) = merge(home, copy)
    assert again.conflicts == 0
    with working(home) as study:
        assert text_of(study, segment) == "the owner's"


def test_edits_of_one_row_on_both_sides_are_a_conflict_with_both_versions(home: Path, segment: Segment) -> None:
    copy = copy_file(home, "copy")
    edit(home, rationale(segment, "ours"))
    edit(copy, rationale(segment, "theirs"))
    edit(copy, lambda study: update_segment(study, replace(segment, end_us=9_000_000)))
    (done,) = merge(home, copy)
    assert (done.conflicts, done.tables["segment"].changed) == (1, 1)
    with working(home) as study:
        (found,) = all_conflicts(study)
        assert text_of(study, segment) == "ours"
        kept = find_segment(study, segment.id)
        assert kept.end_us == 9_000_000
    assert (found.ours["segment_value"][0]["value"], found.theirs["segment_value"][0]["value"]) == (
        '"ours"',
        '"theirs"',
    )
    assert found.source == "copy"
    before = everything(home)
    assert merge(home, copy)[0].is_empty
    assert everything(home) == before


@pytest.mark.parametrize("deleted", ["here", "there"])
def test_deleting_what_the_other_side_edited_is_a_conflict(home: Path, segment: Segment, deleted: str) -> None:
    copy = copy_file(home, "copy")
    gone, edited = (home, copy) if deleted == "here" else (copy, home)
    edit(gone, lambda study: delete_segments(study, segment.id))
    edit(edited, rationale(segment, "still needed"))
    (done,) = merge(home, copy)
    assert done.conflicts == 1
    with working(home) as study:
        (found,) = all_conflicts(study)
        version = found.theirs if deleted == "here" else found.ours
        assert (found.ours is None, found.theirs is None) == (deleted == "here", deleted == "there")
        assert version["segment_value"][0]["value"] == '"still needed"'
        assert (find_segment(study, segment.id) is None) == (deleted == "here")
        with study.step("Take theirs"):
            apply_version(study, found, found.theirs)
        assert present_version(study, found) == found.theirs
        assert (find_segment(study, segment.id) is None) == (deleted == "there")
        study.undo()
        assert (find_segment(study, segment.id) is None) == (deleted == "here")
    assert check_study(home) == []


def test_the_same_person_introduced_twice_is_one_annotator_and_a_new_one_is_introduced(home: Path) -> None:
    copy = copy_file(home, "copy")
    for number, path in enumerate((home, copy)):
        with working(path) as study:
            for name in ("Cy", "Dee")[: 1 + number]:
                who = Annotator(new_id(), name)
                with study.step("Introduce", undoable=False):
                    insert_annotator(study, who)
                mark(study, who, start=number * 1_000_000)
    assert merge(home, copy)[0].introduced == ("Dee",)
    with working(home) as study:
        (cy,) = [annotator for annotator in all_annotators(study) if annotator.name == "Cy"]
        assert {segment.annotator_id for segment in all_segments(study)} == {cy.id, who.id}
    assert merge(home, copy)[0].is_empty
    with working(home) as study:
        study.undo()
        assert who in all_annotators(study)
    assert check_study(home) == []


def test_recordings_that_come_with_a_number_that_is_taken_get_another(home: Path) -> None:
    copies = [copy_file(home, name) for name in ("one", "two")]
    for path in copies:
        edit(path, lambda study: insert_recording(study, Recording(new_id(), COLLECTION.id, 4, "New", 1)))
    done = merge(home, *copies)
    assert done[1].renumbered == {"New": 5}
    with working(home) as study:
        assert [r.number for r in all_recordings(study)] == [1, 2, 3, 4, 5]


def test_a_participants_note_that_a_copy_was_not_given_stays(home: Path) -> None:
    # As in a split copy: the note is blank there from the start.
    copy = copy_file(home, "copy")
    with working(copy) as study, study.without_history():
        study.write("UPDATE participant SET note = ''", ())
    edit(copy, lambda study: update_participant(study, replace(PERSON, note="", pseudonym="P99")))
    assert merge(home, copy)[0].conflicts == 0
    with working(home) as study:
        assert all_participants(study) == [Participant(PERSON.id, "P99", PERSON.role, PERSON.note)]


def test_what_is_no_copy_of_the_study_is_refused_in_one_line(home: Path) -> None:
    before = everything(home)
    other = home.with_name("other.greenroom")
    Study.create(other).close()
    text = home.with_name("text.greenroom")
    text.write_text("hello")
    for path, said in (
        (home.with_name("gone.greenroom"), "does not exist"),
        (text, "not a study"),
        (other, "another study"),
    ):
        with working(home) as study, pytest.raises(UserError, match=said) as caught:
            open_copy(study, path)
        assert "\n" not in caught.value.message
    assert everything(home) == before


def test_neither_the_study_itself_nor_an_open_copy_nor_into_a_study_that_is_read_only(home: Path) -> None:
    copy = copy_file(home, "copy")
    with working(home) as study, pytest.raises(UserError, match="itself"):
        open_copy(study, home)
    with working(copy) as theirs:
        mark(theirs, ADA)
        with working(home) as study, pytest.raises(UserError, match="open in another window"):
            open_copy(study, copy)
    with Study.open(home, read_only=True) as study, pytest.raises(UserError, match="read-only"):
        merge(study, copy)


def test_what_happened_in_a_copy_comes_home_once_under_the_people_of_this_study(tmp_path: Path) -> None:
    home = furnish(tmp_path / "home")
    with working(home) as study, study.without_history():
        study.write("INSERT INTO activity VALUES ('r-1', ?, '2026-01-02', 40)", (BO.id,))
    copy = copy_file(home, "copy")
    with working(copy) as study, study.without_history():
        study.write("UPDATE activity SET seconds = 60", ())
    with working(copy) as study, study.run_transaction():
        insert_judgments(study, [replace(SAID, id="by-bo", annotator_id=BO.id), replace(SAID, id="by-model")])
        insert_reveal(study, Reveal("s-1", BO.id, {"label": "error"}, SAID.at))
        insert_egress(study, SENT)
    (planned,) = merge(home, copy, dry_run=True)
    (first,) = merge(home, copy)
    (again,) = merge(home, copy)
    assert {name: came.added for name, came in planned.tables.items()} == {"judgment": 2, "reveal": 1, "egress": 1}
    assert first.tables == planned.tables
    assert again.is_empty
    with working(home) as study:
        assert {judgment.id: judgment.annotator_id for judgment in judgments_in(study, SAID.recording_id)} == {
            "by-bo": BO.id,
            "by-model": None,
        }
        assert set(reveals_to(study, BO.id)) == {"s-1"}
        assert all_egress(study) == [SENT]
        assert study.rows("SELECT seconds FROM activity") == [(60,)], "no active time counts twice"


def test_whenever_it_is_stopped_nothing_of_the_copy_is_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("project.store.study._PROGRESS_INSTRUCTIONS", 50)
    theirs = copy_file(home, "bo")
    with working(theirs) as study:
        with study.step("Introduce", undoable=False):
            insert_annotator(study, Annotator("new", "New"))
        for start in range(5):
            mark(study, Annotator("new", "New"), start=start)
    before, stopped, looks = content(home), 0, 0
    while True:
        with Study.open(home) as study, open_copy(study, theirs) as copy:
            try:
                merge_copy(study, copy, None, progress=CancelAt(looks + 1))
            except Cancelled:
                stopped += 1
            else:
                break
        assert content(home) == before
        looks = looks * 2 + 1
    assert stopped > 4
    assert check_study(home) == []
    with Study.open(home) as study:
        assert len([segment for segment in all_segments(study) if segment.annotator_id == "new"]) == 5


def test_a_secret_of_a_copy_never_becomes_that_of_the_study(home: Path) -> None:
    """Who made the copy would know from what changed voices and coded names follow."""
    secrets = ("release_key", "voice_secret", "pii-numbers")
    edit(home, lambda study: study.set_property(secrets[0], "ours"))
    copy = copy_file(home, "copy")
    for secret in secrets:
        edit(copy, lambda study, name=secret: study.set_property(name, "theirs"))
    assert merge(home, copy)[0].conflicts == 0
    with working(home) as study:
        assert [study.get_property(secret) for secret in secrets] == ["ours", None, None]
