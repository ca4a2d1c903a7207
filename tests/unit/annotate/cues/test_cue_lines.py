"""What a line says can be read again; what a study says becomes such lines."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.cues.cue_marks import cues_by_utterance
from annotate.segments.segment_edits import add_segment
from annotate.study import scheme_versions as schemes
from annotate.transcript.conversation_history import (
    CUE_KINDS,
    SEEN,
    CaptionLine,
    LineCue,
    LineResponse,
    export_lines,
    format_line,
    format_with_cues,
    read_conversation,
    transcript_to_json,
)
from project.entities.study_records import (
    Annotator,
    Collection,
    Participant,
    ParticipantRole,
    Recording,
    Segment,
    Utterance,
)
from project.entities.transcript import Word
from project.queries.annotator_rows import insert_annotator
from project.queries.recording_rows import insert_collection, insert_participant, insert_recording
from project.queries.segment_rows import insert_segment
from project.queries.transcript_rows import insert_utterances
from project.schemes.scheme_file import shipped_text
from project.session.session import Session
from project.store.study import Study
from tests.builders.line_reader import read_line

SECOND = 1_000_000
_ODD = st.text(st.sampled_from("ab [](),;:\\?tone emotion"), min_size=1, max_size=18).map(str.split).map(" ".join)
_TEXT = _ODD.filter(bool)
_WHO = st.none() | _TEXT
_WORDS = st.lists(st.text(st.sampled_from("ab[](),;:\\?é"), min_size=1, max_size=5), max_size=6).map(tuple)


@st.composite
def _lines(draw: st.DrawFn) -> CaptionLine:
    words = draw(_WORDS)
    told = draw(st.lists(st.tuples(st.sampled_from(CUE_KINDS), _TEXT, _ODD), max_size=4))
    cues = [LineCue(kind, text, "" if kind == SEEN else note) for kind, text, note in told]
    heard = draw(st.lists(st.builds(LineResponse, st.integers(0, len(words)), _WHO, _TEXT), max_size=3))
    start = draw(st.integers(0, 10**7))
    return CaptionLine(
        draw(_WHO),
        start,
        start + draw(st.integers(1, 10**5)),
        words,
        tuple(sorted(cues, key=lambda line_cue: CUE_KINDS.index(line_cue.kind))),
        tuple(sorted(heard, key=lambda line_response: line_response.after)),
    )


@given(_lines())
def test_a_written_line_reads_as_what_was_written(line: CaptionLine) -> None:
    assert read_line(format_line(line)) == line


def test_the_form_is_that_of_the_documentation() -> None:
    cues = (LineCue(SEEN, "smiling"), LineCue(SEEN, "waving"), LineCue("tone", "calm"))
    line = CaptionLine("speaker_1", 443, 557, ("Hi,", "everybody"), cues, (LineResponse(1, "speaker_2", "nodding"),))
    assert format_line(line) == (
        "speaker_1 [4.43-5.57]: Hi, [speaker_2: nodding] everybody [smiling, waving; calm tone]"
    )


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    words = (Word("Hi,", 1 * SECOND, 2 * SECOND), Word("everybody", 2 * SECOND, 4 * SECOND))
    with Study.create(tmp_path / "lab.greenroom") as study, study.without_history():
        insert_collection(study, Collection("c", "C"))
        insert_recording(study, Recording("r", "c", 1, "One", 60 * SECOND))
        insert_participant(study, Participant("a", "speaker_1", ParticipantRole.USER))
        insert_participant(study, Participant("b", "speaker_2", ParticipantRole.ROBOT))
        insert_annotator(study, Annotator("m", "Pre-labels", "model"))
        insert_utterances(
            study,
            [
                Utterance("u1", "r", SECOND, 4 * SECOND, "Hi, everybody", "a", words),
                Utterance("u2", "r", 3 * SECOND, 6 * SECOND, "Oh hello", "b"),
                Utterance("u3", "r", 7 * SECOND, 8 * SECOND, "Well"),
            ],
        )
    with Session.open(tmp_path / "lab.greenroom", "Ada") as opened:
        schemes.use_scheme(opened, shipped_text("cues"), "cues.toml")
        yield opened


def _cue(session: Session, track: str, label: str, start: float, end: float, who: str, description: str = "") -> str:
    values = {"participant": who} | ({"description": description} if description else {})
    span = round(start * SECOND), round(end * SECOND)
    return add_segment(session, "r", *span, label, values, scheme="cues", track=track)[0]


def test_people_read_no_backslashes(session: Session) -> None:
    _cue(session, "tone", "soft", 1, 3, "a", "almost a whisper, or less; (see note)")
    said = format_with_cues("Hi, [all] of \\ you", cues_by_utterance(session, "r")["u1"], {})
    assert said == "Hi, [all] of \\ you [soft tone (almost a whisper, or less; (see note))]"
    assert "\\," in export_lines(session, "r")


def test_cues_stand_at_their_words(session: Session) -> None:
    _cue(session, "expression", "smile", 2, 2.5, "a", "Smiling.")
    _cue(session, "tone", "calm", 1, 3, "a")
    _cue(session, "response", "nod", 1.5, 1.9, "b", "nodding")
    assert export_lines(session, "r").splitlines() == [
        "speaker_1 [1.00-4.00]: Hi, [speaker_2: nodding] everybody [Smiling; calm tone]",
        "speaker_2 [3.00-6.00]: Oh hello",
        "? [7.00-8.00]: Well",
    ]
    first = transcript_to_json(session, "r")["utterances"][0]
    assert first["speaker"] == "speaker_1"
    assert [cue["word"] for cue in first["cues"]] == [0, 1]


def test_where_two_speak_a_cue_goes_to_its_speaker_and_a_response_to_the_other(session: Session) -> None:
    own = _cue(session, "expression", "smile", 3.1, 3.9, "b")
    response = _cue(session, "response", "nod", 3.1, 3.9, "b")
    marks = cues_by_utterance(session, "r")
    assert [mark.segment_id for mark in marks["u2"]] == [own]
    assert [mark.segment_id for mark in marks["u1"]] == [response]


def test_a_pre_label_is_shown_as_one_and_leaves_with_nothing(session: Session) -> None:
    with session.step("Pre-label"):
        insert_segment(session.study, Segment("p", "r", "m", "smile", SECOND, 2 * SECOND, "cues", "expression"))
    assert [cue_mark.prelabel for cue_mark in cues_by_utterance(session, "r")["u1"]] == [True]
    assert "[smile]" not in export_lines(session, "r")
    assert all(not turn.cues for turn in read_conversation(session, "r", 0, 60 * SECOND, cues=True))


def test_the_conversation_is_what_is_inside_and_what_led_up_to_it(session: Session) -> None:
    turns = read_conversation(session, "r", round(6.5 * SECOND), 9 * SECOND)
    assert [(turn.speaker, turn.role, turn.inside) for turn in turns] == [
        ("speaker_1", ParticipantRole.USER, False),
        ("speaker_2", ParticipantRole.ROBOT, False),
        ("", None, True),
    ]
    assert [turn.utterance_id for turn in read_conversation(session, "r", round(6.5 * SECOND), 9 * SECOND, 1)] == [
        "u2",
        "u3",
    ]
    assert read_conversation(session, "r", 6 * SECOND, 7 * SECOND, before=0) == []
