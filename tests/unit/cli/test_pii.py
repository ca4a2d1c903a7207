"""The command about personal information."""

from pathlib import Path

import pytest

from project.entities.study_records import Collection, Recording, Utterance
from project.ids import new_id
from project.queries.recording_rows import insert_collection, insert_recording
from project.queries.transcript_rows import insert_utterances
from project.session.session import Session
from project.store.study import Study
from tests.builders.terminal import Terminal

SAID = ("Hello Pepper, I'm Anastasia.", "Call me on five five five, oh one two three.")


@pytest.fixture
def study(tmp_path: Path) -> str:
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


def test_a_number_that_is_hidden_everywhere_stays_a_number(study: str, greenroom: Terminal) -> None:
    number = "five five five, oh one two three"
    greenroom("pii", "review", study, "--hide", "--text", number, "--everywhere", "--annotator", "Ada")
    assert f"{number} = [PHONE_1]  (phone)" in greenroom("words", study)


def test_find_review_apply_and_key(study: str, tmp_path: Path, greenroom: Terminal) -> None:
    found = greenroom.json("pii", "find", study)
    hits = found["hits"]
    assert [(hit["kind"], hit["text"], hit["time"], hit["decision"]) for hit in hits] == [
        ("person", "Pepper", 0.0, None),
        ("person", "Anastasia", 0.0, None),
        ("phone", "five five five, oh one two three", 5.0, None),
    ]
    assert hits[1]["replacement"] == "[PERSON_2]"
    exported = greenroom("transcript", "export", study, "--recording", "1", str(tmp_path / "raw.srt"))
    assert "Names and all else that is personal are in it" in exported
    assert {"table", "id", "field", "start", "end"} <= set(hits[0]["where"])
    who = ("--annotator", "Ada")
    assert greenroom.json("pii", "review", study, "--keep", "--text", "pepper", "--everywhere", *who)["undecided"] == 2
    assert greenroom.json("participant", study, "P01")["participants"]
    everywhere = ("--hide", "--text", "Anastasia", "--everywhere", "--participant", "P01")
    assert greenroom.json("pii", "review", study, *everywhere, *who)["undecided"] == 1
    listed = tmp_path / "look.csv"
    greenroom.json("pii", "find", study, "--undecided", "--out", str(listed))
    listed.write_text(listed.read_text().replace("\n,", "\nhide,"))
    assert greenroom.json("pii", "review", study, str(listed), *who) == {"decided": 1, "undecided": 0, "hits": []}
    assert greenroom.json("pii", "apply", study, "--out", str(tmp_path / "copies"))["files"] == [
        "texts.csv",
        "recording-0001.vtt",
    ]
    text = (tmp_path / "copies/recording-0001.vtt").read_text()
    assert "Hello Pepper, I'm [PERSON_" in text
    assert "Call me on [PHONE_1]." in text
    assert greenroom.json("pii", "key", study, str(tmp_path / "key.csv"))["rows"] == 2
    assert greenroom.json("pii", "apply", study, "--in-place", *who)["changed"] == 2
    assert greenroom.json("pii", "find", study)["hits"] == []
    greenroom("undo", study)
    assert len(greenroom.json("pii", "find", study)["hits"]) == 2


def test_words_have_kinds(study: str, greenroom: Terminal) -> None:
    who = ("--annotator", "Ada")
    greenroom.json("participant", study, "P01")
    given = ("--set", "Anastasia=P01", "--kind", "person", "--participant", "P01")
    assert greenroom.json("words", study, *given, *who)["private"] == [
        {"word": "Anastasia", "replacement": "P01", "kind": "person", "participant": "P01"}
    ]
    assert "Anastasia = P01  (person, P01)" in greenroom("words", study)
