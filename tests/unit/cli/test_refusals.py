"""What a command cannot do is one line that says what is wrong, exit code 2, and no change to the study."""

import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from annotate.chains.chain_edits import add_chain, add_node_from_segment
from annotate.study.people import add_participant
from annotate.study.recording_edits import add_recordings, probe_file
from benchmark.judging.judge_registry import add_judge
from project.entities.study_records import ParticipantRole, Utterance
from project.queries.transcript_rows import insert_utterances
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.clips import make_clip
from tests.builders.face_study import SIZE, found_faces, open_lab
from tests.builders.marked_study import SECOND, WALK, mark, open_study
from tests.builders.questions_said import ask_about
from tests.builders.terminal import Terminal

ADD = "segment add STUDY --recording 1 --start 0.5 --end 1.5 --verdict error --annotator Ada"
JUDGE = "judge add STUDY gpt --backend openai"
META = "recording meta set STUDY --recording 1 --annotator Ada"
PLAY = "episode play STUDY --scenario lamp"
TALK = [
    (f"{ADD} --start soon", "soon"),
    (f"{ADD} --end 90:00", "inside recording 1"),
    (f"{ADD} --attribute charm", "charm"),
    (f"{ADD} --annotator ' '", "name"),
    (f"{ADD} --verdict competence --correction No.", "applies to error segments only"),
    ("segment edit STUDY SEGMENT --end 19 --annotator Bo", "somebody else"),
    ("segment list STUDY --field channel", "FIELD=VALUE"),
    ("segment list STUDY --field nothing=1", "attributes, channel"),
    ("segment list STUDY --collection nothing", "Lab"),
    ("segment comment STUDY SEGMENT --text Really?", "--annotator"),
    ("study checklist STUDY --annotator Zoe", "There is no annotator"),
    ("team review list STUDY --annotator Zoe", "Zoe"),
    ("team review list STUDY --annotator Ada --with Ada", "your own segments"),
    ("team adjudicate STUDY --minimum-iou 3", "a number from 0 to 1"),
    ("policy set STUDY --host 'a b'", "not the name of a host"),
    ("policy log STUDY --csv nowhere/out.csv", "cannot be written"),
    (JUDGE, "needs a model"),
    (f"{JUDGE} --model m --url https://me:pw@a.example/v1", "address"),
    (f"{JUDGE} --model m --coerce nobody", "nobody"),
    ("judge add STUDY gpt --backend random --frames 4", "no option"),
    ("judge ask STUDY", "No segments are chosen"),
    ("judge ask STUDY --all --judge nobody", "no judge"),
    ("judge ask STUDY --all --task answer", "is for a question, not for a segment"),
    ("chain node STUDY CHAIN --segment SEGMENT --kind event", "--kind"),
    ("chain node STUDY CHAIN --kind event --start 1", "--end"),
    ("chain node STUDY CHAIN --segment SEGMENT --reason NODE", "set everything about the node"),
    ("chain node STUDY CHAIN --utterance none", "another recording than the chain"),
    ("chain node STUDY CHAIN --kind event --start 1 --end 2 --who P99", "P99"),
    ("question make STUDY --chain c9", "no chain with the id"),
    ("question make STUDY --judge gpt", "made by rules need no judge"),
    ("question consistency STUDY --judge gpt", "was not asked"),
    ("question ask STUDY --judge chance", "No question is verified yet"),
    ("question filter STUDY --set truth", "is not a setting"),
    ("question filter STUDY --harden", "need a judge"),
    ("question esi STUDY --recording 1 --rounds 9", "in 1 to 2 rounds"),
    ("episode play STUDY --scenario none", "no scenario"),
    (f"{PLAY} --character Anna --player person", "needs 2 people, not 1"),
    ("episode play STUDY", "nothing to play"),
    ("episode rate STUDY --judge chance", "no finished episodes"),
    ("episode export STUDY e.jsonl", "no episodes to export"),
    (f"{META} --look P01.shoes=red", "shoes"),
    (f"{META} --settle 7=So.", "7"),
    (f"{META} --look P01.hair=short --summary 'words=They meet.' --voice-over 50", "50"),
    (META, "--look"),
    ("pii review STUDY --annotator Ada --hide", "No place is chosen"),
    ("pii review STUDY --annotator Ada --hide --text nobody", "No place matches"),
    ("pii review STUDY --annotator Ada --keep --kind person --everywhere", "needs a word and a decision"),
    ("pii review STUDY --annotator Ada --hide --text x --participant P01", "need a word that is hidden everywhere"),
    ("pii apply STUDY --annotator Ada", "destination is missing"),
    ("pii find STUDY --out list.txt", "neither JSON nor CSV"),
    ("anonymize measure STUDY --limit trust=1", "trust"),
    ("dance", "dance"),
    ("new", "STUDY"),
    ("segment add STUDY", "--recording"),
]
LAB = [
    ("anonymize export STUDY --recording 1", "--out is missing"),
    ("anonymize export STUDY --out clips", "--recording is missing"),
    ("anonymize export STUDY --recording 1 --out clips --start 2 --end 1", "no footage from"),
    ("anonymize export STUDY --recording 1 --out clips --strength 0.5", "method “solid” has no option “strength”"),
    ("anonymize export STUDY --recording 1 --out clips --method pixelate --cells 2.5", "--cells"),
    ("anonymize voice STUDY", "The recording is missing."),
    ("anonymize voice STUDY --recording 2", "no sound"),
    ("anonymize voice STUDY --recording 1 -o sound.mp3", "FLAC or WAV"),
    ("speech transcribe STUDY --model nothing", "no model or folder"),
    ("speech transcribe STUDY --language Klingon", "not a supported language"),
    ("faces review STUDY --recording 1 --dismiss 7", "7"),
    ("faces review STUDY --recording 1 --label badge", "--area"),
    ("faces review STUDY --recording 1 --reviewed --withdraw", "--withdraw"),
    ("faces review STUDY --recording 1 --face 1,1,10,10 --from 2 --to 1", "end"),
    ("speech speakers STUDY --name 1=P04", "--recording NUMBER"),
    ("speech speakers STUDY --recording 1 --name P04", "does not name a speaker"),
    ("add STUDY walk.mp4", "recording 1"),
    ("add STUDY second.mp4 notes.mp4", "not a video"),
    ("study relink STUDY nowhere", "nowhere"),
    ("study redo STUDY", "redo"),
]
TEAM = [
    ("team plan STUDY --annotators Ada", "at least "),
    ("team plan STUDY --annotators Ada,Bo --training 99", "There is no recording"),
    ("team plan STUDY --keep", "needs annotators"),
    ("study split STUDY --annotator 'Annotator 1' --out x", "is assigned to"),
    ("study split STUDY --annotator Ada --out /nowhere/x", "does not exist"),
    ("study merge STUDY STUDY", "study itself"),
    ("study resolve STUDY nothing --take ours", "no conflict"),
    ("team training STUDY --recording 1", "recordings and a reference"),
    ("new STUDY", "already exists"),
]
NUMBERED = ('INSERT INTO "property"', 'INSERT INTO "journal_')


