"""A copy for one annotator: what it holds, what it must not hold, and where its media are."""

import contextlib
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from annotate.segments.segment_edits import add_segment
from annotate.study.people import add_participant, set_consent
from annotate.study.recording_edits import add_recordings, probe_file, relink
from annotate.team.assignments import PlanOptions, make_plan
from annotate.team.study_copies import CopyFor, MediaWith, merge_copies, split_study
from project.entities.study_records import Comment, ConsentUse, Participant, ParticipantRole, Verdict
from project.errors import Cancelled, UserError
from project.ids import new_id
from project.integrity.integrity_check import check_study
from project.progress import Silent
from project.queries.recording_rows import all_media, all_participants, consents, update_participant
from project.queries.segment_rows import all_segments, insert_comments
from project.session.session import MediaState, Session
from project.store.study import Study
from tests.builders.cancelling import CancelAt
from tests.builders.clips import make_clip

SECRET = "Unmistakable-"


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("clips") / "walk.mp4", frames=30, size=(64, 48))


@pytest.fixture
def session(tmp_path: Path, clip: Path) -> Session:
    (tmp_path / "lab").mkdir()
    Study.create(tmp_path / "lab" / "lab.greenroom").close()
    opened = Session.open(tmp_path / "lab" / "lab.greenroom", "Bo")
    (tmp_path / "lab" / "walk.mp4").write_bytes(clip.read_bytes())
    (recording,), _ = add_recordings(opened, [probe_file(tmp_path / "lab" / "walk.mp4")])
    make_plan(opened, PlanOptions(("Ada", "Bo")))
    secret, _ = add_segment(opened, recording, 0, 500_000, Verdict.ERROR, {"rationale": f"{SECRET}rationale"})
    person_id, _ = add_participant(opened, "P01", ParticipantRole.USER, recording)
    person = Participant(person_id, "P01", ParticipantRole.USER, f"{SECRET}note")
    set_consent(opened, person, ConsentUse.RELEASE, True)
    with opened.step("Say more"):
        update_participant(opened.study, person)
        bo = opened.annotator()
        insert_comments(opened.study, [Comment(new_id(), secret, bo.id, f"{SECRET}comment", "2026-01-01")])
        opened.study.set_property("other", f"{SECRET}property")
    return opened


def test_nothing_of_others_is_in_the_file(session: Session, tmp_path: Path) -> None:
    with session:
        made = split_study(session, "Ada", tmp_path / "ada")
        home = session.study.path
    data = made.path.read_bytes()
    assert SECRET.encode() in home.read_bytes()
    assert SECRET.encode() not in data
    assert check_study(made.path) == check_study(home) == []
    with Session.open(made.path, "Ada") as copy:
        (person,) = all_participants(copy.study)
        assert (person.pseudonym, person.note) == ("P01", "")
        assert not any(consents(copy.study, person.id).values())
        assert copy.study.undo_name is None


def test_media_left_behind_are_found_again_and_their_place_is_not_merged(
    session: Session, tmp_path: Path, clip: Path
) -> None:
    (tmp_path / "away" / "footage").mkdir(parents=True)
    (tmp_path / "renamed.mp4").write_bytes(clip.read_bytes())
    (tmp_path / "away" / "strange.mp4").symlink_to(tmp_path / "renamed.mp4")
    with session:
        made = split_study(session, "Ada", tmp_path / "away" / "ada")
        with Session.open(made.path, "Ada") as copy:
            (medium,) = all_media(copy.study)
            assert copy.locate(medium).state is MediaState.MISSING
            assert relink(copy, tmp_path / "away").found == (), "a link that leads out of the folder is not followed"
            (tmp_path / "renamed.mp4").rename(tmp_path / "away" / "footage" / "renamed.mp4")
            assert relink(copy, tmp_path / "away").found == ("renamed.mp4",)
            add_segment(copy, medium.recording_id, 0, 400_000, Verdict.COMPETENCE)
        merge_copies(session, [made.path])
        (medium,) = all_media(session.study)
        assert medium.path == "walk.mp4"
        assert len(all_segments(session.study)) == 2


