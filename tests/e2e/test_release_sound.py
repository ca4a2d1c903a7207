"""A recording in which somebody speaks, from the raw file to a release with sound by command line; its samples."""

import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from project.entities.study_records import Utterance
from project.entities.transcript import Word
from project.queries.recording_rows import all_participants
from project.queries.transcript_rows import update_utterance, utterances_of
from project.session.session import Session
from tests.builders.terminal import Terminal
from tests.builders.words_in_files import words_in
from tests.e2e.test_release import WEIGHTS

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("english_names")]

CLIP, START_S, SECONDS = "talk_vfr_tags.mp4", 0.4, 3.0
SECRETS = ("Anna", "Example", "Ada Byron", "555-867", "5309", "867", "lectern", "lab.greenroom")
SECRETS += ("Lavf", "Lavc", "x264", "x264 - core")
SAID = ("my", "name", "is", "Anna", "Example", "call", "555-867-5309")
PERSONAL = (3, 4, 6)
CHECKSUM = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{40,}")
"""Checksums and ids hold any three digits by chance."""
MARGIN_US, BORDER_US, FADE_US = 150_000, 400_000, 6_000
Refused = Callable[..., list[str]]


def cut(source: Path, target: Path) -> Path:
    """Copy a stretch of pictures at half the size, and sound without loss, with tags that tell who it is."""
    with av.open(str(source)) as whole, av.open(str(target), "w") as clip:
        clip.metadata.update({"title": "Anna Example", "comment": str(source)})
        pictures, sound = whole.streams.video[0], whole.streams.audio[0]
        made = clip.add_stream("libx264", rate=Fraction(30))
        made.width, made.height, made.pix_fmt = pictures.width // 2, pictures.height // 2, "yuv420p"
        made.codec_context.time_base = pictures.time_base
        heard = clip.add_stream("pcm_s16le", rate=sound.codec_context.sample_rate, layout="mono")
        mono = av.AudioResampler("s16", "mono", sound.codec_context.sample_rate)
        for frame in whole.decode(pictures, sound):
            if frame.time is None or not START_S <= frame.time < START_S + SECONDS:
                continue
            frame.pts -= round(START_S / frame.time_base)
            if isinstance(frame, av.VideoFrame):
                frame = frame.reformat(made.width, made.height, "yuv420p")
                frame.pict_type = 0
                clip.mux(made.encode(frame))
            else:
                for piece in mono.resample(frame):
                    clip.mux(heard.encode(piece))
        clip.mux(made.encode(None))
        clip.mux(heard.encode(None))
    return target


def samples(path: Path) -> tuple[NDArray[np.int16], int]:
    """Return all samples of the only sound stream, mixed to one channel of 16 bits, and how many there are a second."""
    with av.open(str(path)) as container:
        assert len(container.streams.audio) == 1
        stream = container.streams.audio[0]
        resampler = av.AudioResampler("s16", "mono", stream.codec_context.sample_rate)
        parts = [out.to_ndarray()[0] for frame in container.decode(stream) for out in resampler.resample(frame)]
        return np.concatenate(parts), stream.codec_context.sample_rate


@pytest.fixture
def refused(greenroom: Terminal, tmp_path: Path) -> Refused:
    def ask(*arguments: object) -> list[str]:
        study = tmp_path / "lab.greenroom"
        said = greenroom("release", study, "--out", tmp_path / "corpus", *arguments, "--json", code=2)
        found: dict[str, Any] = json.loads(said.splitlines()[-1])
        assert found["released"] is False
        assert not (tmp_path / "corpus").exists()
        assert "Anna" not in said, "what is said in the way says nobody's name"
        return sorted({one["rule"] for one in found["reasons"]})

    return ask


def timed(study: Path) -> list[Word]:
    """Say who speaks and when each word is said, as a person does who corrects a transcript; returns the words."""
    with Session.open(study, "Ada Byron") as session:
        (utterance,) = utterances_of(session.study, session.study.rows("SELECT id FROM recording")[0][0])
        (who,) = all_participants(session.study)
        length = (utterance.end_us - utterance.start_us) // len(SAID)
        words = [
            Word(text, utterance.start_us + n * length, utterance.start_us + (n + 1) * length, 0.9)
            for n, text in enumerate(SAID)
        ]
        with session.step("Correct"):
            update_utterance(
                session.study,
                Utterance(
                    utterance.id,
                    utterance.recording_id,
                    utterance.start_us,
                    utterance.end_us,
                    " ".join(SAID),
                    who.id,
                    tuple(words),
                ),
            )
    return words


