"""The job that suggests speakers, and what people make of its suggestions."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from annotate.speech import speaker_detection as speakers
from annotate.speech.speaker_suggestions import list_speaker_flags, list_speakers, name_speaker, name_speaker_as_new
from annotate.study.people import add_participant
from annotate.study.recording_edits import add_recordings, probe_file
from annotate.transcript import transcript_edits as transcript
from annotate.transcript import transcript_edits as who_speaks
from models.speakers.diarization import FlagKind
from project.entities.study_records import ParticipantRole, Run, Utterance
from project.errors import Cancelled, UserError
from project.ids import new_id
from project.progress import Silent
from project.queries.history_rows import insert_run
from project.queries.transcript_rows import insert_utterances, update_utterance, utterances_of
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.asked_jobs import store_speech
from tests.builders.cancelling import CancelAt
from tests.builders.face_study import only_recording
from tests.builders.voices import write_sound

RATE, SECOND = 16_000, 1_000_000
LOW, HIGH = 150.0, 550.0


class Tones:
    """Stands in for a network: a voice is a tone, and its vector says how high."""

    key = "tones"
    parameters: dict[str, object] = {"weights": "none"}
    dimensions = 8
    window = 25_600

    def embed(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        return self.embed_windows(samples, [0])[0]

    def embed_windows(self, samples: NDArray[np.float32], starts: Sequence[int]) -> NDArray[np.float32]:
        found = []
        for start in starts:
            powers = np.abs(np.fft.rfft(samples[start : start + self.window], RATE))[:800].reshape(8, 100).sum(1)
            found.append(powers / max(float(np.linalg.norm(powers)), 1e-9))
        return np.array(found, np.float32).reshape(-1, 8)


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A study with 24 seconds of two tones by turns of 4 seconds, after each a second of silence."""
    monkeypatch.setattr(speakers, "default_voice_embedder", lambda: "tones")
    monkeypatch.setattr("models.voices.voice_embeddings.create_voice_embedder", lambda name: Tones())
    at = np.arange(24 * RATE) / RATE
    hertz = np.where(at % 8 < 4, LOW, HIGH)
    sound = 0.2 * np.sin(2 * np.pi * hertz * at) * (at % 4 < 3)
    path = write_sound(tmp_path / "tones.wav", sound.astype(np.float32))
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as opened:
        add_recordings(opened, [probe_file(path)])
        yield opened


def written(session: Session, spans: Sequence[tuple[float, float]] = (), **more: Any) -> list[Utterance]:
    """Write a transcript: one utterance a turn, or those that are given."""
    owner = only_recording(session)
    spans = spans or [(4.0 * k, 4.0 * k + 3) for k in range(6)]
    new = [Utterance(new_id(), owner, round(a * SECOND), round(b * SECOND), "words", **more) for a, b in spans]
    with session.step("Write") as _:
        insert_utterances(session.study, new)
    return new


def suggest(session: Session, number: int | None = None) -> speakers.SpeakerDetectionResult:
    result, _ = run_inline(session, speakers.prepare(session, only_recording(session), number), Silent())
    return result


def whose(session: Session) -> list[tuple[str | None, bool]]:
    return [
        (utterance.participant_id, utterance.suggested)
        for utterance in utterances_of(session.study, only_recording(session))
    ]


def test_voices_without_faces_are_speakers_and_one_choice_for_each_names_all(session: Session) -> None:
    said = written(session)
    with pytest.raises(Cancelled):
        speakers.compute(speakers.prepare(session, only_recording(session)).parameters, CancelAt())
    assert suggest(session).voices == 2
    found = list_speakers(session, only_recording(session))
    assert [each.label for each in found] == ["Speaker 1", "Speaker 2"]
    assert [len(each.utterance_ids) for each in found] == [3, 3]
    assert whose(session) == [(None, False)] * 6, "nobody knows whose voices they are"
    p1, _ = add_participant(session, "P01", ParticipantRole.USER)
    p2, _ = add_participant(session, "P02", ParticipantRole.USER)
    who_speaks.assign_speaker(session, [said[0].id], p1)
    who_speaks.assign_speaker(session, [said[3].id], p2)
    suggest(session)
    assert whose(session) == [(p1, False), (p2, True), (p1, True), (p2, False), (p1, True), (p2, True)]
    session.study.undo()
    assert whose(session) == [(p1, False), (None, False), (None, False), (p2, False), (None, False), (None, False)]
    session.study.redo()
    who_speaks.assign_speaker(session, [said[2].id], p1)
    who_speaks.assign_speaker(session, [said[1].id, said[4].id], p2)
    suggest(session)
    assert whose(session)[4:] == [(p2, False), (p2, True)], "what a person chose stays, even against all voices"
    who_speaks.assign_speaker(session, [utterance.id for utterance in said[:5]], None)
    suggest(session)
    assert whose(session) == [(None, False)] * 6, "a suggestion that holds no more is taken back"