def rows_of(study: Path) -> list[str]:
    """Return all that a study holds, but for the numbers that personal words are given once they are looked for."""
    with closing(sqlite3.connect(study)) as connection:
        return [line for line in connection.iterdump() if not line.startswith(NUMBERED)]


def refuse(greenroom: Terminal, study: Path, rows: list[tuple[str, str]], **known: str) -> None:
    before, files = rows_of(study), sorted(study.parent.glob("*.*"))
    for line, said in rows:
        known["STUDY"] = str(study)
        told = greenroom(*(known.get(word, word) for word in shlex.split(line)), code=2)
        assert said in told, line
        assert "pw@" not in told
    assert rows_of(study) == before
    assert sorted(study.parent.glob("*.*")) == files


def test_about_what_is_said_and_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, greenroom: Terminal) -> None:
    with open_study(tmp_path) as session:
        segment = mark(session, "Ada", 10, 20)
        mark(session, "Bo", 12, 22, "competence")
        add_participant(session, "P01", ParticipantRole.USER)
        with session.step("Talk"):
            insert_utterances(session.study, [Utterance("u", WALK, 0, SECOND, "Hello Pepper, I'm Anastasia.")])
        chain, _ = add_chain(session, WALK)
        node, _ = add_node_from_segment(session, chain, segment)
        ask_about(session, 1)
        add_judge(session, "chance", "random")
        study = session.study.path
    greenroom("episode", "add-character", study, "Anna")
    goals = ("--relationship", "stranger", "--goal", "Sell.", "--goal", "Buy.")
    greenroom("episode", "add-scenario", study, "lamp", "--context", "At a market.", *goals)
    monkeypatch.chdir(tmp_path)
    refuse(greenroom, study, TALK, SEGMENT=segment, CHAIN=chain, NODE=node)


def test_about_footage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, greenroom: Terminal) -> None:
    with open_lab(tmp_path) as session:
        found_faces(session, [(50, 40, 30, 36)])
        add_recordings(session, [probe_file(make_clip(tmp_path / "silent.mp4", size=SIZE, frames=4, fps=25))])
        study = session.study.path
    make_clip(tmp_path / "second.mp4", size=SIZE, frames=5)
    (tmp_path / "notes.mp4").write_text("not a video")
    monkeypatch.chdir(tmp_path)
    refuse(greenroom, study, LAB)


def test_about_a_team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, greenroom: Terminal) -> None:
    study = tmp_path / "lab.greenroom"
    with Study.create(study) as made:
        fill_study(made, recordings=6, segments=6, annotators=1)
    greenroom("team", "plan", study, "--annotators", "Ada,Bo,Cy", "--training", "6")
    monkeypatch.chdir(tmp_path)
    refuse(greenroom, study, TEAM)
