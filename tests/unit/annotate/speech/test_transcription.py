"""From a recording to a transcript: every kind of sound, after a stop too, and nothing that a person wrote is lost."""

import json
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annotate.speech import transcription
from annotate.speech import voice_activity as speech
from annotate.study import recording_edits as history
from annotate.study.recording_edits import add_medium, add_recordings, choose_sound_track, probe_file
from annotate.transcript import transcript_edits as edits
from annotate.transcript import utterance_drafts as drafts
from annotate.transcript.utterance_drafts import set_vocabulary
from models.speech import whisper
from project.entities.study_records import MediumRole, Utterance
from project.entities.transcript import split_words
from project.errors import Cancelled, UserError
from project.files.temporary_files import cache_folder
from project.progress import Silent
from project.queries.history_rows import latest_run
from project.queries.pii_rows import PiiDecision, PiiPlace, PiiVerdict, put_pii_decision
from project.queries.transcript_rows import asr_segments, speech_spans, utterances_of
from project.session.jobs import JobSpec, run_inline
from project.session.session import Session
from project.store.study import Study
from project.timebase import SECOND_US
from tests.builders.clips import make_clip, make_sound_tracks
from tests.builders.full_disk import full_disk
from tests.builders.tiny_whisper import write_tiny_whisper
from tests.builders.voices import RATE, Sound, chords, said, spoken, write_sound


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_tiny_whisper(tmp_path_factory.mktemp("models") / "tiny", ("en", "de", "ja")))


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Session]:
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as session:
        yield session


def added(session: Session, path: Path) -> str:
    (recording,), _ = add_recordings(session, [probe_file(path)])
    return recording


def talk(session: Session, folder: Path, sound: Sound | None = None) -> str:
    return added(session, write_sound(folder / "talk.wav", spoken()[: 10 * RATE] if sound is None else sound))


def transcribed(session: Session, recording: str, model: str, **more: object) -> JobSpec:
    work = transcription.prepare(session, recording, model, **more)
    run_inline(session, work, Silent())
    return work


def test_words_become_drafts_and_a_run_that_never_changes(lab: Session, tmp_path: Path, model: str) -> None:
    here = talk(lab, tmp_path)
    set_vocabulary(lab, "  Greenroom,\n Reykjavik ")
    work = transcribed(lab, here, model, language="en")
    assert work.parameters.prompt == "Greenroom, Reykjavik"
    found = utterances_of(lab.study, here)
    assert found
    for utterance in found:
        assert not utterance.checked
        assert utterance.participant_id is None
        assert [word.text for word in utterance.words] == split_words(utterance.text)
        assert all(word.confidence is not None for word in utterance.words)
        assert utterance.end_us <= lab.recording(here).duration_us
    run = latest_run(lab.study, here, "transcribe")
    heard = asr_segments(lab.study, run.id)
    assert [(asr_segment.start_us, asr_segment.text, asr_segment.words) for asr_segment in heard] == [
        (u.start_us, u.text, u.words) for u in found
    ]
    written = json.dumps([dict(run.parameters), dict(run.result)])
    assert str(tmp_path) not in written
    assert len(str(run.result["recognizer_parameters"]["sha256"])) == 64
    assert lab.study.undo_name == "Transcribe recording 1"
    assert speech_spans(lab.study, here)
    assert not list((cache_folder() / "transcripts").iterdir()), "what people said is not left in the cache"
    history.undo(lab)
    assert utterances_of(lab.study, here) == []
    assert asr_segments(lab.study, run.id) == heard


