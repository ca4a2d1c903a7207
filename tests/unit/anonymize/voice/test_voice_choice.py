"""From what is chosen about the sound, and what the study says, to the clip and its run."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotate.study.people import add_participant
from annotate.study.recording_edits import add_recordings, choose_sound_track, probe_file
from anonymize.export import export_job as anonymization
from anonymize.export import export_queue as rendering_queue
from anonymize.sound.sound_plan import FADE_US
from anonymize.voice import sound_job as voice
from anonymize.voice import sound_preview_job as voice_preview
from anonymize.voice.sound_choice import (
    KEEP,
    NONE,
    SECRET_PROPERTY,
    SoundChoice,
    gather_sound_parameters,
    sound_checksum,
)
from media.sound import read_mono, stream_original, to_int16
from project.entities.study_records import ParticipantRole, Utterance
from project.entities.transcript import Word
from project.errors import UserError
from project.ids import new_id
from project.progress import Silent
from project.queries.history_rows import latest_run
from project.queries.transcript_rows import insert_utterances, update_utterance
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import level_of, make_clip, make_sound_tracks, tone
from tests.builders.face_study import found_faces, only_recording, open_lab
from tests.builders.quiet_detector import detect_only

MAIL = "write to jo@example.org please"
MUTED = SoundChoice(KEEP, {}, "mute")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds with sound, in which an address is said from 0.6 to 1.1 s, and no face."""
    folder = tmp_path_factory.mktemp("lab")
    with Session(Study.create(folder / "lab.greenroom"), "Ada") as made:
        clip = make_clip(folder / "walk.mp4", size=(160, 120), frames=10, fps=5, sound=True)
        add_recordings(made, [probe_file(clip)])
        words = (
            Word("write", 300_000, 500_000, 0.9),
            Word("to", 500_000, 600_000, 0.9),
            Word("jo@example.org", 600_000, 1_100_000, 0.9),
            Word("please", 1_500_000, 1_800_000, 0.9),
        )
        with made.step("Write down"):
            said = Utterance("said", only_recording(made), 300_000, 1_800_000, MAIL, None, words)
            insert_utterances(made.study, [said])
        found_faces(made, [])
    return folder


