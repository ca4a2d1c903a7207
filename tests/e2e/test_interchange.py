"""A file goes from one study into another by the command line: looked at first, by a mapping, and once."""

import csv
import shutil
from pathlib import Path

import pytest

from tests.builders.lab import Lab

pytestmark = pytest.mark.e2e


def table(lab: Lab, study: Path) -> list[dict[str, str]]:
    """Return everything that is marked in a study, as our own table has it, without ids."""
    path = study.with_suffix(".csv")
    lab.greenroom("segment", "export", study, "--format", "csv", "--out", path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [{name: cell for name, cell in row.items() if name != "id"} for row in csv.DictReader(file)]
    path.unlink()
    return rows


def test_a_preview_writes_nothing_an_import_all_and_another_one_nothing_more(lab: Lab, tmp_path: Path) -> None:
    lab.greenroom("add", lab.study, lab.film("a.mp4", frames=60))
    there = shutil.copyfile(lab.study, tmp_path / "there.greenroom")
    for start, verdict in ((0.1, "error"), (0.8, "competence")):
        span = ("--recording", "1", "--start", start, "--end", start + 0.5)
        lab.greenroom("segment", "add", lab.study, *span, "--verdict", verdict, "--annotator", "Ada")
    made = lab.greenroom.json("segment", "export", lab.study, "--format", "eaf", "--out", tmp_path / "elan")
    (file,) = made["files"]
    content, before = Path(file).read_bytes(), there.read_bytes()

    bring = ("segment", "import", there, file, "--format", "eaf")
    seen = lab.greenroom.json(*bring, "--preview", "--save-mapping", tmp_path / "mapping.json")
    assert (seen["written"], seen["added"]) == (False, 2)
    assert there.read_bytes() == before
    done = lab.greenroom.json(*bring, "--mapping", tmp_path / "mapping.json")
    assert (done["written"], done["added"]) == (True, 2)
    assert table(lab, there) == table(lab, lab.study)
    again = lab.greenroom.json(*bring, "--mapping", tmp_path / "mapping.json")
    assert (again["written"], again["added"], again["known"]) == (False, 0, 2)
    assert Path(file).read_bytes() == content


def test_tiers_and_recordings_are_mapped_by_name_and_several_files_are_one_step(lab: Lab, tmp_path: Path) -> None:
    for number, label in ((1, "nod"), (2, "shake")):
        rows = f"annotator,start_s,end_s,label,note\nBo,0.5,1,{label},\nBo,2,3,nod,again\n"
        (tmp_path / f"visit {number}.csv").write_text(rows, "utf-8")
    files = (tmp_path / "visit 1.csv", tmp_path / "visit 2.csv")
    chosen = ("--part", "visit 1=new", "--part", "visit 2=none", "--map", "Bo=text")
    seen = lab.greenroom.json("segment", "import", lab.study, *files, *chosen, "--preview")
    assert (seen["written"], seen["added"], seen["left_out"]) == (False, 2, 2)
    assert [row["text"] for row in seen["lanes"][0]["rows"]] == ["nod", "nod"]
    done = lab.greenroom.json("segment", "import", lab.study, *files, "--new-recordings")
    assert (done["written"], done["added"], done["left_out"]) == (True, 4, 0)
    assert {row["label"] for row in table(lab, lab.study)} == {"nod", "shake"}
    lab.greenroom("study", "undo", lab.study)
    assert lab.greenroom.json("segment", "import", lab.study, *files, "--preview", "--new-recordings")["added"] == 4


def test_a_study_begins_with_the_scheme_of_a_file(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "codes.csv").write_text("label,key\nnod,n\nshake,s\n", "utf-8")
    made = lab.greenroom.json("new", tmp_path / "heads.greenroom", "--scheme", tmp_path / "codes.csv")
    assert made["scheme"] == "codes"
    [listed] = lab.greenroom.json("scheme", "list", tmp_path / "heads.greenroom")["schemes"]
    assert (listed["key"], listed["default"]) == ("codes", True)