def test_what_was_edited_while_it_ran_is_left_alone(session: Session) -> None:
    one = written(session)
    p1, _ = add_participant(session, "P01", ParticipantRole.USER)
    who_speaks.assign_speaker(session, [one[0].id], p1)
    waited = speakers.prepare(session, only_recording(session), 2)
    work = speakers.renew(session, waited)
    assert (len(work.parameters.stretches), work.parameters.number) == (6, 2)
    assert not waited.parameters.tracks.exists()
    result = speakers.compute(work.parameters, Silent())
    with session.step("Edit") as _:
        update_utterance(session.study, replace(one[2], end_us=one[2].end_us - 500_000))
    transcript.delete_utterances(session, [one[3].id])
    speakers.store(session, work, result)
    assert whose(session) == [(p1, False), (None, False), (None, False), (p1, True), (None, False)]


def test_a_speaker_becomes_a_participant_in_one_step(session: Session) -> None:
    written(session)
    suggest(session)
    owner = only_recording(session)
    made, _ = name_speaker_as_new(session, owner, 2, "P07", ParticipantRole.ROBOT)
    assert whose(session) == [(None, False), (made, False)] * 3
    other, _ = add_participant(session, "P01", ParticipantRole.USER)
    name_speaker(session, owner, 1, other)
    assert whose(session) == [(other, False), (made, False)] * 3
    session.study.undo()
    assert whose(session)[0] == (None, False)
    with pytest.raises(UserError, match="no speaker 9"):
        name_speaker(session, owner, 9, other)
    with pytest.raises(UserError, match="P07” already exists"):
        name_speaker_as_new(session, owner, 1, "P07", ParticipantRole.USER)


def test_found_speech_without_a_transcript_is_cut_into_turns(session: Session) -> None:
    owner = only_recording(session)
    store_speech(session, owner, [(0, 11 * SECOND), (12 * SECOND, 23 * SECOND)])
    result = suggest(session, number=2)
    turns = [(guess.start_us / SECOND, guess.speaker) for guess in result.suggestions]
    assert [who for _, who in turns] == [1, 2, 1, 2, 1, 2]
    for (start, _), wanted in zip(turns, (0, 4, 8, 12, 16, 20), strict=True):
        assert start == pytest.approx(wanted, abs=0.9)
    assert utterances_of(session.study, owner) == []


def test_places_to_look_at_go_when_somebody_chose(session: Session) -> None:
    said = written(session, [(0, 3), (2, 3), (4, 7), (8, 11), (12, 15), (15, 15.2), (16, 23)])
    suggest(session)
    flags = {
        (flag.kind, flag.start_us // SECOND): flag.text for flag in list_speaker_flags(session, only_recording(session))
    }
    assert flags.keys() >= {(FlagKind.OVERLAP, 2), (FlagKind.SHORT, 15), (FlagKind.TWO_VOICES, 16)}
    assert re.search(r"0:00:(19|2)", flags[FlagKind.TWO_VOICES, 16]), "where the second begins"
    p1, _ = add_participant(session, "P01", ParticipantRole.USER)
    who_speaks.assign_speaker(session, [utterance.id for utterance in said], p1)
    assert list_speaker_flags(session, only_recording(session)) == []


@pytest.mark.parametrize(
    ("spans", "speakers"),
    [([(3.2, 3.8), (7.2, 7.8)], [None, None]), ([(8.0 * k, 8.0 * k + 3) for k in range(3)], [1] * 3)],
)
def test_in_silence_nobody_speaks_and_one_speaker_is_one(
    session: Session, spans: list[tuple[float, float]], speakers: list[int | None]
) -> None:
    written(session, spans)
    result = suggest(session)
    assert [guess.speaker for guess in result.suggestions] == speakers
    assert result.flags == ()


def test_without_anything_said_or_anything_to_tell_by_it_says_what_to_do(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = only_recording(session)
    with pytest.raises(UserError, match="not been detected") as raised:
        speakers.prepare(session, owner)
    assert "greenroom speech transcribe" in raised.value.hint
    with session.study.run_transaction():
        insert_run(session.study, Run("silence", owner, "speech", "x", {}, {}, "2026-01-01", "0"))
    with pytest.raises(UserError, match="No speech was found"):
        speakers.prepare(session, owner)
    written(session)
    monkeypatch.setattr(speakers, "default_voice_embedder", lambda: None)
    with pytest.raises(UserError, match="cannot be told apart") as raised:
        speakers.prepare(session, owner)
    assert "greenroom model fetch voice-embedding" in raised.value.hint
