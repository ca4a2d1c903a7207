"""A small study on which the commands of the pages in docs/ run, and what some of them need before they do."""

import json
import re
import shutil
import wave
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from annotate.segments.segment_edits import add_segment
from annotate.study.participant_variables import enter_variables
from annotate.study.people import add_participant, set_consent
from annotate.study.recording_edits import add_recordings, probe_file
from annotate.study.scheme_versions import use_shipped_scheme
from annotate.transcript.transcript_edits import add_utterance
from anonymize.export.export_queue import make_queue, save_queue
from anonymize.release.release_rules import waive_rule
from project.entities.study_records import ConsentUse, ParticipantRole, Recording, Run
from project.files.fingerprints import file_sha256
from project.ids import new_id
from project.queries.face_rows import assign_participant, insert_tracks
from project.queries.history_rows import SOURCE_SHA256_KEY, insert_run
from project.queries.recording_rows import all_participants, all_recordings
from project.queries.transcript_rows import update_utterance, utterances_of
from project.session.session import Session
from project.store.study import Study
from project.timebase import utc_now
from tests.builders.clips import make_clip, make_sound_tracks, noise, tone
from tests.builders.face_tracks import track
from tests.builders.onnx_files import picture_network
from tests.builders.terminal import Terminal
from tests.contract.documentation import page

STUDY = Path("my-study.greenroom")
SECOND = 1_000_000
FPS, SECONDS = 2, 16
FRAMES = FPS * SECONDS
_MARKS = {
    "Ada": ((2, 5, "error"), (8, 11, "competence"), (12, 15, "error")),
    "Bo": ((2, 5.5, "error"), (8, 10.5, "competence"), (12, 15, "competence")),
    "Expert": ((2, 5, "error"), (8, 11, "competence")),
}
"""Annotator -> start and end in seconds, and label."""
_SAID = (
    (1, 4, "Hello, my name is Anna."),
    (5, 7, "Call me at 555-867-5309."),
    (9, 12, "Pepper waves, and Annabel nods."),
)


def make_page_study(folder: Path) -> None:
    """Write the study and its footage: three recordings with faces that were tracked, marked by three people."""
    clips = [folder / "footage" / f"session{number}.mp4" for number in (1, 2, 3)]
    clips[0].parent.mkdir()
    for extra, clip in enumerate(clips):
        make_clip(clip, size=(160, 120), frames=FRAMES + extra, fps=FPS, sound=extra == 0)
    with Session(Study.create(folder / STUDY, "My study"), "Ada") as session:
        add_recordings(session, [probe_file(clip) for clip in clips])
        use_shipped_scheme(session, "cues")
        recordings = all_recordings(session.study)
        person, _ = add_participant(session, "P01", ParticipantRole.USER, recordings[0].id)
        (known,) = all_participants(session.study)
        set_consent(session, known, ConsentUse.RELEASE, True)
        enter_variables(session, known, {"condition": "robot"})
        for number, recording in enumerate(recordings):
            _track_faces(session, recording, person if number == 0 else None)
        for start, end, text in _SAID:
            add_utterance(session, recordings[0].id, start * SECOND, end * SECOND, text, person)
    for name, marks in _MARKS.items():
        with Session.open(folder / STUDY, name) as session:
            for start, end, label in marks:
                values = {"attributes": ["norms"], "channel": "verbal", "rationale": "They interrupt the robot."}
                values |= {"correction": "Wait."} if label == "error" else {}
                add_segment(session, recordings[0].id, round(start * SECOND), round(end * SECOND), label, values)


def _track_faces(session: Session, recording: Recording, person: str | None) -> None:
    """Store a run that found four faces in every frame."""
    medium = session.main_medium(recording.id)
    assert medium is not None
    frames = FRAMES + recording.number - 1
    faces = [track([(10 + 35 * place, 40, 25, 35)] * frames, name=new_id(), fps=FPS, score=0.9) for place in range(4)]
    result = {"frames": frames, SOURCE_SHA256_KEY: file_sha256(session.study.folder / medium.path)}
    about = {"fingerprint": medium.fingerprint}
    run = Run(new_id(), recording.id, "faces", "centerface", about, result, utc_now(), "1")
    with session.study.run_transaction():
        insert_run(session.study, run)
        insert_tracks(session.study, run.id, medium.id, faces)
    if person is not None:
        with session.step("Assign"):
            for face in faces:
                assign_participant(session.study, face.id, person)


def _remove_study(_say: Terminal) -> None:
    STUDY.unlink()


def _make_synthetic(say: Terminal) -> None:
    STUDY.unlink()
    say("study", "synthetic", STUDY, "--recordings", 20, "--segments", 200)


def _track_again(_say: Terminal) -> None:
    with Session.open(STUDY, "Ada") as session:
        _track_faces(session, all_recordings(session.study)[0], None)


def _interrupt_export(_say: Terminal) -> None:
    with Session.open(STUDY, "Ada") as session:
        recordings = [recording.id for recording in all_recordings(session.study)]
        save_queue(session, make_queue(session, recordings[:1], {"pixelate": {}}, Path("clips")))


def _export_clip(say: Terminal) -> None:
    say("anonymize", "export", STUDY, "--recording", 1, "--method", "blur", "--out", "clips")


def _copy_backup(_say: Terminal) -> None:
    shutil.copy(STUDY, f"{STUDY}.bak-1")