@pytest.fixture
def session(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    detect_only(monkeypatch)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    with Session.open(tmp_path / "lab.greenroom", "Ada") as opened:
        yield opened


def heard(path: Path) -> np.ndarray:
    return np.concatenate([to_int16(block) for block in stream_original(path).blocks], axis=1)


def exported(session: Session, folder: Path, sound: SoundChoice) -> Path:
    work = anonymization.prepare(session, only_recording(session), "solid", folder, sound=sound, overwrite=True)
    result, _ = run_inline(session, work, Silent())
    return result.output


def test_an_address_that_is_said_is_silent_and_the_rest_as_it_was(session: Session, tmp_path: Path) -> None:
    spans: Any = gather_sound_parameters(session, only_recording(session), MUTED).plan.covered
    ((start, end),) = spans
    assert 300_000 < start <= 600_000
    assert 1_100_000 <= end < 1_500_000
    after = heard(exported(session, tmp_path / "clips", MUTED))
    before = heard(tmp_path / "walk.mp4")
    assert after.shape == before.shape
    first, last, fade = start * 48 // 1000, end * 48 // 1000, FADE_US * 48 // 1000
    assert before[:, first:last].any()
    assert not after[:, first:last].any()
    assert np.array_equal(after[:, : first - fade], before[:, : first - fade])
    assert np.array_equal(after[:, last + fade + 1 :], before[:, last + fade + 1 :])


def test_the_run_says_how_sound_was_treated_and_neither_times_nor_secrets(session: Session, tmp_path: Path) -> None:
    exported(session, tmp_path / "clips", SoundChoice())
    run = latest_run(session.study, only_recording(session), "anonymize")
    assert set(run.parameters["sound"]) == {"voice", "options", "cover", "state", "covered"}
    assert run.parameters["sound"]["covered"] == 1
    secret = session.study.get_property(SECRET_PROPERTY)
    assert len(secret) == 64
    assert secret not in str(run)


def test_a_word_or_speaker_that_is_edited_meanwhile_makes_the_clip_outdated_and_undo_does_not(
    session: Session, tmp_path: Path
) -> None:
    recording = only_recording(session)
    person = add_participant(session, "P01", ParticipantRole.USER)[0]
    kept = SoundChoice(KEEP, {}, NONE)
    work, untouched = (
        anonymization.prepare(session, recording, "solid", tmp_path / "clips", sound=choice) for choice in (MUTED, kept)
    )
    assert not anonymization.is_outdated(session, work)
    with session.step("Change"):
        update_utterance(session.study, Utterance("said", recording, 300_000, 1_800_000, "write to me", person))
    assert anonymization.is_outdated(session, work)
    assert not anonymization.is_outdated(session, untouched), "where all of the sound is kept it does not matter"
    renewed = anonymization.renew(session, work)
    assert renewed.parameters.sound.plan.covered == ()
    assert not anonymization.is_outdated(session, renewed)
    session.study.undo()
    assert not anonymization.is_outdated(session, work)


def test_everybody_is_changed_the_same_way_in_one_study_alone(session: Session, tmp_path: Path) -> None:
    recording = only_recording(session)
    person = add_participant(session, "P01", ParticipantRole.USER)[0]
    with session.step("Write down"):
        insert_utterances(session.study, [Utterance(new_id(), recording, 0, 9, "hello", person)])
    seeds = gather_sound_parameters(session, recording, SoundChoice()).plan.seeds
    assert set(seeds) == {"", person}
    assert len(set(map(str, seeds.values()))) == 2
    session.study.undo()
    assert gather_sound_parameters(session, recording, SoundChoice()).plan.seeds == {"": seeds[""]}
    (tmp_path / "other").mkdir()
    with open_lab(tmp_path / "other") as other:
        assert gather_sound_parameters(other, only_recording(other), SoundChoice()).plan.seeds != {"": seeds[""]}


def test_the_queue_on_disk_remembers_how_the_sound_is_treated(session: Session, tmp_path: Path) -> None:
    sound = SoundChoice("pitch-formant", {"pitch": 3.0}, "beep")
    queue = rendering_queue.make_queue(session, [only_recording(session)], {"solid": {}}, tmp_path, sound=sound)
    rendering_queue.save_queue(session, queue)
    assert rendering_queue.load_unfinished(session).sound == sound


def test_a_recording_without_sound_is_exported_with_any_choice(session: Session, tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "silent.mp4", size=(160, 120), frames=3, fps=25)
    (silent,), _ = add_recordings(session, [probe_file(clip)])
    assert anonymization._sound(session, silent, SoundChoice()) is None
    with pytest.raises(UserError, match="no sound"):
        voice_preview.prepare(session, silent, SoundChoice(), 0)
    with pytest.raises(UserError, match="no sound"):
        voice.prepare(session, silent, SoundChoice(), tmp_path / "a.flac")


def test_the_sound_track_in_use_is_exported_treated_and_listened_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    detect_only(monkeypatch)
    clip = make_sound_tracks(tmp_path / "two.mp4", [tone(0.1), tone(0.6)], picture=True)
    keep = SoundChoice(KEEP, {}, NONE)
    with Session(Study.create(tmp_path / "two.greenroom"), "Ada") as session:
        add_recordings(session, [probe_file(clip)])
        found_faces(session, [])
        here = only_recording(session)
        before = sound_checksum(session, here, keep)
        choose_sound_track(session, here, session.main_medium(here).id, probe_file(clip, sound_track=2))
        assert sound_checksum(session, here, keep) != before, "an export of the other track is outdated"
        run_inline(session, voice.prepare(session, here, keep, tmp_path / "out.flac"), Silent())
        listened = voice_preview.compute(voice_preview.prepare(session, here, keep, 500_000).parameters, Silent())
        files = [
            exported(session, tmp_path, keep),
            tmp_path / "out.flac",
            voice_preview.preview_file(listened, "after"),
        ]
        assert [level_of(read_mono(file)) for file in files] == pytest.approx([0.6] * 3, abs=0.05)
        voice_preview.delete_preview(listened)


def test_a_file_of_treated_sound_is_as_long_as_the_recording_and_measured(session: Session, tmp_path: Path) -> None:
    work = voice.prepare(session, only_recording(session), SoundChoice(), tmp_path / "out.flac")
    result, changes = run_inline(session, work, Silent())
    assert result.same_length is True
    assert heard(tmp_path / "out.flac").shape == heard(tmp_path / "walk.mp4").shape
    assert changes
    run = latest_run(session.study, only_recording(session), "voice")
    assert run.result["output"] == "out.flac"
    assert "said" not in run.parameters
    assert MAIL not in str(run)
    with pytest.raises(UserError, match="would be empty"):
        voice.prepare(session, only_recording(session), SoundChoice(NONE), tmp_path / "none.flac")


@pytest.mark.parametrize("choice", [SoundChoice(), SoundChoice(NONE)])
def test_some_seconds_before_and_after_can_be_listened_to_and_go_away(session: Session, choice: SoundChoice) -> None:
    work = voice_preview.prepare(session, only_recording(session), choice, 100_000)
    result = voice_preview.compute(work.parameters, Silent())
    before, after = (heard(voice_preview.preview_file(result, key)) for key in ("before", "after"))
    assert before.shape == after.shape
    assert before.any()
    assert not np.array_equal(before, after)
    assert after.any() == (choice.voice != NONE)
    voice_preview.delete_preview(result)
    assert not result.file.exists()
