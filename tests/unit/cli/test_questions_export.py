"""`greenroom questions export`, as a script uses it."""

from pathlib import Path

from tests.builders.question_dataset import asked_study
from tests.builders.terminal import Terminal


def test_a_set_is_written_and_counted(tmp_path: Path, greenroom: Terminal) -> None:
    with asked_study(tmp_path) as session:
        study = session.study.path
    out = tmp_path / "out"
    assert "--confirm" in greenroom("questions", "export", study, "--out", out, code=2)
    assert not out.exists()
    texts = greenroom.json("questions", "texts", study)
    assert texts["confirmed_by"] is None
    assert {"question", "option A", "chain", "event"} <= {text["place"] for text in texts["texts"]}
    assert "Read by Ada" in greenroom("questions", "texts", study, "--confirm", "--annotator", "Ada")
    made = greenroom.json("questions", "export", study, "--out", out, "--format", "vlmevalkit", "--seed", "7")
    assert (made["questions"], made["by_kind"], made["left_out"]) == (27, {"CW": 27}, {})
    assert sum(made["by_split"].values()) == 27
    there = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    assert made["files"] == there
    assert "vlmevalkit/questions.tsv" in there
    assert "not empty" in greenroom("questions", "export", study, "--out", out, code=2)
    assert "no release" in greenroom("questions", "export", study, "--out", tmp_path / "x", "--release", out, code=2)
    assert "Fill in DATACARD" in greenroom("questions", "export", study, "--out", tmp_path / "y")
