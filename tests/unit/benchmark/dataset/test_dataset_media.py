"""Questions name clips and pictures of a release of their study, and nothing else."""

import ast
import csv
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from annotate.chains.chain_edits import add_chain, add_edge, add_node
from anonymize.release import release_job
from anonymize.release.release_plan import ReleasePlan, get_release_key, keyed_checksum
from benchmark.dataset.dataset_card import MAX_PICTURES, ReleasedMedia
from project.entities.causal_chains import NodeKind
from project.errors import UserError
from project.progress import Silent
from project.queries.face_rows import mask_state, set_dismissed, tracks_of
from project.queries.recording_rows import all_recordings
from project.session.jobs import run_inline
from project.session.session import Session
from project.timebase import SECOND_US
from tests.builders.question_dataset import approve, ask, asked_study, export_read, exported_lines, text_of
from tests.builders.release_study import lab


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


def table_of(out: Path) -> list[dict[str, str]]:
    with (out / "vlmevalkit" / "questions.tsv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file, delimiter="\t")]


def test_questions_name_the_clip_and_the_pictures_of_their_span(session: Session, tmp_path: Path) -> None:
    release = released(session, tmp_path / "release")
    out = tmp_path / "out"
    export_read(session, out, formats=("vlmevalkit",), release=release)
    media = {line["media"]["recording"]: line["media"] for line in exported_lines(out)}
    assert media["recording-0001"]["clip"] == "video-source/solid/recording-0001.mp4"
    assert media["recording-0001"]["pictures"][0] == "frames-1hz/solid/recording-0001/00002.jpg"
    assert len(media["recording-0001"]["pictures"]) == 13
    assert "clip" not in media["recording-0002"]
    assert "Recordings without a clip or picture: recording-0002." in (out / "DATACARD.md").read_text("utf-8")
    rows = table_of(out)
    assert {row["recording"] for row in rows} == {"recording-0001"}
    # vlmeval/dataset/video_base.py: the clip of a row is its `video` with .mp4 in the folder of the clips.
    assert all((release / f"{row['video']}.mp4").is_file() for row in rows)
    # vlmeval/smp/misc.py, toliststr: a cell in brackets is a list as Python writes it.
    assert all((release / path).is_file() for row in rows for path in ast.literal_eval(row["image_path"]))


def test_a_release_that_does_not_fit_is_refused(session: Session, tmp_path: Path) -> None:
    other = released(session, tmp_path / "old", state="something else")
    with pytest.raises(UserError, match="another study"):
        export_read(session, tmp_path / "out", release=other)
    with pytest.raises(UserError, match="no release"):
        export_read(session, tmp_path / "out", release=tmp_path)
    assert not (tmp_path / "out").exists()
    for content in ("{", "[]", '{"format": "greenroom-release"}', '{"format": 1, "files": [1]}'):
        (tmp_path / "manifest.json").write_text(content)
        with pytest.raises(UserError, match=r"manifest\.json cannot be read"):
            export_read(session, tmp_path / "out", release=tmp_path)
    release = released(session, tmp_path / "release")
    (release / "frames-1hz" / "solid" / "recording-0001" / "00003.jpg").unlink()
    with pytest.raises(UserError, match=r"00003\.jpg is missing"):
        export_read(session, tmp_path / "out", release=release)


def test_pictures_are_spread_over_the_span() -> None:
    shown = ReleasedMedia(pictures={at: str(at) for at in range(100)})
    seconds = [int(text) for text in shown.pictures_between(10 * SECOND_US, 90 * SECOND_US)]
    assert len(seconds) == MAX_PICTURES
    assert (seconds[0], seconds[-1]) == (12, 87)
    assert {later - earlier for earlier, later in pairwise(seconds)} == {5}
    assert shown.pictures_between(10_400_000, 10_900_000) == ["10"]
    assert ReleasedMedia().pictures_between(0, SECOND_US) == []


def test_what_it_names_is_in_the_release(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    with Session.open(lab(tmp_path), "Ada Byron") as session:
        (recording,) = all_recordings(session.study)
        chain, _ = add_chain(session, recording.id, "Anna waves")
        reason, _ = add_node(session, chain, NodeKind.EVENT, "somebody comes", 0, 500_000)
        result, _ = add_node(session, chain, NodeKind.EVENT, "Anna waves", 600_000, 900_000)
        add_edge(session, reason, result)
        ask(session, recording.id, chain, (result, reason), "Why does Anna wave?")
        approve(session)
        work = release_job.prepare(session, folder, ReleasePlan(methods=("solid",), formats=("csv",)))
        assert run_inline(session, work, Silent())[0].released is True

        export_read(session, tmp_path / "out", formats=("vlmevalkit",), release=folder)
        (line,) = (tmp_path / "out" / "train.jsonl").read_text("utf-8").splitlines()
        media = json.loads(line)["media"]
        assert media["method"] == "solid"
        assert media["pictures"] == ["frames-1hz/solid/recording-0001/00001.jpg"]
        assert all((folder / medium).is_file() for medium in (media["clip"], *media["pictures"]))
        (row,) = table_of(tmp_path / "out")
        assert (folder / f"{row['video']}.mp4").is_file()
        assert ast.literal_eval(row["image_path"]) == media["pictures"]
        sent = text_of(tmp_path / "out")
        assert "Anna" not in sent
        assert "Byron" not in sent

        with session.step("Dismiss"):
            set_dismissed(session.study, tracks_of(session.study, recording.id)[0].id, True)
        with pytest.raises(UserError, match="edited since"):
            export_read(session, tmp_path / "again", release=folder)
        assert not (tmp_path / "again").exists()