def test_media_are_put_beside_the_copy(session: Session, tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    with session:
        for name, media in (("ada", MediaWith.LINK), ("again", MediaWith.COPY)):
            made = split_study(session, "Ada", tmp_path / "away" / name, media)
            with Session.open(made.path, "Ada") as copy:
                (medium,) = all_media(copy.study)
                located = copy.locate(medium)
                assert located.state is MediaState.PRESENT
                assert located.path.parent == tmp_path / "away" / f"{name} media"
            assert check_study(made.path) == []
        with pytest.raises(UserError, match="already"):
            split_study(session, "Ada", tmp_path / "away" / "ada", MediaWith.LINK)
        (tmp_path / "lab" / "walk.mp4").unlink()
        with pytest.raises(UserError, match="missing"):
            split_study(session, "Ada", tmp_path / "away" / "third", MediaWith.COPY)
    names = [f"{name}{end}" for name in ("ada", "again") for end in (" media", ".greenroom")]
    assert sorted(path.name for path in (tmp_path / "away").iterdir()) == names


class WatchingCancel(CancelAt):
    """Sees which files of a folder have a name of their own while it waits to be cancelled."""

    def __init__(self, folder: Path, look: int) -> None:
        super().__init__(look)
        self._folder, self.seen = folder, list[str]()

    def progress(self, done: int, total: int, text: str = "") -> None:
        self.seen += [path.name for path in self._folder.iterdir() if not path.name.startswith(".")]


@pytest.mark.parametrize("look", [1, 3])
def test_a_copy_that_is_cancelled_leaves_nothing_and_has_no_name_before(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, look: int
) -> None:
    monkeypatch.setattr("annotate.team.study_copies._CHUNK_BYTES", 1000)
    (tmp_path / "away").mkdir()
    stops = WatchingCancel(tmp_path / "away", look)
    with session:
        before = session.study.rows("SELECT * FROM journal_step")
        with pytest.raises(Cancelled):
            split_study(session, "Ada", tmp_path / "away" / "ada", MediaWith.COPY, stops)
        assert session.study.rows("SELECT * FROM journal_step") == before
    assert [*(tmp_path / "away").iterdir()] == []
    assert stops.seen == []


def test_what_is_edited_while_a_copy_is_made_is_in_it(session: Session, tmp_path: Path) -> None:
    with session, contextlib.closing(CopyFor(session, "Bo", tmp_path / "bo", MediaWith.COPY)) as copy:
        copy.write_copy(session, Silent())
        recording = all_segments(session.study)[0].recording_id
        late, _ = add_segment(session, recording, 0, 300_000, Verdict.COMPETENCE)
        assert copy.finish(session) is None
        assert not (tmp_path / "bo.greenroom").exists()
        assert not (tmp_path / "bo media").exists()
        copy.write_copy(session, Silent())
        made = copy.finish(session)
        with Session.open(made.path, "Bo") as away:
            assert late in {segment.id for segment in all_segments(away.study)}
            assert [away.locate(medium).state for medium in all_media(away.study)] == [MediaState.PRESENT]
            add_segment(away, recording, 400_000, 500_000, Verdict.COMPETENCE)
        merge_copies(session, [made.path])
        assert len(all_segments(session.study)) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bo media", "bo.greenroom", "lab"]


def test_a_disk_without_room_is_said_before_anything_is_copied(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=10))
    with session, pytest.raises(UserError, match="the disk has"):
        split_study(session, "Ada", tmp_path / "ada", MediaWith.COPY)
    assert [path.name for path in tmp_path.iterdir()] == ["lab"]


def test_a_copy_of_a_copy_goes_home_by_way_of_it(session: Session, tmp_path: Path) -> None:
    with session:
        recording = all_segments(session.study)[0].recording_id
        first = split_study(session, "Ada", tmp_path / "first").path
        with Session.open(first, "Ada") as middle:
            second = split_study(middle, "Ada", tmp_path / "second").path
            with Session.open(second, "Ada") as far:
                add_segment(far, recording, 0, 300_000, Verdict.NONE)
        with pytest.raises(UserError, match="one of its copies"):
            merge_copies(session, [second])
        with Session.open(first, "Ada") as middle:
            merge_copies(middle, [second])
        merge_copies(session, [first])
        assert len(all_segments(session.study)) == 2
        assert all(copy.merged.is_empty for copy in merge_copies(session, [second, first]))
