"""What holds for every kind of job: it runs the same way here and in the worker process, and never sees the study."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotate.cues import cue_detection as cues
from annotate.meta import scenes as scene_job
from annotate.speech import speaker_detection as speakers
from annotate.speech import transcription
from annotate.speech import voice_activity as speech
from annotate.speech.voice_activity import store_speech
from annotate.study import recording_files as synchronizing
from annotate.study.recording_edits import add_medium, add_recordings, probe_file
from anonymize.export import export_job as anonymization
from anonymize.export import preview_job as preview
from anonymize.faces import face_tracking_job as face_tracking
from anonymize.faces import text_regions_job as text_regions
from anonymize.privacy import privacy_job as privacy
from anonymize.release import release_job as release
from anonymize.release.release_plan import ReleasePlan
from anonymize.voice import sound_job as voice
from anonymize.voice import sound_preview_job as voice_preview
from anonymize.voice.sound_choice import SoundChoice
from project.entities.study_records import MediumRole, Participant, ParticipantRole, Utterance
from project.files.fingerprints import file_sha256
from project.ids import new_id
from project.progress import Silent
from project.queries.history_rows import latest_run
from project.queries.recording_rows import insert_participant, media_of
from project.queries.transcript_rows import insert_utterances, utterances_of
from project.session.jobs import JOB_MODULES, JobSpec, load_kind, run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.text_network import install_text_network
from tests.builders.tiny_whisper import write_tiny_whisper
from tests.contract.documentation import ROOT, page
from tests.contract.footage import FRAMES, face_clip


def exported(session: Session, recording: str, folder: Path) -> Path:
    """Export a clip, for the jobs that are about one."""
    result, _ = run_inline(
        session, anonymization.prepare(session, recording, "solid", folder, overwrite=True), Silent()
    )
    return Path(str(result["output"]))


def text_search(session: Session, recording: str, folder: Path) -> JobSpec:
    """Ask for a search for text, once a network for it is installed."""
    install_text_network(folder)
    return text_regions.prepare(session, recording)


def suggested_speakers(session: Session, recording: str, folder: Path) -> JobSpec:
    """Ask who speaks, once it is known when somebody does."""
    detected = JobSpec("speech", "", recording, {"detector": "told"})
    store_speech(session, detected, {}, [(100_000, 900_000), (1_000_000, 1_900_000)])
    return speakers.prepare(session, recording)


def suggested_cues(session: Session, recording: str, folder: Path) -> JobSpec:
    """Ask for cues, once somebody says something."""
    if all(utterance.participant_id is None for utterance in utterances_of(session.study, recording)):
        with session.study.step("Somebody speaks", undoable=False):
            insert_participant(session.study, Participant("speaker", "Speaker", ParticipantRole.USER))
            said = Utterance(new_id(), recording, 0, 1_000_000, "Well then", "speaker")
            insert_utterances(session.study, [said])
    return cues.prepare(session, recording)


PREPARE: dict[str, Callable[[Session, str, Path], JobSpec]] = {
    "faces": lambda session, recording, folder: face_tracking.prepare(session, recording),
    "anonymize": lambda session, recording, folder: anonymization.prepare(
        session, recording, "solid", folder, overwrite=True
    ),
    "privacy": lambda session, recording, folder: privacy.prepare(session, exported(session, recording, folder)),
    "preview": lambda session, recording, folder: preview.prepare(session, recording, "blur", 0),
    "voice": lambda session, recording, folder: voice.prepare(
        session, recording, SoundChoice(), folder.parent / f"{new_id()}.flac"
    ),
    "listen": lambda session, recording, folder: voice_preview.prepare(session, recording, SoundChoice(), 0),
    "release": lambda session, recording, folder: release.prepare(
        session, folder.parent / new_id(), ReleasePlan(methods=("solid",))
    ),
    "sync": lambda session, recording, folder: synchronizing.prepare(
        session, recording, media_of(session.study, recording)[1].id
    ),
    "text": text_search,
    "speakers": suggested_speakers,
    "cues": suggested_cues,
    "scenes": lambda session, recording, folder: scene_job.prepare(session, recording),
    "speech": lambda session, recording, folder: speech.prepare(session, recording),
    "transcribe": lambda session, recording, folder: transcription.prepare(
        session, recording, str(write_tiny_whisper(folder / "model")), replace=True
    ),
}
"""How a job of each kind is asked for; a new kind needs a line here."""
WITHOUT_STUDY = {"ask", "fetch", "pii", "try_judge"}
"""Kinds that are about no recording and store nothing; they have tests of their own."""
ABOUT_RECORDINGS = [kind for kind in JOB_MODULES if kind not in WITHOUT_STUDY]

PASSING = ("seconds", "file", "output", "sha256")
"""What differs from run to run. On a busy machine x264's threads pack the same pictures into other bytes at times."""
KEEPING_NOTHING = ("preview", "listen")
"""Kinds of which no run is left."""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    with Session(Study.create(folder / "lab.greenroom"), "Ada") as session:
        file = probe_file(face_clip(folder / "two seconds.mp4"))
        (recording,), _ = add_recordings(session, [file])
        add_medium(session, recording, file, MediumRole.MICROPHONE)
        run_inline(session, face_tracking.prepare(session, recording), Silent())
    return folder / "lab.greenroom"


