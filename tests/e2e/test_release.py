"""A recording in which somebody speaks, from the raw file to a release by command line, and a search of it."""

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
from tests.e2e import plain
from tools.bench.witness import Witness

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("english_names")]

NEAR = 12
SAID = ("my", "name", "is", "Anna", "Example", "call", "555-867-5309")
PERSONAL = (3, 4, 6)
SECRETS = ("Anna", "Example", "Ada Byron", "555-867", "5309", "867", "lectern", "talk_vfr", "lab.greenroom")
SECRETS += ("Lavf", "Lavc", "x264", "x264 - core")
CHECKSUM = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{40,}")
"""Checksums and ids hold any three digits by chance."""
MARGIN_US, BORDER_US, FADE_US = 150_000, 400_000, 6_000
WEIGHTS = {
    "rfb320": "version-RFB-320.onnx",
    "yunet": "yunet_n_dynamic.onnx",
    "mobilefacenet": "mobilefacenet_diandianti.onnx",
    "pfld": "pfld_68pt.onnx",
}
Refused = Callable[..., list[str]]
REVIEWED = ("--seen", "all", "--reviewed", "--annotator", "Ada Byron")


def cut(source: Path, target: Path, start: float, seconds: float) -> Path:
    """Copy a stretch at half the size, with the time stamps of the source, tags that tell who it is, and its sound."""
    with av.open(str(source)) as whole, av.open(str(target), "w") as clip:
        clip.metadata.update({"title": "Anna Example at home", "comment": str(source)})
        pictures, sound = whole.streams.video[0], whole.streams.audio[0]
        made = clip.add_stream("libx264", rate=Fraction(30))
        made.width, made.height, made.pix_fmt = pictures.width // 2, pictures.height // 2, "yuv420p"
        made.codec_context.time_base = pictures.time_base
        heard = clip.add_stream("pcm_s16le", rate=sound.codec_context.sample_rate, layout="mono")
        mono = av.AudioResampler("s16", "mono", sound.codec_context.sample_rate)
        for frame in whole.decode(pictures, sound):
            if frame.time is None or not start <= frame.time < start + seconds:
                continue
            frame.pts -= round(start / frame.time_base)
            if isinstance(frame, av.VideoFrame):
                small = frame.reformat(made.width, made.height, "yuv420p")
                small.pict_type = 0
                clip.mux(made.encode(small))
            else:
                clip.mux([packet for piece in mono.resample(frame) for packet in heard.encode(piece)])
        clip.mux([*made.encode(None), *heard.encode(None)])
    return target


@pytest.fixture
def study(greenroom: Terminal, shared_models: Path, tmp_path: Path) -> Path:
    """An empty study on a machine that has the weights which a release needs."""
    for name, file in WEIGHTS.items():
        greenroom("model", "add", name, shared_models / file)
    greenroom("new", tmp_path / "lab.greenroom")
    return tmp_path / "lab.greenroom"


@pytest.fixture
def refused(greenroom: Terminal, study: Path, tmp_path: Path) -> Refused:
    """Return the rules that stand in the way of a release."""

    def ask(*arguments: object) -> list[str]:
        said = greenroom("release", "make", study, "--out", tmp_path / "corpus", *arguments, "--json", code=2)
        found: dict[str, Any] = json.loads(said.splitlines()[-1])
        assert found["released"] is False
        assert not (tmp_path / "corpus").exists()
        assert all(reason["sentence"] and reason["hint"] for reason in found["reasons"])
        assert "Anna" not in said, "what is said in the way says nobody's name"
        return sorted({reason["rule"] for reason in found["reasons"]})

    return ask


def test_a_recording_in_which_somebody_speaks(
    greenroom: Terminal, refused: Refused, study: Path, shared_data: Path, shared_models: Path, tmp_path: Path
) -> None:
    source = cut(shared_data / "media" / "talk_vfr_tags.mp4", tmp_path / "Anna at the lectern.mov", 0.4, 3.0)
    greenroom("add", study, source)
    assert {"consent-known", "faces-tracked"} <= {*refused()}
    greenroom("faces", "track", study)
    assert {"consent-known", "faces-reviewed"} <= {*refused()}
    greenroom("participant", "set", study, "P01", "--recording", 1, "--consent", "release")
    greenroom("faces", "review", study, "--recording", 1, *REVIEWED)
    keep = ("--sound", "keep", "--video", "source", "--video", "15hz", "--video", "1hz")
    assert refused(*keep) == ["transcript"]

    heard = greenroom.json("speech", "transcribe", study, "--speech-only")["speech"]
    first, last = heard[0]["start"], heard[-1]["end"]
    assert last - first > 1
    assert refused(*keep) == ["transcript"], "speech was found, and nobody wrote down what is said"

    part = tmp_path / "part.srt"
    part.write_text(f"1\n{stamp(first)} --> {stamp(first + 0.5)}\nHello\n")
    greenroom("speech", "import", study, "--recording", 1, part)
    assert refused(*keep) == ["transcript", "transcript-checked", "voice"], "most of it is said outside the transcript"
    with Session.open(study, "Ada Byron") as session, session.step("Start again"):
        session.study.write("DELETE FROM utterance", ())

    part.write_text(f"1\n{stamp(first)} --> {stamp(last)}\n{' '.join(SAID)}\n")
    greenroom("speech", "import", study, "--recording", 1, part)
    assert refused(*keep) == ["pii-reviewed", "transcript-checked", "voice"]
    words = timed(study)
    assert refused(*keep) == ["pii-reviewed"]
    assert refused("--texts", "scrub") == ["pii-reviewed", "texts-reviewed"]
    greenroom("pii", "review", study, "--hide", "--undecided", "--annotator", "Ada Byron")
    greenroom("release", "texts", study, "--confirm", "--annotator", "Ada Byron")

    corpus = tmp_path / "corpus"
    assert greenroom.json("release", "make", study, "--out", corpus)["released"] is True
    require_nothing_raw(corpus, source)
    require_only_muted_words_gone(corpus, source, [words[place] for place in PERSONAL])
    card = (corpus / "DATACARD.md").read_text()
    assert "name of a person 1, telephone number 1" in card
    assert "every other sample is the source's" in card
    (clip,) = (corpus / "video-source").rglob("*.mp4")
    shown = [*plain.images(clip)]
    witness = Witness(shared_models / WEIGHTS["yunet"], shown[0].shape[1], shown[0].shape[0])
    assert len(witness.faces(next(plain.images(source)))) == 1
    assert [frame for frame, image in enumerate(shown[::5]) if len(witness.faces(image))] == []


