"""Speech and what is known of a recording, on the command line."""

import json
from pathlib import Path

import pytest

from annotate.study.recording_edits import add_recordings, probe_file
from benchmark.judging.judge_registry import add_judge
from project.entities.questions import SummarySource
from project.entities.study_records import Collection, Recording, Run, Utterance
from project.ids import new_id
from project.queries.history_rows import insert_run
from project.queries.question_rows import contradictions_in, summaries_of
from project.queries.recording_rows import insert_collection, insert_recording, set_hold_out
from project.queries.transcript_rows import insert_utterances, utterances_of
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.builders.scene_study import R, answered, open_room
from tests.builders.terminal import Terminal
from tests.builders.tiny_whisper import write_tiny_whisper
from tests.builders.voices import RATE, silence, spoken, write_sound


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, greenroom: Terminal) -> Path:
    monkeypatch.chdir(tmp_path)
    write_sound(tmp_path / "talk.wav", spoken()[: 6 * RATE])
    make_clip(tmp_path / "mute.mp4", frames=5, size=(64, 48))
    greenroom("new", "lab.greenroom")
    greenroom("add", "lab.greenroom", "talk.wav", "mute.mp4")
    write_tiny_whisper(tmp_path / "tiny")
    return tmp_path


def test_a_transcript_is_made_shown_written_and_not_made_twice(lab: Path, greenroom: Terminal) -> None:
    found = greenroom.json("speech", "transcribe", "lab.greenroom", "--speech-only")
    assert all(0 <= span["start"] < span["end"] <= 6 and span["recording"] == 1 for span in found["speech"])
    first = ("speech", "transcribe", "lab.greenroom", "--model", "tiny", "--prompt", "Greenroom", "--json")
    made = json.loads(greenroom(*first))
    assert len(made["speech"]) == len(found["speech"]) > 0
    assert made["utterances"]
    assert made["recordings"][0]["language"] == "en"
    for one in made["utterances"]:
        assert " ".join(word["text"] for word in one["words"]) == one["text"]
    shown = greenroom("speech", "show", "lab.greenroom", "--recording", "1")
    assert shown.count("\n") == len(made["utterances"])
    assert shown.startswith("? [")
    assert "--replace" in greenroom("speech", "transcribe", "lab.greenroom", "--model", "tiny")
    assert "already" in greenroom(
        "speech", "transcribe", "lab.greenroom", "--model", "tiny", "--recording", "1", code=2
    )
    told = json.loads(greenroom("speech", "export", "lab.greenroom", "--recording", "1", "a.srt", "--json"))
    assert told["utterances"] == len(made["utterances"])
    assert (lab / "a.srt").read_text().count("-->") == told["utterances"]
    printed = greenroom("speech", "export", "lab.greenroom", "--recording", "1", "--format", "json")
    assert len(json.loads(printed)["utterances"]) == len(made["utterances"])


@pytest.fixture
def heard(tmp_path: Path) -> str:
    """A heard in which a search found two speakers, of three utterances."""
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as session:
        (owner,), _ = add_recordings(session, [probe_file(write_sound(tmp_path / "talk.wav", silence(9)))])
        said = [Utterance(new_id(), owner, k * 3_000_000, k * 3_000_000 + 2_000_000, f"line {k}") for k in range(3)]
        with session.step("Write"):
            insert_utterances(session.study, said)
        unknown = {"participant": None, "track": None, "faces": {}, "nobody": 1.0}
        rows = [
            unknown
            | {"utterance": utterance.id, "start_us": utterance.start_us, "end_us": utterance.end_us}
            | {"speaker": 1 + k % 2, "confidence": 0.5 + 0.2 * k}
            for k, utterance in enumerate(said)
        ]
        flag = {"kind": "doubtful", "utterance": said[0].id, "start_us": 0, "end_us": 2_000_000}
        found = {"voices": 2, "suggestions": rows, "flags": [flag | {"person": None, "other": None, "at_us": None}]}
        run = Run(new_id(), owner, "speakers", "resemblyzer", {}, found, "2026-01-01T00:00:00Z", "1")
        with session.study.run_transaction():
            insert_run(session.study, run)
    return str(tmp_path / "lab.greenroom")


