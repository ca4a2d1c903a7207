"""What a model suggests is nobody's work until somebody says so; what a line says of cues can be read again."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from annotate.agreement.annotator_lanes import list_annotators_of
from annotate.cues import prelabels
from annotate.cues.cue_detection import CueDetectionParameters, CueDetectionResult, store
from annotate.cues.cue_marks import CuePrelabel, NoticedCue, build_prelabels, cues_by_utterance
from annotate.cues.prelabels import PRELABELS, open_prelabels, replace_prelabels
from annotate.interchange.document_export import build_document, exportable_recordings
from annotate.review.peer_review import review_segment
from annotate.review.study_progress import build_overview
from annotate.segments.segment_edits import add_segment
from annotate.study import recording_edits as history
from annotate.study import scheme_versions as schemes
from annotate.transcript.conversation_history import (
    SEEN,
    CaptionLine,
    LineCue,
    LineResponse,
    export_lines,
    format_line,
    read_conversation,
    transcript_to_json,
)
from project.entities.study_records import (
    Collection,
    Participant,
    ParticipantRole,
    Recording,
    ReviewDecision,
    Utterance,
)
from project.entities.transcript import Word
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.annotator_rows import all_annotators, reviews_in
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


@contextmanager
def opened(folder: Path, spoken: list[Utterance]) -> Iterator[Session]:
    """A study in which two speakers talk and cues are marked, opened as Ada."""
    with Study.create(folder / "lab.greenroom") as study, study.without_history():
        insert_collection(study, Collection("c", "C"))
        insert_recording(study, Recording("r", "c", 1, "One", 60 * SECOND))
        insert_participant(study, Participant("a", "speaker_1", ParticipantRole.USER))
        insert_participant(study, Participant("b", "speaker_2", ParticipantRole.ROBOT))
        insert_utterances(study, spoken)
    with Session.open(folder / "lab.greenroom", "Ada") as session:
        schemes.use_scheme(session, shipped_text("cues"), "cues.toml")
        yield session


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with opened(tmp_path, SPOKEN) as session:
        yield session


def _suggested(session: Session, *found: CuePrelabel) -> list[str]:
    replace_prelabels(session, "r", found)
    return [open_prelabel.segment.id for open_prelabel in open_prelabels(session, "r")]


def test_an_accepted_one_is_a_cue_of_ones_own_and_says_where_it_came_from(session: Session) -> None:
    smile, nod = _suggested(session, SMILE, NOD)
    assert list_annotators_of(session, "r") == []
    (own,), _ = prelabels.accept_prelabels(session, [nod])
    ada = session.annotator()
    assert [segment.annotator_id for segment in segments_of(session.study, "r") if segment.id == own] == [ada.id]
    assert values_of(session.study, own)["participant"] == "b"
    assert [(review.decision, review.note) for review in reviews_in(session.study, "r")[nod]] == [("agree", own)]
    assert [open_prelabel.segment.id for open_prelabel in open_prelabels(session, "r")] == [smile]
    assert [cue.segment_id for cue in cues_by_utterance(session, "r")["u1"]] == [smile, own]
    assert export_lines(session, "r").splitlines()[0] == "speaker_1 [1.00-4.00]: So then [speaker_2: Nods]"
    history.undo(session)
    assert len(open_prelabels(session, "r")) == 2


def test_each_annotator_decides_for_themselves_and_running_again_replaces_only_what_nobody_touched(
    session: Session,
) -> None:
    smile, nod = _suggested(session, SMILE, NOD)
    prelabels.reject_prelabels(session, [nod])
    (again,) = _suggested(session, SMILE, NOD)
    assert again != smile
    assert nod in {segment.id for segment in segments_of(session.study, "r")}
    with pytest.raises(UserError, match="nobody made"):
        review_segment(session, nod, ReviewDecision.AGREE)
    session.annotator_name = "Bo"
    assert nod in {open_prelabel.segment.id for open_prelabel in open_prelabels(session, "r")}
    prelabels.accept_prelabels(session, [nod])
    with pytest.raises(UserError, match="decided on this"):
        prelabels.accept_prelabels(session, [nod])


def test_pre_labels_do_not_count_and_leave_with_nothing(session: Session) -> None:
    _, nod = _suggested(session, SMILE, NOD)
    assert [recording.segments for recording in build_overview(session).recordings] == [0]
    assert "[" not in export_lines(session, "r").replace("[1.00-4.00]", "").replace("[5.00-6.00]", "")
    assert not any(turn.cues for turn in read_conversation(session, "r", 0, 60 * SECOND, cues=True))
    (part,) = build_document(session, exportable_recordings(session)).recordings
    assert [lane.kind for lane in part.lanes if lane.entries and lane.kind != "utterances"] == []
    prelabels.accept_prelabels(session, [nod])
    (part,) = build_document(session, exportable_recordings(session)).recordings
    assert [lane.annotator for lane in part.lanes if lane.kind != "utterances"] == ["Ada"]
    assert [recording.segments for recording in build_overview(session).recordings] == [1]


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Session]:
    words = (Word("Hi,", 1 * SECOND, 2 * SECOND), Word("everybody", 2 * SECOND, 4 * SECOND))
    spoken = [
        Utterance("u1", "r", SECOND, 4 * SECOND, "Hi, everybody", "a", words),
        Utterance("u2", "r", 3 * SECOND, 6 * SECOND, "Oh hello", "b"),
        Utterance("u3", "r", 7 * SECOND, 8 * SECOND, "Well"),
    ]
    with opened(tmp_path, spoken) as session:
        yield session


def _cue(session: Session, track: str, label: str, start: float, end: float, who: str, description: str = "") -> str:
    values = {"participant": who} | ({"description": description} if description else {})
    span = round(start * SECOND), round(end * SECOND)
    return add_segment(session, "r", *span, label, values, scheme="cues", track=track)[0]


def test_cues_stand_at_their_words(talk: Session) -> None:
    _cue(talk, "expression", "smile", 2, 2.5, "a", "Smiling.")
    _cue(talk, "tone", "calm", 1, 3, "a")
    _cue(talk, "response", "nod", 1.5, 1.9, "b", "nodding")
    assert export_lines(talk, "r").splitlines() == [
        "speaker_1 [1.00-4.00]: Hi, [speaker_2: nodding] everybody [Smiling; calm tone]",
        "speaker_2 [3.00-6.00]: Oh hello",
        "? [7.00-8.00]: Well",
    ]
    first = transcript_to_json(talk, "r")["utterances"][0]
    assert first["speaker"] == "speaker_1"
    assert [cue["word"] for cue in first["cues"]] == [0, 1]


def test_where_two_speak_a_cue_goes_to_its_speaker_and_a_response_to_the_other(talk: Session) -> None:
    own = _cue(talk, "expression", "smile", 3.1, 3.9, "b")
    response = _cue(talk, "response", "nod", 3.1, 3.9, "b")
    marks = cues_by_utterance(talk, "r")
    assert [mark.segment_id for mark in marks["u2"]] == [own]
    assert [mark.segment_id for mark in marks["u1"]] == [response]


def test_the_conversation_is_what_is_inside_and_what_led_up_to_it(talk: Session) -> None:
    turns = read_conversation(talk, "r", round(6.5 * SECOND), 9 * SECOND)
    assert [(turn.speaker and turn.speaker.pseudonym, turn.inside) for turn in turns] == [
        ("speaker_1", False),
        ("speaker_2", False),
        (None, True),
    ]
    assert [turn.utterance.id for turn in read_conversation(talk, "r", round(6.5 * SECOND), 9 * SECOND, 1)] == [
        "u2",
        "u3",
    ]
    assert read_conversation(talk, "r", 6 * SECOND, 7 * SECOND, before=0) == []


def test_a_cue_is_pinned_to_its_word(session: Session) -> None:
    schemes.drop_scheme(session, "cues")
    made, _ = prelabels.add_cue(session, "u1", "response", "nod", "b", "Nods twice.", word=1)
    assert session.schemes.is_in_use("cues"), "it comes into use with a cue"
    found = next(segment for segment in segments_of(session.study, "r") if segment.id == made)
    assert (found.start_us, found.end_us) == (2 * SECOND, 4 * SECOND)
    assert cues_by_utterance(session, "r")["u1"][0].word == 1
    with pytest.raises(UserError, match="needs a listener"):
        prelabels.add_cue(session, "u1", "response", "nod", "a")
    with pytest.raises(UserError, match="not a pre-label"):
        prelabels.accept_prelabels(session, [made])


def test_who_speaks_decides_what_a_noticed_cue_is_and_it_is_cut_to_what_is_said() -> None:
    def noticed(cue: str, start: float, end: float, who: str | None) -> NoticedCue:
        return NoticedCue(cue, round(start * SECOND), round(end * SECOND), 1, "", who)

    for cue, who, track, label in (
        ("nod", "a", "action", "gesture"),
        ("nod", "b", "response", "nod"),
        ("smile", "b", "response", "smile_back"),
        ("smile", None, "expression", "smile"),
    ):
        (found,) = build_prelabels([noticed(cue, 1, 2, who)], SPOKEN)
        assert (found.track, found.label) == (track, label)
    between, over = noticed("smile", 4.1, 4.9, "a"), noticed("smile", 3, 4.5, "a")
    (cut,) = build_prelabels([between, over], SPOKEN)
    assert (cut.start_us, cut.end_us) == (3 * SECOND, 4 * SECOND)
    assert len(build_prelabels([between], [])) == 1


def test_a_run_is_kept_with_its_pre_labels_and_not_without(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    smile = NoticedCue("smile", SECOND, 2 * SECOND, 1.2, "mouth wider", "a")
    result = CueDetectionResult((smile,), 1, 0, 0.1)
    work = JobSpec("cues", "", "r", CueDetectionParameters(finder="mediapipe"))
    with monkeypatch.context() as patch:
        patch.setattr(prelabels, "_insert", full_disk)
        with pytest.raises(UserError, match="full"):
            store(session, work, result)
    assert latest_run(session.study, "r", "cues") is None
    store(session, work, result)
    assert latest_run(session.study, "r", "cues").result["prelabels"] == 1
    assert [annotator.kind for annotator in all_annotators(session.study) if annotator.name == PRELABELS] == ["model"]
    assert [open_prelabel.segment.label for open_prelabel in open_prelabels(session, "r")] == ["smile"]
    assert check_study(session.study.path) == []


def test_what_would_mean_something_in_a_line_has_a_backslash_before_it() -> None:
    cues = (LineCue(SEEN, "a, b; c"), LineCue("tone", "soft", "low (x)"))
    words = ("so", "[x]", "y\\")
    line = CaptionLine("a [b]", 0, 100, words, cues, (LineResponse(1, "b: c", "d]"),))
    assert format_line(line) == (r"a \[b\] [0.00-1.00]: so [b\: c: d\]] \[x\] y\\ [a\, b\; c; soft tone (low \(x\))]")