def samples(path: Path) -> tuple[NDArray[np.int16], int]:
    """Return all samples of the only sound stream, mixed to one channel of 16 bits, and how many there are a second."""
    with av.open(str(path)) as container:
        (stream,) = container.streams.audio
        resampler = av.AudioResampler("s16", "mono", stream.codec_context.sample_rate)
        parts = [out.to_ndarray()[0] for frame in container.decode(stream) for out in resampler.resample(frame)]
        return np.concatenate(parts), stream.codec_context.sample_rate


def timed(study: Path) -> list[Word]:
    """Say who speaks and when each word is said, as a person does who corrects a transcript; returns the words."""
    with Session.open(study, "Ada Byron") as session:
        recording_id = session.study.rows("SELECT id FROM recording")[0][0]
        (utterance,) = utterances_of(session.study, recording_id)
        (who,) = all_participants(session.study)
        start, end = utterance.start_us, utterance.end_us
        length = (end - start) // len(SAID)
        words = [Word(text, start + n * length, start + (n + 1) * length, 0.9) for n, text in enumerate(SAID)]
        corrected = Utterance(utterance.id, recording_id, start, end, " ".join(SAID), who.id, tuple(words))
        with session.step("Correct"):
            update_utterance(session.study, corrected)
    return words


def stamp(seconds: float) -> str:
    """Return a time as SRT writes it."""
    milliseconds = round(seconds * 1000)
    return f"00:00:{milliseconds // 1000:02},{milliseconds % 1000:03}"


def require_nothing_raw(folder: Path, source: Path) -> None:
    """Look for metadata, private words and pictures of the raw recording, with none of the program's own reading."""
    raw = [blocks(image) for image in plain.images(source)]
    assert is_raw(next(plain.images(source)), raw)
    clips, pictures = sorted(folder.rglob("*.mp4")), sorted(folder.rglob("*.jpg"))
    assert len(clips) == 2
    assert len(pictures) >= 3
    for clip in clips:
        assert plain.tags(clip) == set()
        with av.open(str(clip)) as opened:
            assert sorted(stream.type for stream in opened.streams) == ["audio", "video"]
            assert opened.chapters() == []
        if "video-source" in clip.as_posix():
            assert plain.frame_times(clip) == pytest.approx(plain.frame_times(source), abs=1_000)
        assert not any(is_raw(image, raw) for image in plain.images(clip))
    for path in pictures:
        with av.open(str(path)) as opened:
            (frame,) = opened.decode(video=0)
            assert not is_raw(frame.to_ndarray(format="rgb24"), raw)
        assert words_in(path, ["Exif"]) == []
    for path in folder.rglob("*"):
        assert path.stat().st_mtime == 946_684_800
        held = CHECKSUM.sub(b"", path.read_bytes()) if path.is_file() and path.suffix != ".mp4" else None
        assert words_in(path, SECRETS, held) == [], path


def blocks(image: np.ndarray) -> np.ndarray:
    """Return the mean colour of squares of 16 pixels."""
    height, width = (side // 16 for side in image.shape[:2])
    return image[: height * 16, : width * 16].reshape(height, 16, width, 16, 3).mean(axis=(1, 3))


def is_raw(image: np.ndarray, raw: list[np.ndarray]) -> bool:
    """Whether a picture is one of the raw ones but for what an encoder changes: no square of it differs much."""
    shown = blocks(image)
    return any(array.shape == shown.shape and np.abs(shown - array).max() < NEAR for array in raw)


def require_only_muted_words_gone(folder: Path, source: Path, personal: list[Word]) -> None:
    """Compare what is heard with the source sample by sample."""
    raw, rate = samples(source)
    spans = [(word.start_us - MARGIN_US, word.end_us + MARGIN_US) for word in personal]
    beside = np.ones(len(raw), np.bool_)
    for clip in sorted(folder.rglob("*.mp4")):
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
