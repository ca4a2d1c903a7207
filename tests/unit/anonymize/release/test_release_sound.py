"""Releases with sound: what is heard in the files that leave, and what stops them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from annotate.study.people import add_participant
from anonymize.pii_review.review_hits import find_hits
from anonymize.release import release_files as write_media
from anonymize.release import release_job as job
from anonymize.release.release_plan import KEEP, SOLID, ReleasePlan
from anonymize.release.release_sound import AudioTreatment
from anonymize.sound.sound_plan import sound_filter
from media.sound import SoundFilter
from project.entities.study_records import ParticipantRole, Recording
from project.entities.transcript import estimate_word_times
from project.errors import UserError
from project.progress import Silent
from project.queries.transcript_rows import update_utterance, utterances_of
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.interference import interfere
from tests.builders.release_study import review

PLAN = ReleasePlan(methods=("solid",), formats=("csv",), sound=KEEP, video=("source", "15hz"))


@pytest.fixture(autouse=True)
def timed(session: Session, recording: Recording) -> None:
    """The words of the utterance have times."""
    (utterance,) = utterances_of(session.study, recording.id)
    words = estimate_word_times(utterance.text, utterance.start_us, utterance.end_us)
    certain = tuple(replace(word, confidence=0.9) for word in words)
    with session.step("Time"):
        update_utterance(session.study, replace(utterance, words=certain))


def release(session: Session, folder: Path, plan: ReleasePlan = PLAN) -> job.ReleaseResult:
    result, _ = run_inline(session, job.prepare(session, folder, plan), Silent())
    return result


def samples(path: Path) -> NDArray[np.int16]:
    """Return (channels, n) samples of 16 bits as PyAV decodes them."""
    with av.open(str(path)) as container:
        stream = container.streams.audio[0]
        resampler = av.AudioResampler("s16p", stream.codec_context.layout, stream.codec_context.sample_rate)
        parts = [out.to_ndarray() for frame in container.decode(stream) for out in resampler.resample(frame)]
    return np.concatenate(parts, axis=1)


@pytest.fixture
def source(session: Session, recording: Recording) -> Path:
    return session.locate(session.main_medium(recording.id)).path


def test_words_are_silent_in_every_clip_and_all_else_as_it_was(session: Session, source: Path, tmp_path: Path) -> None:
    assert release(session, tmp_path / "out").released is True
    raw = samples(source)
    (name, phone) = [hit for hit in find_hits(session) if hit.is_spoken]
    clips = sorted((tmp_path / "out").rglob("*.mp4"))
    assert len(clips) == 2
    for clip in clips:
        heard = samples(clip)
        assert heard.shape == raw.shape
        for placed_hit in (name, phone):
            start, end = placed_hit.time_us * 48_000 // 1_000_000, placed_hit.end_us * 48_000 // 1_000_000
            assert np.abs(raw[:, start:end]).max() > 100
            assert not heard[:, start:end].any()
        assert (heard[:, 65_000:] == raw[:, 65_000:]).all()
        assert np.abs(heard[:, 65_000:]).max() > 100
    card = (tmp_path / "out/DATACARD.md").read_text()
    assert "covered: name of a person 1, telephone number 1." in card
    sources = json.loads((tmp_path / "out/manifest.json").read_text())["sources"].values()
    (sound,) = [about["sound"] for about in sources if about.get("sound")]
    assert (sound["covered"], sound["whole_utterances"]) == ({"person": 1, "phone": 1}, 0)


def test_changed_voices_leave_no_secret(
    session: Session, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets: list[str] = []

    def overheard(treatment: AudioTreatment, *rest: Any, **more: Any) -> SoundFilter:
        secrets.extend(treatment.seeds.values())
        return sound_filter(treatment, *rest, **more)

    monkeypatch.setattr(job, "sound_filter", overheard)
    plan = replace(PLAN, sound="mcadams", cover="beep", voice_options={"lowest": 0.6})
    assert release(session, tmp_path / "out", plan).released is True
    assert len(set(secrets)) == 2
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            assert not any(secret.encode() in path.read_bytes() for secret in secrets)
    assert "Moved formants" in (tmp_path / "out/DATACARD.md").read_text()
    heard, raw = samples(tmp_path / "out/video-source/solid/recording-0001.mp4"), samples(source)
    assert heard.shape == raw.shape
    assert (heard[:, 60_000:] == raw[:, 60_000:]).mean() < 0.1


def test_who_did_not_consent_is_not_heard(session: Session, recording: Recording, tmp_path: Path) -> None:
    other, _ = add_participant(session, "P02", ParticipantRole.BYSTANDER, recording.id)
    (utterance,) = utterances_of(session.study, recording.id)
    with session.step("Say who speaks"):
        update_utterance(session.study, replace(utterance, participant_id=other))
    review(session, recording)
    assert release(session, tmp_path / "kept", replace(PLAN, without_consent=SOLID)).released is False
    plan = replace(PLAN, sound="pitch-formant", cover="beep", without_consent=SOLID)
    assert release(session, tmp_path / "out", plan).released is True
    heard = samples(tmp_path / "out/video-source/solid/recording-0001.mp4")
    assert not heard[:, : 1_050_000 * 48_000 // 1_000_000].any()
    assert heard[:, 60_000:].any()
    assert "1 place, 1.1 s together, without any sound" in (tmp_path / "out/DATACARD.md").read_text()


@pytest.mark.parametrize("spoil", ["nothing is covered", "a second sound"])
def test_a_clip_whose_sound_is_not_as_planned_does_not_leave(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: str
) -> None:
    if spoil == "nothing is covered":
        monkeypatch.setattr(
            job,
            "sound_filter",
            lambda treatment, *rest, **more: sound_filter(replace(treatment, covered=()), *rest, **more),
        )
    else:

        def append(_clip: Path, _source: Path, destination: Path, *_: Any) -> None:
            with destination.open("ab") as file:
                file.write(b"\0\0\0\x10mdatraw data")

        interfere(monkeypatch, write_media, "copy_with_sound", after=append)
    with pytest.raises(UserError, match=r"sound is left where words are covered|belong to no stream"):
        release(session, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lab"]