def _damage_study(_say: Terminal) -> None:
    with STUDY.open("r+b") as file:
        file.seek(STUDY.stat().st_size // 2)
        file.write(b"damaged" * 1000)


def _code_in_elan(say: Terminal) -> None:
    say("segment", "export", STUDY, "--format", "eaf", "--out", "coded")
    shutil.copy(min(Path("coded").iterdir()), "coded.eaf")


def _code_in_boris(say: Terminal) -> None:
    say("segment", "export", STUDY, "--format", "boris", "--out", "project.boris")
    project = Path("project.boris")
    observations = json.loads(project.read_text("utf-8"))
    observations["observations"]["visit 1"] = observations["observations"].popitem()[1]
    project.write_text(json.dumps(observations), "utf-8")


def _write_captions(_say: Terminal) -> None:
    captions = (f"{number}\n00:00:0{number},000 --> 00:00:0{number},900\nP0{number}: Hello.\n" for number in (1, 2, 3))
    Path("subtitles.srt").write_text("\n".join(captions), "utf-8")


def _write_scheme(_say: Terminal) -> None:
    (scheme,) = re.findall(r"^```toml\n(.*?)^```$", page("schemes"), re.MULTILINE | re.DOTALL)
    Path("our-scheme.toml").write_text(scheme, "utf-8")


def _rename_label(_say: Terminal) -> None:
    scheme = Path("our-scheme.toml")
    text = scheme.read_text("utf-8").replace("version = 1", "version = 2")
    scheme.write_text(text.replace('"cold"', '"cool"').replace('"Cold"', '"Cool"'), "utf-8")


def _write_participants(_say: Terminal) -> None:
    Path("participants.csv").write_text("participant,condition\nP01,robot\n", "utf-8")


def _suggest_speakers(_say: Terminal) -> None:
    with Session.open(STUDY, "Ada") as session, session.step("Suggest"):
        person, recording = all_participants(session.study)[0], all_recordings(session.study)[0]
        for utterance in utterances_of(session.study, recording.id):
            update_utterance(session.study, replace(utterance, participant_id=person.id, suggested=True))


def _split_for_bo(say: Terminal) -> None:
    say("study", "split", STUDY, "--annotator", "Bo", "--out", "for-bo.greenroom")


def _add_views(_say: Terminal) -> None:
    make_clip(Path("ceiling.mp4"), size=(64, 48), frames=FRAMES, fps=FPS, sound=True)
    with wave.open("lapel.wav", "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48_000)
        file.writeframes(np.int16(noise(SECONDS, 48_000) * 32_767).tobytes())


def _film_interview(_say: Terminal) -> None:
    make_sound_tracks(Path("interview.mkv"), [tone(0.5)] * 3, picture=True)


def _write_network(_say: Terminal) -> None:
    picture = ("n", 3, "h", "w")
    picture_network(Path("my.onnx"), picture, picture, -1.0)


def _write_clip(_say: Terminal) -> None:
    Path("clip.mp4").write_bytes(b"a rendering")


def _add_vision(say: Terminal) -> None:
    say("judge", "add", STUDY, "vision", "--backend", "random")


def _add_gpt(say: Terminal) -> None:
    say("judge", "add", STUDY, "gpt", "--backend", "openai", "--model", "gpt-4o", "--url", "https://api.openai.com/v1")


def _prepare_release(say: Terminal) -> None:
    for number in (1, 2, 3):
        say("participant", "set", STUDY, "P01", "--recording", number, "--consent", "release")
        say("faces", "review", STUDY, "--recording", number, "--seen", "all", "--reviewed", "--annotator", "Ada")
    say("pii", "review", STUDY, "--hide", "--undecided", "--annotator", "Ada")
    say("release", "texts", STUDY, "--confirm", "--annotator", "Ada")
    with Session.open(STUDY, "Ada") as session:
        for rule in ("independent-check", "privacy-measured"):
            waive_rule(session, rule, None, "No other network is there")


NEEDS: dict[str, Callable[[Terminal], None]] = {
    "add my-study.greenroom --sound 2 interview.mkv": _film_interview,
    "anonymize export my-study.greenroom --resume": _interrupt_export,
    "anonymize measure": _export_clip,
    "faces review": _track_again,
    "model add cartoon my.onnx": _write_network,
    "new my-study.greenroom": _remove_study,
    "participant import my-study.greenroom participants.csv": _write_participants,
    "question filter": _make_synthetic,
    "recording add-view": _add_views,
    "recording meta suggest my-study.greenroom --recording 1 --judge vision": _add_vision,
    "release make": _prepare_release,
    "scheme check our-scheme.toml": _write_scheme,
    "scheme use my-study.greenroom our-scheme.toml --rename": _rename_label,
    "segment import lab.greenroom coded/": _code_in_elan,
    "segment import lab.greenroom project.boris": _code_in_boris,
    "segment import my-study.greenroom coded.eaf": _code_in_elan,
    "speech import my-study.greenroom --recording 1 subtitles.srt": _write_captions,
    "speech speakers my-study.greenroom --recording 1 --accept": _suggest_speakers,
    "study encrypt clip.mp4": _write_clip,
    "study merge my-study.greenroom for-ada.greenroom for-bo.greenroom": _split_for_bo,
    "study recover my-study.greenroom": _copy_backup,
    "study recover my-study.greenroom --out": _damage_study,
    "study synthetic my-study.greenroom": _remove_study,
}
"""How a command begins -> what is made before the first such command of a page."""
