"""Three recordings of people, from raw files to a released folder by command line, and a search of what came out."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from tests.builders.terminal import Terminal
from tests.builders.words_in_files import words_in
from tests.e2e import plain

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("english_names")]

CLIPS = (("conv_multi_friends_720p.mp4", 4.0), ("expressive_talker.mp4", 2.0), ("talk_vfr_tags.mp4", 1.0))
SECONDS = 2.0
NEAR = 12
TITLE = "Anna Example at home"
NOTE = "Anna told the robot her number, 555-867-5309."
SECRETS = (
    "Anna",
    "Example",
    "Ada Byron",
    "555-867",
    "friends",
    "expressive",
    "talk_vfr",
    "lab.greenroom",
    "Lavf",
    "x264",
    "x264 - core",
)
WEIGHTS = {
    "rfb320": "version-RFB-320.onnx",
    "yunet": "yunet_n_dynamic.onnx",
    "mobilefacenet": "mobilefacenet_diandianti.onnx",
    "pfld": "pfld_68pt.onnx",
}
Refused = Callable[..., list[str]]


def cut(source: Path, target: Path, start: float) -> Path:
    """Copy a short stretch at 3 : 4, with the source's time stamps and tags that tell who it is, unheard."""
    with av.open(str(source)) as whole, av.open(str(target), "w") as clip:
        clip.metadata.update({"title": TITLE, "comment": str(source), "creation_time": "2026-01-02T03:04:05Z"})
        pictures = whole.streams.video[0]
        made = clip.add_stream("libx264", rate=Fraction(30))
        made.width, made.height, made.pix_fmt = pictures.width * 3 // 8 * 2, pictures.height * 3 // 8 * 2, "yuv420p"
        made.codec_context.time_base = pictures.time_base
        for frame in whole.decode(pictures):
            if frame.time is None or frame.time < start:
                continue
            if frame.time >= start + SECONDS:
                break
            frame = frame.reformat(made.width, made.height, "yuv420p")
            frame.pts -= round(start / pictures.time_base)
            frame.pict_type = 0
            clip.mux(made.encode(frame))
        clip.mux(made.encode(None))
    return target


@pytest.fixture
def refused(greenroom: Terminal, tmp_path: Path) -> Refused:
    def ask(*arguments: object) -> list[str]:
        study = tmp_path / "lab.greenroom"
        said = greenroom("release", study, "--out", tmp_path / "corpus", *arguments, "--json", code=2)
        found: dict[str, Any] = json.loads(said.splitlines()[-1])
        assert found["released"] is False
        assert not (tmp_path / "corpus").exists()
        assert all(one["sentence"] and one["hint"] for one in found["reasons"])
        return sorted({one["rule"] for one in found["reasons"]})

    return ask


def test_from_raw_recordings_to_a_release(
    greenroom: Terminal, refused: Refused, shared_data: Path, shared_models: Path, tmp_path: Path
) -> None:
    study = tmp_path / "lab.greenroom"
    sources = [cut(shared_data / "media" / name, tmp_path / name, start) for name, start in CLIPS]
    for name, file in WEIGHTS.items():
        greenroom("models", "add", name, shared_models / file)
    greenroom("new", study)
    greenroom("add", study, *sources)
    assert refused() == ["consent-known", "faces-tracked"]

    greenroom("faces", study)
    assert refused() == ["consent-known", "faces-reviewed", "uncovered"]

    add = ("--start", "0.1", "--end", "0.6", "--verdict", "error", "--annotator", "Ada Byron", "--rationale", NOTE)
    greenroom("segment", "add", study, "--recording", "1", *add)
    for number, name in enumerate(("P01", "P02", "P03"), 1):
        greenroom("participant", study, name, "--recording", number, "--consent", "release")
        greenroom(
            "review-faces", study, "--recording", number, "--seen", "all", "--reviewed", "--annotator", "Ada Byron"
        )
    assert refused("--texts", "scrub") == ["pii-reviewed", "texts-reviewed"]

    greenroom("words", study, "--set", "Anna=P01", "--set", "Example=[name]")
    greenroom("pii", "review", study, "--hide", "--undecided", "--annotator", "Ada Byron")
    (text,) = greenroom.json("texts", study, "--confirm", "--annotator", "Ada Byron")["texts"]
    assert text["after"] == "P01 told the robot her number, [PHONE_1]."
    made = greenroom.json("release", study, "--out", tmp_path / "corpus", "--contact", "data@lab.invalid")
    assert made["released"] is True
    search(tmp_path / "corpus", sources)
    card = (tmp_path / "corpus" / "DATACARD.md").read_text()
    assert "centerface and rfb320 (rfb320 had no part in finding the faces); faces left: 0" in card
    assert "Re-identified at FAR 1e-2, naive attacker" in card
    assert "Rules that were waived\n\nNone." in card


def search(folder: Path, sources: list[Path]) -> None:
    """Look for metadata, private words and pictures of the raw recordings, with none of the program's own reading."""
    raw = [blocks(image) for source in sources for image in plain.images(source)]
    assert is_raw(next(plain.images(sources[0])), raw)
    clips = sorted(folder.rglob("*.mp4"))
    pictures = sorted(folder.rglob("*.jpg"))
    assert len(clips) == 6
    assert len(pictures) >= 6
    for clip in clips:
        assert plain.tags(clip) == set()
        with av.open(str(clip)) as opened:
            assert [stream.type for stream in opened.streams] == ["video"]
            assert opened.chapters() == []
        shown = list(plain.images(clip))
        if "video-source" in clip.as_posix():
            source = sources[int(clip.stem[-4:]) - 1]
            assert plain.frame_times(clip) == pytest.approx(plain.frame_times(source), abs=1_000)
        for image in shown:
            assert not is_raw(image, raw)
    for path in pictures:
        with av.open(str(path)) as opened:
            (frame,) = opened.decode(video=0)
            assert not is_raw(frame.to_ndarray(format="rgb24"), raw)
        assert words_in(path, ["Exif"]) == []
    for path in folder.rglob("*"):
        assert path.stat().st_mtime == 946_684_800
        assert words_in(path, SECRETS) == [], path


def blocks(image: np.ndarray) -> np.ndarray:
    """Return the mean colour of squares of 16 pixels."""
    height, width = (side // 16 for side in image.shape[:2])
    return image[: height * 16, : width * 16].reshape(height, 16, width, 16, 3).mean(axis=(1, 3))


def is_raw(image: np.ndarray, raw: list[np.ndarray]) -> bool:
    """Whether a picture is one of the raw ones but for what an encoder changes: no square of it differs much."""
    shown = blocks(image)
    return any(array.shape == shown.shape and np.abs(shown - array).max() < NEAR for array in raw)
