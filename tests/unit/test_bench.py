"""One bench that raises must not keep the others from being run."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from tools.bench import __main__ as bench
from tools.bench.row import Row


def test_a_bench_that_raises_is_named_and_the_others_still_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks() -> list[Row]:
        raise RuntimeError("no")

    for name, run in (("breaks", breaks), ("works", lambda: [Row("w", "1 ms", "", "", "", True)])):
        module = ModuleType(name)
        vars(module)["run"] = run
        monkeypatch.setitem(sys.modules, f"tools.bench.{name}", module)
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(bench, "BENCHES", ("breaks", "works"))
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    monkeypatch.setattr(bench, "RESULTS", tmp_path / ".bench" / "results.json")
    monkeypatch.setattr(sys, "argv", ["bench"])
    assert bench.main() == 1
    said = capsys.readouterr()
    assert "measured nothing: breaks\n" in said.err
    assert "1 ms" in said.out
    assert "All 2 rows" in (tmp_path / "docs" / "benchmarks.md").read_text("utf-8")
