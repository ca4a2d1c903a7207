"""The conversation beside a segment, cues at words and pre-labels, in the real window."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.cues.cue_marks import CuePrelabel
from annotate.cues.prelabels import add_cue, open_prelabels, replace_prelabels
from annotate.segments.segment_edits import add_segment
from app.gui.transcript.transcript_page import TranscriptPage
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Collection, Participant, ParticipantRole, Recording, Run, Utterance
from project.entities.transcript import AsrSegment
from project.queries.history_rows import insert_run
from project.queries.recording_rows import insert_collection, insert_participant, insert_recording, set_appearance
from project.queries.segment_rows import find_segment
from project.queries.transcript_rows import find_utterance, insert_asr_segments, insert_utterances
from project.store.study import Study
from tests.qt.conftest import OpenReused
from widgets.timeline.lanes import LaneKind, utterance_lane_key

SECOND = 1_000_000


@pytest.fixture
def window(tmp_path: Path, open_reused: OpenReused) -> MainWindow:
    path = tmp_path / "lab.greenroom"
    with Study.create(path) as study, study.without_history():
        insert_collection(study, Collection("c", "C"))
        insert_recording(study, Recording("r", "c", 1, "One", 60 * SECOND))
        for key, name, role in (("a", "P01", ParticipantRole.USER), ("b", "Nao", ParticipantRole.ROBOT)):
            insert_participant(study, Participant(key, name, role))
            set_appearance(study, "r", key, True)
        texts = ("Hello there", "Hi", "How are you today?", "Fine", "Good", "And now", "What?", "Nothing")
        insert_utterances(
            study,
            [
                Utterance(f"u{n}", "r", n * 4 * SECOND, (n * 4 + 3) * SECOND, text, "ab"[n % 2])
                for n, text in enumerate(texts)
            ],
        )
    with Study.open(path) as study, study.run_transaction():
        insert_run(study, Run("s", "r", "speech", "silero", {}, {}, "2026-01-01T00:00:00Z", "1"))
        insert_asr_segments(study, "s", [AsrSegment(0, 3 * SECOND)])
    made = open_reused(path)
    made.choose_recording("r")
    return made


def test_utterances_have_a_lane_a_speaker_and_are_handed_over_drawn_and_edited(window: MainWindow) -> None:
    timeline = window.timeline
    lanes = timeline.model.lanes
    assert [lane.title for lane in lanes if lane.kind is LaneKind.UTTERANCES] == ["P01", "Nao"]
    assert [lane.title for lane in lanes if lane.kind is LaneKind.SPANS] == ["Speech"]
    assert timeline.model.spans("heard").tolist() == [[0, 3 * SECOND]]
    study, nao = window.studio.session.study, utterance_lane_key("b")
    timeline.utterance_assign_requested.emit(["u0"], nao)
    assert find_utterance(study, "u0").participant_id == "b"
    assert len(timeline.model.track(nao)) == 5
    window.studio.undo()
    assert len(timeline.model.track(nao)) == 4
    timeline.choose(["u2"])
    assert (window.studio.selected_utterances, window.studio.selected) == (("u2",), ())
    window.studio.select_utterances(["u3"])
    assert timeline.selection() == ["u3"]
    segment, changes = add_segment(window.studio.session, "r", SECOND, 2 * SECOND, "error")
    window.studio.publish(changes)
    window.feed.select_editable()
    assert timeline.selection() == [segment], "Select all takes segments only"
    for utterance in ("u2", "u4"):
        timeline.utterance_requests.activate.emit(utterance)
        assert window.mode() == "transcript"
        assert window.studio.selected_utterances == (utterance,)
        assert window.findChild(TranscriptPage).view.editing_id == utterance
    timeline.utterance_requests.create.emit(nao, 50 * SECOND, 52 * SECOND)
    (made,) = window.studio.selected_utterances
    found = find_utterance(study, made)
    assert (found.participant_id, found.text) == ("b", "")
    assert window.findChild(TranscriptPage).view.editing_id == made, "what is said is typed at once"
    window.spoken.assign([f"u{n}" for n in range(0, 8, 2)], None)
    titles = [lane.title for lane in timeline.model.lanes if lane.kind is LaneKind.UTTERANCES]
    assert titles == ["P01", "Nao", "Unassigned"], "the lane of who is there stays"


def test_the_conversation_stands_beside_the_segment(window: MainWindow) -> None:
    session = window.studio.session
    add_cue(session, "u5", "response", "nod", "a", "nodding", word=0)
    made, changes = add_segment(session, "r", 20 * SECOND, 26 * SECOND, "error")
    window.studio.publish(changes)
    window.studio.select([made])
    panel = window.history.panel
    assert panel.isVisibleTo(window)
    text = panel.turns.toPlainText()
    assert text.splitlines() == [
        "P01 user: Hello there", "Nao robot: Hi", "P01 user: How are you today?", "Nao robot: Fine", "P01 user: Good",
        "— in this segment —", "Nao robot: And [P01: nodding] now", "P01 user: What?",
    ]  # fmt: skip
    panel.before.setValue(2)
    assert window.studio.settings.turns_before == 2
    assert panel.turns.toPlainText().splitlines()[0] == "Nao robot: Fine"
    made, changes = add_segment(session, "r", 40 * SECOND, 42 * SECOND, "error")
    window.studio.publish(changes)
    window.studio.select([made])
    assert "Nobody speaks here." in panel.turns.toPlainText()


def test_a_cue_is_added_at_its_word(window: MainWindow, qtbot: QtBot) -> None:
    window.studio.select_utterances([])
    window.playback.jump(3_500_000)
    with qtbot.waitSignal(window.studio.failed):
        window.cues.open_form()
    window.studio.select_utterances(["u2"])
    window.menus.actions["add_cue"].trigger()
    form = window.cues.form
    form.track.setCurrentIndex(form.track.findData("response"))
    assert form.who.currentData() == "b"
    form.buttons.buttons["smile_back"].click()
    form.place.setCurrentIndex(2)
    form.description.setText("Grins.")
    form.add.click()
    (made,) = window.studio.selected
    found = find_segment(window.studio.session.study, made)
    assert (found.track, found.label) == ("response", "smile_back")
    assert 8 * SECOND < found.start_us < 9 * SECOND


def test_pre_labels_are_pale_and_decided_on_one_by_one(window: MainWindow) -> None:
    session = window.studio.session
    window.studio.edit(
        lambda s: (
            add_cue(s, "u0", "tone", "calm")[1]
            | replace_prelabels(
                s,
                "r",
                [
                    CuePrelabel("expression", "smile", SECOND, 2 * SECOND, "a", "Smiles."),
                    CuePrelabel("expression", "smile", 9 * SECOND, 10 * SECOND, "a", "Smiles."),
                    CuePrelabel("response", "nod", 5 * SECOND, 6 * SECOND, "a", "Nods."),
                ],
            )
        )
    )
    pale = [lane for lane in window.timeline.model.lanes if lane.pale]
    assert [(lane.title, lane.editable) for lane in pale] == [("Pre-labels", False)] * 2
    first, nod, second = (open_prelabel.segment.id for open_prelabel in open_prelabels(session, "r"))
    window.timeline.choose([first])
    assert window.inspector is not None
    assert window.menus.actions["accept_cue"].isEnabled()
    window.menus.actions["accept_cue"].trigger()
    assert window.timeline.model.segment(first) is None
    assert window.studio.selected == (nod,)
    window.menus.actions["reject_cue"].trigger()
    assert window.studio.selected == (second,)
    assert len(window.prelabels.same_kind(second)) == 1
    window.studio.undo()
    assert window.timeline.model.segment(nod) is not None
    row = window.recordings.model.row("r")
    assert row.segments == (("Ada", 2),)