def test_what_cannot_be_kept_whole_is_not_kept_at_all(
    lab: Session, tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = talk(lab, tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(drafts, "insert_utterances", full_disk)
        with pytest.raises(UserError, match="full"):
            transcribed(lab, here, model, language="en")
    assert lab.study.rows("SELECT id FROM run") == []
    assert lab.study.rows("SELECT * FROM heard") == []
    assert list((cache_folder() / "transcripts").iterdir()), "what was heard is there for the next try"
    transcribed(lab, here, model, language="en")
    assert utterances_of(lab.study, here)


def test_speech_alone_needs_no_model(lab: Session, tmp_path: Path) -> None:
    here = talk(lab, tmp_path, spoken())
    run_inline(lab, speech.prepare(lab, here), Silent())
    found = speech_spans(lab.study, here)
    truth = said()
    assert found[0][0] < truth[0]["start_us"] + 300_000
    assert abs(found[-1][1] - truth[-1]["end_us"]) < 500_000
    run = latest_run(lab.study, here, "speech")
    assert run.result["stretches"] == len(found)
    with pytest.raises(UserError, match=r"No speech recognition model.*model fetch.*--speech-only"):
        transcription.prepare(lab, here)
    mute = added(lab, make_clip(tmp_path / "mute.mp4", frames=100, fps=10, size=(64, 48)))
    with pytest.raises(UserError, match=r"Recording 2 \(mute\) has no sound"):
        speech.prepare(lab, mute)
    lapel = probe_file(write_sound(tmp_path / "lapel.wav", spoken()[: 4 * RATE]))
    add_medium(lab, mute, lapel, MediumRole.MICROPHONE, 5 * SECOND_US)
    run_inline(lab, speech.prepare(lab, mute), Silent())
    heard = speech_spans(lab.study, mute)
    assert heard[0][0] == pytest.approx(5 * SECOND_US + 412_000, abs=200_000), "a microphone is laid where it belongs"
    (tmp_path / "talk.wav").unlink()
    with pytest.raises(UserError, match=r"recording 1 is missing: .*talk\.wav"):
        speech.prepare(lab, here)


LONG = np.tile(spoken(), 3)
"""Speech for several windows."""
SOUNDS: dict[str, Callable[[Path], Path]] = {
    "music": lambda folder: write_sound(folder / "a.wav", chords(5)),
    "a moment": lambda folder: write_sound(folder / "a.wav", spoken()[8000:8400]),
    "5.1": lambda folder: write_sound(folder / "a.wav", 0.3 * spoken()[: 6 * RATE], 48_000, "5.1"),
    "telephone": lambda folder: write_sound(folder / "a.wav", spoken()[: 6 * RATE], 8000, codec="pcm_alaw"),
    "late sound": lambda folder: make_clip(
        folder / "a.mp4", frames=20, fps=10, size=(64, 48), sound=True, sound_offset_us=700_000
    ),
}
SPOKEN = ("5.1", "telephone")


@pytest.mark.parametrize("name", SOUNDS)
def test_every_sound_ends_well(name: str, lab: Session, tmp_path: Path, model: str) -> None:
    here = added(lab, SOUNDS[name](tmp_path))
    transcribed(lab, here, model)
    found = speech_spans(lab.study, here)
    assert found is not None
    assert bool(found) == (name in SPOKEN)
    assert bool(utterances_of(lab.study, here)) <= bool(found)


def test_speech_is_that_of_the_sound_track_in_use(lab: Session, tmp_path: Path) -> None:
    talk = spoken()[: 4 * RATE]
    path = make_sound_tracks(tmp_path / "two.mp4", [np.zeros_like(talk), talk])
    here = added(lab, path)
    run_inline(lab, speech.prepare(lab, here), Silent())
    assert speech_spans(lab.study, here) == []
    choose_sound_track(lab, here, lab.main_medium(here).id, probe_file(path, sound_track=2))
    assert speech_spans(lab.study, here) is None, "nobody has listened to this track"
    run_inline(lab, speech.prepare(lab, here), Silent())
    assert speech_spans(lab.study, here)
    history.undo(lab)
    assert speech_spans(lab.study, here) == []


class CancelAfter:
    """Stops the work once so many chunks are done."""

    def __init__(self, chunks: int) -> None:
        self._chunks, self._stop = chunks, False
        self.told: list[str] = []

    def progress(self, done: int, total: int, text: str = "") -> None:
        self.told.append(text)
        self._stop = self._stop or text.startswith(f"Recognised {self._chunks} of")

    def check_cancelled(self) -> None:
        if self._stop:
            raise Cancelled


def test_what_was_recognised_before_a_stop_is_not_recognised_again(
    lab: Session, tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whisper, "_batch", lambda folder, device: 1)
    here = talk(lab, tmp_path, LONG)
    work = transcription.prepare(lab, here, model)
    stopping = CancelAfter(2)
    with pytest.raises(Cancelled):
        transcription.compute(work.parameters, stopping)
    assert any(text.startswith("Recognised 2 of ") for text in stopping.told)
    (kept,) = (cache_folder() / "transcripts").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    asked: list[int] = []
    before = whisper.Whisper.recognize

    def counting(self: whisper.Whisper, windows: list, hearing: object) -> object:
        asked.append(len(windows))
        return before(self, windows, hearing)

    monkeypatch.setattr(whisper.Whisper, "recognize", counting)
    result, _ = run_inline(lab, work, Silent())
    assert result.chunks == 2 + sum(asked) > 2
    resumed = [(utterance.start_us, utterance.text) for utterance in utterances_of(lab.study, here)]
    history.undo(lab)
    transcribed(lab, here, model)
    assert [(utterance.start_us, utterance.text) for utterance in utterances_of(lab.study, here)] == resumed


def test_a_second_transcript_is_refused_unless_drafts_may_go(lab: Session, tmp_path: Path, model: str) -> None:
    here = talk(lab, tmp_path)
    transcribed(lab, here, model)
    with pytest.raises(UserError, match=r"already has a transcript .*--replace"):
        transcription.prepare(lab, here, model)
    before = {utterance.id for utterance in utterances_of(lab.study, here)}
    transcribed(lab, here, model, replace=True)
    after = utterances_of(lab.study, here)
    assert len(after) == len(before)
    assert not before & {utterance.id for utterance in after}
    edits.mark_checked(lab, [utterance.id for utterance in after])
    with pytest.raises(UserError) as refused:
        transcription.prepare(lab, here, model)
    assert "All of it was edited or checked" in refused.value.hint


def _decide(session: Session, utterance: Utterance) -> None:
    place = PiiPlace("utterance", utterance.id, "text", utterance.text.split()[0])
    with session.step("Decide"):
        who = session.annotator().id
        put_pii_decision(
            session.study, PiiDecision(place, utterance.recording_id, "person", PiiVerdict.HIDE, who, "2026-01-01")
        )


TOUCHES: dict[str, Callable[[Session, Utterance], object]] = {
    "check": lambda lab, utterance: edits.mark_checked(lab, [utterance.id]),
    "text": lambda lab, utterance: edits.edit_text(lab, utterance.id, "What she really said"),
    "retime": lambda lab, utterance: edits.retime_utterances(
        lab, [(utterance.id, utterance.start_us + 10_000, utterance.end_us)]
    ),
    "speaker": lambda lab, utterance: edits.assign_to_new_participant(lab, [utterance.id], "P01"),
    "decision": _decide,
}


def test_what_a_person_touched_stays_as_it_is(lab: Session, tmp_path: Path, model: str) -> None:
    here = talk(lab, tmp_path)
    work = transcription.prepare(lab, here, model, "en", replace=True)
    result = transcription.compute(work.parameters, Silent())
    other = replace(work.parameters, language="ja")
    assert transcription.compute(other, Silent()).language == "ja", "with other settings it begins anew"
    heard = result.file.read_bytes()

    def store() -> None:
        result.file.write_bytes(heard)
        transcription.store(lab, work, result)

    for touch in ("typed", *TOUCHES):
        store()
        drafts = utterances_of(lab.study, here)
        kept = _typed(lab, here) if touch == "typed" else drafts[len(drafts) // 2].id
        if touch != "typed":
            TOUCHES[touch](lab, drafts[len(drafts) // 2])
        now = next(each for each in utterances_of(lab.study, here) if each.id == kept)
        store()
        after = utterances_of(lab.study, here)
        assert next(each for each in after if each.id == kept) == now, touch
        middle = [(w.start_us + w.end_us) // 2 for each in after if each.id != kept for w in each.words]
        assert not any(now.start_us <= at < now.end_us for at in middle), "nothing is said twice"
        edits.delete_utterances(lab, [each.id for each in after])


def test_an_unknown_language_and_a_damaged_model_are_one_line(lab: Session, tmp_path: Path, model: str) -> None:
    here = talk(lab, tmp_path)
    with pytest.raises(UserError, match="does not support French"):
        transcription.compute(transcription.prepare(lab, here, model, "fr").parameters, Silent())
    folder = write_tiny_whisper(tmp_path / "broken")
    (folder / "model.bin").write_bytes(b"no model" * 10)
    with pytest.raises(UserError, match=r"broken is damaged: .*[0-9a-f]{64}"):
        transcription.compute(transcription.prepare(lab, here, str(folder)).parameters, Silent())


def _typed(session: Session, recording: str) -> str:
    before = {utterance.id for utterance in utterances_of(session.study, recording)}
    edits.add_utterance(session, recording, 1_000_000, 1_400_000, "Typed by hand")
    (new,) = {utterance.id for utterance in utterances_of(session.study, recording)} - before
    return new