def in_worker(work: JobSpec) -> dict[str, Any]:
    """Do a job as the window does it; returns its result."""
    request = json.dumps({"job": work.kind, "parameters": dict(work.parameters)}) + "\n"
    with subprocess.Popen(
        [sys.executable, "greenroom.py", "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        process.stdin.write(request)
        process.stdin.flush()
        told = [json.loads(line) for line in process.stdout]
    assert any("progress" in one for one in told)
    assert list(told[-1]) == ["result"], told[-1]
    result: dict[str, Any] = told[-1]["result"]
    return result


@pytest.mark.parametrize("kind", ABOUT_RECORDINGS)
def test_a_clip_of_two_seconds_gives_the_same_here_and_in_the_worker(kind: str, study: Path, tmp_path: Path) -> None:
    with Session.open(study, "Ada") as session:
        recording = session.study.rows("SELECT id FROM recording")[0][0]
        undo = session.study.undo_name
        results = []
        for how in (run_inline, None):
            work = PREPARE[kind](session, recording, tmp_path / "out")
            assert work.kind == kind
            assert work.title
            if how is not None:
                result, changes = how(session, work, Silent())
            else:
                result = in_worker(work)
                changes = load_kind(kind).store(session, work, result)
            assert bool(changes.ids("run")) == (kind not in KEEPING_NOTHING)
            assert result.get("frames", FRAMES) == FRAMES
            if "sha256" in result:
                assert result["sha256"] == file_sha256(Path(str(result["output"])))
            results.append({key: value for key, value in result.items() if key not in PASSING})
        assert results[0] == results[1]
        kept = latest_run(session.study, recording, kind)
        if kind in KEEPING_NOTHING:
            assert kept is None
            return
        assert kept.id in changes.ids("run")
        assert kept.program_version
        written = json.dumps([dict(kept.parameters), dict(kept.result)])
        for folder in (study.parent, tmp_path):
            assert str(folder) not in written, "a study names no folder of this machine"
        assert session.study.undo_name == undo, "what a job found is no edit, so undo does not reach it"


@pytest.mark.parametrize("kind", ABOUT_RECORDINGS)
def test_what_a_job_is_given_is_json(kind: str, study: Path, tmp_path: Path) -> None:
    with Session.open(study, "Ada") as session:
        recording = session.study.rows("SELECT id FROM recording")[0][0]
        parameters = dict(PREPARE[kind](session, recording, tmp_path / "out").parameters)
        assert json.loads(json.dumps(parameters)) == parameters


@pytest.mark.parametrize("kind", JOB_MODULES)
def test_the_documentation_mentions_it(kind: str) -> None:
    assert f"`{kind}`" in page("study-file")