def test_naming_a_speaker_assigns_what_is_sure_and_suggests_the_rest_until_it_is_accepted(
    heard: str, greenroom: Terminal
) -> None:
    def utterances() -> list[Utterance]:
        with Session.open(Path(heard)) as session:
            return utterances_of(session.study, str(session.study.rows("SELECT id FROM recording")[0][0]))

    assert "--name 1=P01" in greenroom("speech", "speakers", heard, "--accept", code=2)
    (told,) = greenroom.json("speech", "speakers", heard, "--recording", "1", "--name", "1=P04")["recordings"]
    assert [(speaker["label"], speaker["seconds"]) for speaker in told["speakers"]] == [
        ("Speaker 1", 4.0),
        ("Speaker 2", 2.0),
    ]
    assert [utterance.participant_id is not None for utterance in utterances()] == [True, False, True]
    assert [utterance.suggested for utterance in utterances()] == [True, False, False]
    assert "There is no speaker 7" in greenroom(
        "speech", "speakers", heard, "--recording", "1", "--name", "7=P04", code=2
    )
    said = greenroom("speech", "speakers", heard, "--recording", "1", "--name", "2=P05", "--role", "robot")
    assert "Speaker 2: P05" in said
    greenroom("speech", "speakers", heard, "--accept")
    assert not any(utterance.suggested for utterance in utterances())
    assert "no suggestions" in greenroom("speech", "speakers", heard, "--accept", code=2)


SAID = ("Hello Pepper, I'm Anastasia.", "Call me on five five five, oh one two three.")


@pytest.fixture
def talk(tmp_path: Path) -> str:
    path = tmp_path / "talk.greenroom"
    with Study.create(path):
        pass
    with Session.open(path, "Ada") as session, session.step("Talk"):
        collection, recording = Collection(new_id(), "main"), new_id()
        insert_collection(session.study, collection)
        insert_recording(session.study, Recording(recording, collection.id, 1, "1", 60_000_000))
        insert_utterances(
            session.study,
            [Utterance(new_id(), recording, n * 5_000_000, n * 5_000_000 + 4_000_000, t) for n, t in enumerate(SAID)],
        )
    return str(path)


def test_find_review_apply_and_key(talk: str, tmp_path: Path, greenroom: Terminal) -> None:
    who = ("--annotator", "Ada")
    greenroom("participant", "set", talk, "P09")
    given = ("--set", "Nobody=P09", "--kind", "person", "--participant", "P09")
    assert greenroom.json("release", "words", talk, *given, *who)["private"] == [
        {"word": "Nobody", "replacement": "P09", "kind": "person", "participant": "P09"}
    ]
    hits = greenroom.json("pii", "find", talk)["hits"]
    assert [(hit["kind"], hit["text"], hit["time"], hit["decision"]) for hit in hits] == [
        ("person", "Pepper", 0.0, None),
        ("person", "Anastasia", 0.0, None),
        ("phone", "five five five, oh one two three", 5.0, None),
    ]
    assert hits[1]["replacement"] == "[PERSON_2]"
    exported = greenroom("speech", "export", talk, "--recording", "1", str(tmp_path / "raw.srt"))
    assert "Names and all else that is personal are in it" in exported
    assert greenroom.json("pii", "review", talk, "--keep", "--text", "pepper", "--everywhere", *who)["undecided"] == 2
    greenroom("participant", "set", talk, "P01")
    everywhere = ("--hide", "--text", "Anastasia", "--everywhere", "--participant", "P01")
    assert greenroom.json("pii", "review", talk, *everywhere, *who)["undecided"] == 1
    listed = tmp_path / "look.csv"
    greenroom("pii", "find", talk, "--undecided", "--out", str(listed))
    listed.write_text(listed.read_text().replace("\n,", "\nhide,"))
    assert greenroom.json("pii", "review", talk, str(listed), *who) == {"decided": 1, "undecided": 0, "hits": []}
    applied = greenroom.json("pii", "apply", talk, "--out", str(tmp_path / "copies"))
    assert applied["files"] == ["texts.csv", "recording-0001.vtt"]
    text = (tmp_path / "copies/recording-0001.vtt").read_text()
    assert "Hello Pepper, I'm [PERSON_" in text
    assert "Call me on [PHONE_1]." in text
    assert greenroom.json("pii", "key", talk, str(tmp_path / "key.csv"))["rows"] == 2
    assert greenroom.json("pii", "apply", talk, "--in-place", *who)["changed"] == 2
    assert greenroom.json("pii", "find", talk)["hits"] == []


