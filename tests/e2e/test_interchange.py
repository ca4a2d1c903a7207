"""Samples of ELAN, BORIS and Datavyu go into a study, and from there to every format and back, by the command line."""

import csv
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotate.interchange.annotation_files import FORMATS, get_format
from tests.builders.lab import Lab
from tests.builders.terminal import Terminal

pytestmark = [pytest.mark.e2e, pytest.mark.soak]
SECONDS = 600
FILM = "video_test_25fps_360s.mp4"
_SEGMENTS = {"becomes": "segments", "annotator": "Ada", "scheme": "shrec", "track": "segments"}
_LABELS = {"s": "error", "p": "competence", "q": "competence", "r": "error", "m": "error"}
_CODED = {**_SEGMENTS, "labels": _LABELS, "fields": {"modif #1": "@comment", "modif #2": "@comment"}}
SAMPLES: dict[str, dict[str, Any]] = {
    "elan_sample_2.8.eaf": {
        "text": {"becomes": "utterances", "participant": "P01"},
        "gestures": {**_SEGMENTS, "annotator": "Bob", "otherwise": "competence", "text_field": "rationale"},
    },
    "boris_test.boris": {"No focal subject": _CODED, "subject1": _CODED, "subject2": {**_CODED, "annotator": "Bob"}},
    "datavyu_demo.opf": {
        "text": {"becomes": "utterances", "participant": "P02"},
        "matrix": {**_SEGMENTS, "otherwise": "error", "text_field": "rationale", "fields": {"qstring": "correction"}},
    },
}
ADDED = {"elan_sample_2.8.eaf": 798, "boris_test.boris": 28, "datavyu_demo.opf": 20}
ONLY_SHOWN = {"webvtt-segments", "srt-segments"}
CAPTIONS = {"webvtt", "srt", "srt-plain"}


@pytest.fixture
def empty(lab: Lab, greenroom: Terminal, tmp_path: Path) -> Path:
    """A study with one film of ten minutes; nothing is marked in it."""
    greenroom("add", lab.study, lab.film(FILM, size=(64, 48), frames=SECONDS, fps=1))
    return lab.study


@pytest.fixture
def samples(empty: Path, greenroom: Terminal, shared_data: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of it with everything that the samples hold for its ten minutes."""
    study = empty.with_name("samples.greenroom")
    shutil.copyfile(empty, study)
    for name, lanes in SAMPLES.items():
        source = shared_data / "interchange" / name
        mapping = tmp_path / f"{name}.json"
        mapping.write_text(json.dumps({"greenroom_mapping": 1, "lanes": lanes}), "utf-8")
        where = [] if name.endswith(".boris") else ["--recording", 1]
        command = ("import", study, source, "--mapping", mapping, *where)
        seen = greenroom.json(*command, "--preview")
        assert (seen["written"], greenroom.json(*command)["added"]) == (False, seen["added"])
        assert seen["added"] == ADDED[name], seen
        again = greenroom.json(*command)
        assert (again["written"], again["added"], again["known"]) == (False, 0, seen["added"])
    yield study
    study.unlink()


def test_samples_go_to_every_format_and_back(empty: Path, samples: Path, greenroom: Terminal, tmp_path: Path) -> None:
    before = table(greenroom, samples, tmp_path / "before.csv")
    assert len(before) == sum(ADDED.values())
    for key in FORMATS:
        folder = tmp_path / key
        folder.mkdir()
        used = get_format(key)
        target = folder / f"out{used.suffixes[0]}" if used.holds_several else folder
        made = greenroom.json("export", samples, "--format", key, "--out", target)
        assert made["losses"] == [*used.losses]
        back = empty.with_name("back.greenroom")
        shutil.copyfile(empty, back)
        for file in made["files"]:
            source = Path(file).read_bytes()
            greenroom("import", samples, file, "--format", key, "--preview")
            greenroom("import", back, file, "--format", key)
            assert Path(file).read_bytes() == source
        after = table(greenroom, back, tmp_path / f"{key}.csv")
        back.unlink()
        if key in ONLY_SHOWN:
            assert len(after) == len([row for row in before if row["kind"] == "segment"])
            assert {row["kind"] for row in after} == {"utterance"}
        elif key in CAPTIONS:
            said = [row for row in before if row["kind"] == "utterance"]
            left_out = ("participant",) if key == "srt-plain" else ()
            assert compared(after, left_out) == compared(said, left_out), key
        else:
            assert compared(after) == compared(before), key


def table(greenroom: Terminal, study: Path, path: Path) -> list[dict[str, str]]:
    """Return everything that is marked or said in a study, as our own table has it."""
    greenroom("export", study, "--format", "csv", "--out", path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def compared(rows: list[dict[str, str]], left_out: tuple[str, ...] = ()) -> list[tuple[object, ...]]:
    """Return rows in an order of their own, with times in milliseconds, without ids and without empty cells."""
    found = []
    for row in rows:
        times = tuple(int(float(row[name]) * 1000 + 1e-6) for name in ("start_s", "end_s"))
        skipped = ("start_s", "end_s", "id", *left_out)
        found.append((times, *sorted((name, cell) for name, cell in row.items() if cell and name not in skipped)))
    return sorted(found, key=repr)