def test_from_a_raw_recording_to_a_release_with_sound(
    greenroom: Terminal, refused: Refused, shared_data: Path, shared_models: Path, tmp_path: Path
) -> None:
    study = tmp_path / "lab.greenroom"
    source = cut(shared_data / "media" / CLIP, tmp_path / "Anna at the lectern.mov")
    for name, file in WEIGHTS.items():
        greenroom("models", "add", name, shared_models / file)
    greenroom("new", study)
    greenroom("add", study, source)
    greenroom("faces", study)
    greenroom("participant", study, "P01", "--recording", 1, "--consent", "release")
    greenroom("review-faces", study, "--recording", 1, "--seen", "all", "--reviewed", "--annotator", "Ada Byron")
    keep = ("--sound", "keep", "--video", "source", "--video", "15hz")
    assert refused(*keep) == ["transcript"]

    heard = greenroom.json("transcribe", study, "--speech-only")["speech"]
    first, last = heard[0]["start"], heard[-1]["end"]
    assert last - first > 1
    assert refused(*keep) == ["transcript"], "speech was found, and nobody wrote down what is said"

    part = tmp_path / "part.srt"
    part.write_text(f"1\n{stamp(first)} --> {stamp(first + 0.5)}\nHello\n")
    greenroom("transcript", "import", study, "--recording", 1, part)
    assert refused(*keep) == ["transcript", "voice"], "most of it is said outside the transcript"
    with Session.open(study, "Ada Byron") as session, session.step("Start again"):
        session.study.write("DELETE FROM utterance", ())

    part.write_text(f"1\n{stamp(first)} --> {stamp(last)}\n{' '.join(SAID)}\n")
    greenroom("transcript", "import", study, "--recording", 1, part)
    assert refused(*keep) == ["pii-reviewed", "voice"]
    words = timed(study)
    assert refused(*keep) == ["pii-reviewed"]
    assert refused("--texts", "scrub") == ["pii-reviewed", "texts-reviewed"]
    greenroom("pii", "review", study, "--hide", "--undecided", "--annotator", "Ada Byron")
    greenroom("texts", study, "--confirm", "--annotator", "Ada Byron")

    said = greenroom.json("release", study, "--out", tmp_path / "corpus")
    assert said["released"] is True
    search(tmp_path / "corpus", source, [words[place] for place in PERSONAL])
    changed = greenroom.json("release", study, "--out", tmp_path / "changed", "--sound", "mcadams", "--cover", "beep")
    assert changed["released"] is True
    raw, _ = samples(source)
    (clip,) = (tmp_path / "changed/video-source").rglob("*.mp4")
    voice, _ = samples(clip)
    assert voice.shape == raw.shape
    assert (voice == raw)[np.abs(raw.astype(int)) > 500].mean() < 0.05


def stamp(seconds: float) -> str:
    """Return a time as SRT writes it."""
    milliseconds = round(seconds * 1000)
    return f"00:00:{milliseconds // 1000:02},{milliseconds % 1000:03}"


def search(folder: Path, source: Path, personal: list[Word]) -> None:
    """Compare what is heard with the source sample by sample, and look for names in every file."""
    raw, rate = samples(source)
    spans = [(word.start_us - MARGIN_US, word.end_us + MARGIN_US) for word in personal]
    beside = np.ones(len(raw), np.bool_)
    clips = sorted(folder.rglob("*.mp4"))
    assert len(clips) == 2
    for clip in clips:
        heard, same_rate = samples(clip)
        assert (len(heard), same_rate) == (len(raw), rate)
        for start, end in spans:
            low, high = (max(0, time * rate // 1_000_000) for time in (start, end))
            assert raw[low:high].any()
            assert not heard[low:high].any(), "no energy in the muted words"
            wide = (BORDER_US - MARGIN_US + FADE_US) * rate // 1_000_000
            beside[max(0, low - wide) : high + wide] = False
        assert beside.sum() > rate // 2
        assert (heard[beside] == raw[beside]).all(), "every other sample is the source's"
        assert np.abs(heard[beside]).max() > 500, "somebody is heard"
    for path in folder.rglob("*"):
        held = CHECKSUM.sub(b"", path.read_bytes()) if path.is_file() else b""
        assert words_in(path, SECRETS, held if path.suffix != ".mp4" else None) == [], path
    card = (folder / "DATACARD.md").read_text()
    assert "name of a person 1, telephone number 1" in card
    assert "every other sample is the source's" in card
