"""What a model suggests is nobody's work until somebody says so."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from annotate.agreement.annotator_lanes import list_annotators_of
from annotate.cues import prelabels
from annotate.cues import prelabels as commands
from annotate.cues.cue_detection import store
from annotate.cues.cue_marks import CuePrelabel, NoticedCue, build_prelabels, cues_by_utterance
from annotate.cues.prelabels import PRELABELS, open_prelabels, replace_prelabels
from annotate.interchange.document_export import build_document, exportable_recordings
from annotate.review.peer_review import review_segment
from annotate.review.study_progress import build_overview
from annotate.study import recording_edits as history
from annotate.study import scheme_versions as schemes
from annotate.transcript.conversation_history import export_lines
from project.entities.study_records import (
    Annotator,
    Collection,
    Json,
    Participant,
    ParticipantRole,
    Recording,
    ReviewDecision,
    Utterance,
)
from project.entities.transcript import Word
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.annotator_rows import all_annotators, insert_annotator, reviews_in
from project.queries.history_rows import latest_run
from project.queries.recording_rows import insert_collection, insert_participant, insert_recording
from project.queries.segment_rows import segments_of, values_of
from project.queries.transcript_rows import insert_utterances
from project.schemes.scheme_file import shipped_text
from project.session.jobs import JobSpec
from project.session.session import Session
from project.store.study import Study
from tests.builders.full_disk import full_disk

SECOND = 1_000_000
NOD = CuePrelabel("response", "nod", 2 * SECOND, 3 * SECOND, "b", "Nods.")
SMILE = CuePrelabel("expression", "smile", SECOND, 2 * SECOND, "a", "Smiles.")
WORDS = (Word("So", SECOND, 2 * SECOND), Word("then", 2 * SECOND, 4 * SECOND))
SPOKEN = [
    Utterance("u1", "r", SECOND, 4 * SECOND, "So then", "a", WORDS),
    Utterance("u2", "r", 5 * SECOND, 6 * SECOND, "Right", "b"),
]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Study.create(tmp_path / "lab.greenroom") as study, study.without_history():
        insert_collection(study, Collection("c", "C"))
        insert_recording(study, Recording("r", "c", 1, "One", 60 * SECOND))
        insert_participant(study, Participant("a", "speaker_1", ParticipantRole.USER))
        insert_participant(study, Participant("b", "speaker_2", ParticipantRole.ROBOT))
        insert_utterances(study, SPOKEN)
    with Session.open(tmp_path / "lab.greenroom", "Ada") as opened:
        schemes.use_scheme(opened, shipped_text("cues"), "cues.toml")
        yield opened


def _suggested(session: Session, *found: CuePrelabel) -> list[str]:
    replace_prelabels(session, "r", found)
    return [open_prelabel.segment.id for open_prelabel in open_prelabels(session, "r")]


def test_an_accepted_one_is_a_cue_of_ones_own_and_says_where_it_came_from(session: Session) -> None:
    smile, nod = _suggested(session, SMILE, NOD)
    assert list_annotators_of(session, "r") == []
    (own,), _ = commands.accept_prelabels(session, [nod])
    ada = session.annotator()
    assert [segment.annotator_id for segment in segments_of(session.study, "r") if segment.id == own] == [ada.id]
    assert values_of(session.study, own)["participant"].value == "b"
    assert [(review.decision, review.note) for review in reviews_in(session.study, "r")[nod]] == [("agree", own)]
    assert [open_prelabel.segment.id for open_prelabel in open_prelabels(session, "r")] == [smile]
    assert [cue.segment_id for cue in cues_by_utterance(session, "r")["u1"]] == [smile, own]
    assert export_lines(session, "r").splitlines()[0] == "speaker_1 [1.00-4.00]: So then [speaker_2: Nods]"
    history.undo(session)
    assert len(open_prelabels(session, "r")) == 2


def test_an_accepted_tone_says_its_label_and_not_what_was_measured(session: Session) -> None:
    (calm,) = _suggested(
        session, CuePrelabel("tone", "calm", SECOND, 4 * SECOND, "a", "Slower and more even than usual.")
    )
    commands.accept_prelabels(session, [calm])
    assert export_lines(session, "r").splitlines()[0] == "speaker_1 [1.00-4.00]: So then [calm tone]"


def test_running_again_replaces_only_what_nobody_touched(session: Session) -> None:
    smile, nod = _suggested(session, SMILE, NOD)
    commands.reject_prelabels(session, [nod])
    again = _suggested(session, SMILE, NOD)
    assert len(again) == 1
    assert again != [smile]
    assert nod in {segment.id for segment in segments_of(session.study, "r")}


def test_each_annotator_decides_for_themselves(session: Session) -> None:
    _, nod = _suggested(session, SMILE, NOD)
    commands.reject_prelabels(session, [nod])
    session.annotator_name = "Bo"
    assert nod in {open_prelabel.segment.id for open_prelabel in open_prelabels(session, "r")}
    commands.accept_prelabels(session, [nod])
    with pytest.raises(UserError, match="decided on this"):
        commands.accept_prelabels(session, [nod])


def test_a_pre_label_is_nobodys_work_and_nobodys_work_is_a_pre_label(session: Session) -> None:
    own, _ = commands.add_cue(session, "u1", "tone", "calm")
    with pytest.raises(UserError, match="no pre-label"):
        commands.accept_prelabels(session, [own])
    _, nod = _suggested(session, SMILE, NOD)
    with pytest.raises(UserError, match="nobody's work"):
        review_segment(session, nod, ReviewDecision.AGREE)


def test_a_person_of_that_name_is_not_taken_for_the_model(session: Session) -> None:
    with session.study.step("Introduce", undoable=False):
        insert_annotator(session.study, Annotator("x", PRELABELS))
    with pytest.raises(UserError, match="Somebody in this study"):
        replace_prelabels(session, "r", [SMILE])


def test_a_cue_is_pinned_to_its_word(session: Session) -> None:
    schemes.drop_scheme(session, "cues")
    made, _ = commands.add_cue(session, "u1", "response", "nod", "b", "Nods twice.", word=1)
    assert session.schemes.is_in_use("cues"), "it comes into use with a cue"
    found = next(segment for segment in segments_of(session.study, "r") if segment.id == made)
    assert (found.start_us, found.end_us) == (2 * SECOND, 4 * SECOND)
    assert cues_by_utterance(session, "r")["u1"][0].word == 1
    with pytest.raises(UserError, match="what a listener shows"):
        commands.add_cue(session, "u1", "response", "nod", "a")


@pytest.mark.parametrize(
    ("noticed", "track", "label"),
    [
        (NoticedCue("a", "nod", SECOND, 2 * SECOND, 1, ""), "action", "gesture"),
        (NoticedCue("b", "nod", SECOND, 2 * SECOND, 1, ""), "response", "nod"),
        (NoticedCue("b", "smile", SECOND, 2 * SECOND, 1, ""), "response", "smile_back"),
        (NoticedCue(None, "smile", SECOND, 2 * SECOND, 1, ""), "expression", "smile"),
        (NoticedCue("a", "sharp", SECOND, 4 * SECOND, 1, "louder"), "tone", "sharp"),
    ],
)
def test_who_speaks_decides_what_it_is(noticed: NoticedCue, track: str, label: str) -> None:
    (found,) = build_prelabels([noticed], SPOKEN)
    assert (found.track, found.label) == (track, label)


def test_what_lies_between_utterances_is_left_out_and_the_rest_is_cut_to_one() -> None:
    between = NoticedCue("a", "smile", round(4.1 * SECOND), round(4.9 * SECOND), 1, "")
    over = NoticedCue("a", "smile", 3 * SECOND, round(4.5 * SECOND), 1, "")
    assert [(prelabel.start_us, prelabel.end_us) for prelabel in build_prelabels([between, over], SPOKEN)] == [
        (3 * SECOND, 4 * SECOND)
    ]
    assert len(build_prelabels([between], [])) == 1


def test_a_run_is_kept_with_its_figures(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    smile: dict[str, Json] = {**asdict(NoticedCue("a", "smile", SECOND, 2 * SECOND, 1.2, "mouth wider"))}
    result: dict[str, Json] = {"noticed": [smile], "faces": 1, "utterances": 0, "seconds": 0.1}
    work = JobSpec("cues", "", "r", {"finder": "mediapipe"})
    with monkeypatch.context() as patch:
        patch.setattr(prelabels, "_insert", full_disk)
        with pytest.raises(UserError, match="full"):
            store(session, work, result)
    assert latest_run(session.study, "r", "cues") is None, "not without its pre-labels"
    store(session, work, result)
    run = latest_run(session.study, "r", "cues")
    assert run.result["prelabels"] == 1
    assert [annotator.kind for annotator in all_annotators(session.study) if annotator.name == PRELABELS] == ["model"]
    assert [open_prelabel.segment.label for open_prelabel in open_prelabels(session, "r")] == ["smile"]
    assert not check_study(session.study.path)


def test_pre_labels_do_not_count_and_leave_with_nothing(session: Session) -> None:
    _, nod = _suggested(session, SMILE, NOD)
    assert [recording.segments for recording in build_overview(session).recordings] == [0]
    (part,) = build_document(session, exportable_recordings(session)).recordings
    assert [lane.kind for lane in part.lanes if lane.entries and lane.kind != "utterances"] == []
    commands.accept_prelabels(session, [nod])
    (part,) = build_document(session, exportable_recordings(session)).recordings
    assert [lane.annotator for lane in part.lanes if lane.kind != "utterances"] == ["Ada"]
    assert [recording.segments for recording in build_overview(session).recordings] == [1]
