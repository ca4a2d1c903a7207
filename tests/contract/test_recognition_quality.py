"""How well the smallest real model does on speech whose words are known; runs where it is installed."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.speech import transcription
from annotate.study.recording_edits import add_recordings, probe_file
from models.weights import installed_weights as weights
from project.progress import Silent
from project.queries.transcript_rows import utterances_of
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from resources import resource
from tests.builders.voices import said

MODEL = "whisper-tiny.en"
INSTALLED = weights.weights_folder()
TALK = "My biggest weakness is asking for help when I need it. I'd like to do better at that."
"""What is said in `talk_vfr_tags.mp4`."""
pytestmark = pytest.mark.weights


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(INSTALLED))
    if not weights.is_installed(MODEL):
        pytest.skip(f"needs weights; get them with: greenroom model fetch {MODEL}")
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as session:
        yield session


def heard(session: Session, path: Path) -> tuple[str, list[tuple[int, int]]]:
    (recording,), _ = add_recordings(session, [probe_file(path)])
    run_inline(session, transcription.prepare(session, recording, MODEL), Silent())
    found = utterances_of(session.study, recording)
    return " ".join(utterance.text for utterance in found), [
        (utterance.start_us, utterance.end_us) for utterance in found
    ]


def word_errors(truth: str, text: str) -> float:
    """Return the word error rate: words put in, left out or changed, over the words that were said."""
    wanted, found = (re.sub(r"[^a-z' ]", " ", one.lower()).split() for one in (truth, text))
    row = list(range(len(found) + 1))
    for i, word in enumerate(wanted, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(found, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
    return row[-1] / len(wanted)


def test_the_sample_is_written_down_nearly_right_and_where_it_is_said(lab: Session) -> None:
    text, spans = heard(lab, Path(str(resource("sample", "sample.mp4"))))
    assert word_errors(" ".join(entry["text"] for entry in said()), text) <= 0.12
    for entry in said():
        length = entry["end_us"] - entry["start_us"]
        shared = sum(max(0, min(end, entry["end_us"]) - max(start, entry["start_us"])) for start, end in spans)
        assert shared >= 0.6 * length, entry["text"]


def test_a_real_voice_is_written_down_nearly_right(lab: Session, shared_data: Path) -> None:
    text, _ = heard(lab, shared_data / "media" / "talk_vfr_tags.mp4")
    assert word_errors(TALK, text) <= 0.12