@pytest.fixture
def room(tmp_path: Path) -> str:
    with open_room(tmp_path) as session:
        return str(session.study.path)


def test_every_part_is_written_and_shown(greenroom: Terminal, room: str, tmp_path: Path) -> None:
    text = tmp_path / "words.txt"
    text.write_text("They greet each other.\n", "utf-8")
    said = greenroom(
        *("recording", "meta", "set", room, "--recording", "1", "--annotator", "Ada"),
        *("--look", "Ann.clothing=red coat", "--summary", f"words=@{text}"),
        *("--contradiction", "Who waves?", "--settle", "1=Ann.", "--voice-over", "11"),
    )
    assert said == "Changed 5 parts.\n"
    shown = greenroom("recording", "meta", "show", room, "--recording", "1")
    assert shown.splitlines() == [
        "Ann: red coat",
        "2.00-4.00 s Ann: Hello there",
        "10.00-14.00 s (Voice-over)",
        "15.00-18.00 s Bo: Well well",
        "Summary from words:",
        "They greet each other.",
        "Contradiction 1 (settled): Who waves? Ann.",
    ]
    found = json.loads(greenroom("recording", "meta", "show", room, "--recording", "1", "--json"))
    assert found["people"][0]["looks"] == {"clothing": "red coat"}
    assert [one["text"] for one in found["voice_over"]] == ["Years later they met again"]


def test_judges_suggest_and_the_newest_answer_is_taken_over(greenroom: Terminal, room: str) -> None:
    with Session.open(Path(room), "Ada") as session:
        add_judge(session, "echo", "constant", "", {})
        answered(session, "words_summary", {"summary": "They meet."})
    arguments = ("recording", "meta", "suggest", room, "--recording", "1", "--part", "words_summary")
    said = json.loads(greenroom(*arguments, "--accept", "--annotator", "Ada", "--json"))
    (part,) = said["parts"]
    assert part["part"] == "words_summary"
    assert part["new"] == 1
    assert part["taken"] == 1
    with Session.open(Path(room), read_only=True) as session:
        assert summaries_of(session.study, R)[SummarySource.WORDS].text != "They meet."
        assert contradictions_in(session.study, R) == []
    again = json.loads(greenroom(*arguments, "--json"))
    assert again["parts"][0]["new"] == 0
    assert "--annotator" in greenroom(*arguments, "--accept", code=2)


def test_files_are_written_without_hold_outs_and_scrubbed(greenroom: Terminal, room: str, tmp_path: Path) -> None:
    greenroom("release", "words", room, "--set", "Hello=P99")
    out = tmp_path / "meta"
    greenroom("recording", "meta", "export", room, "--out", str(out), "--scrubbed")
    told = (out / "0001.meta.json").read_text("utf-8")
    assert "Hello" not in told
    assert json.loads(told)["speech"][0]["text"].startswith("P99")
    assert "already exists" in greenroom("recording", "meta", "export", room, "--out", str(out), code=2)
    assert "Hello there" in greenroom("recording", "meta", "show", room, "--recording", "1")
    with Session.open(Path(room), "Ada") as session, session.step("Hold out"):
        set_hold_out(session.study, R, True)
    assert "held out" in greenroom(
        "recording", "meta", "export", room, "--recording", "1", "--out", str(tmp_path / "no"), code=2
    )
    assert not (tmp_path / "no").exists()
