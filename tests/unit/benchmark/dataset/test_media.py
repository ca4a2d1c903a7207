"""Questions name clips and pictures of a release of their study, and nothing else."""

import ast
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from anonymize.release.release_plan import get_release_key, keyed_checksum
from benchmark.dataset.dataset_card import MAX_PICTURES, ReleasedMedia
from project.errors import UserError
from project.queries.face_rows import mask_state
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.timebase import SECOND_US
from tests.builders.question_dataset import asked_study, export_read


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with asked_study(tmp_path, 2) as opened:
        yield opened


def released(session: Session, folder: Path, *, pictures: bool = True, state: str | None = None) -> Path:
    """Write what a release of the study would look like, for its first recording."""
    files = ["video-15hz/solid/recording-0001.mp4", "video-source/solid/recording-0001.mp4", "recordings.csv"]
    files += [f"frames-1hz/solid/recording-0001/{at:05}.jpg" for at in range(40)] if pictures else []
    files += ["video-source/stripes/recording-0001.mp4"]
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()
    first = all_recordings(session.study)[0]
    faces = keyed_checksum(get_release_key(session), mask_state(session.study, first.id) if state is None else state)
    manifest = {
        "format": "greenroom-release",
        "sources": {"recording-0001": {"faces": faces}},
        "files": [{"path": file} for file in files],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_questions_name_the_clip_and_the_pictures_of_their_span(session: Session, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    release = released(session, tmp_path / "release")
    out = tmp_path / "out"
    export_read(session, out, formats=("vlmevalkit",), release=release)
    found = [
        json.loads(line)
        for split in ("train", "test")
        for line in (out / f"{split}.jsonl").read_text("utf-8").splitlines()
    ]
    media = {one["media"]["recording"]: one["media"] for one in found}
    assert media["recording-0001"]["clip"] == "video-source/solid/recording-0001.mp4"
    assert media["recording-0001"]["pictures"][0] == "frames-1hz/solid/recording-0001/00002.jpg"
    assert len(media["recording-0001"]["pictures"]) == 13
    assert "clip" not in media["recording-0002"]
    assert "Recordings without a clip or picture: recording-0002." in (out / "DATACARD.md").read_text("utf-8")
    table = pandas.read_csv(out / "vlmevalkit" / "questions.tsv", sep="\t")
    assert {*table["recording"]} == {"recording-0001"}
    # vlmeval/dataset/video_base.py: the clip of a row is its `video` with .mp4 in the folder of the clips.
    assert all((release / f"{one}.mp4").is_file() for one in table["video"])
    # vlmeval/smp/misc.py, toliststr: a cell in brackets is a list as Python writes it.
    for one in table["image_path"]:
        assert all((release / path).is_file() for path in ast.literal_eval(one))


def test_a_release_of_another_study_or_state_is_refused(session: Session, tmp_path: Path) -> None:
    other = released(session, tmp_path / "old", state="something else")
    with pytest.raises(UserError, match="another study"):
        export_read(session, tmp_path / "out", release=other)
    with pytest.raises(UserError, match="no release"):
        export_read(session, tmp_path / "out", release=tmp_path)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("content", ["{", "[]", '{"format": "greenroom-release"}', '{"format": 1, "files": [1]}'])
def test_a_damaged_manifest_is_refused(session: Session, tmp_path: Path, content: str) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text(content)
    with pytest.raises(UserError, match=r"manifest\.json cannot be read"):
        export_read(session, tmp_path / "out", release=tmp_path / "broken")


def test_what_is_missing_in_a_release_is_said(session: Session, tmp_path: Path) -> None:
    release = released(session, tmp_path / "release")
    (release / "frames-1hz" / "solid" / "recording-0001" / "00003.jpg").unlink()
    with pytest.raises(UserError, match=r"00003\.jpg is missing"):
        export_read(session, tmp_path / "out", release=release)


def test_pictures_are_spread_over_the_span() -> None:
    shown = ReleasedMedia(pictures={at: str(at) for at in range(100)})
    found = [int(text) for text in shown.pictures_between(10 * SECOND_US, 90 * SECOND_US)]
    assert len(found) == MAX_PICTURES
    assert (found[0], found[-1]) == (12, 87)
    assert {b - a for a, b in pairwise(found)} == {5}
    assert shown.pictures_between(10_400_000, 10_900_000) == ["10"]
    assert ReleasedMedia().pictures_between(0, SECOND_US) == []
