"""Every target of the fuzzer takes some cases each day, and ten thousand in `make soak`."""

import json
import os
from pathlib import Path

import pytest

from tests.fuzz.registry import TARGETS
from tests.fuzz.running import run
from tests.fuzz.table import main

DEAR, CHEAP = 1, 3
PARTS, IN_A_PART = 4, 2500
"""A part is short, so that those who share the work end at about the same time."""


def test_some_cases_of_every_target(tmp_path: Path) -> None:
    cases = {name: DEAR if name.startswith(("study", "weights-gguf", "import")) else CHEAP for name in TARGETS}
    outcomes = run([(name, 0, count) for name, count in cases.items()], seeds=tmp_path)
    assert {name: outcome.cases for name, outcome in outcomes.items()} == cases
    found = {name: outcome.kinds for name, outcome in outcomes.items() if outcome.findings}
    assert found == {}, "python -m tests.fuzz TARGET --case NUMBER does it again"


@pytest.fixture(scope="session")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the cases begin with, which is made once."""
    return tmp_path_factory.mktemp("seeds")


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", TARGETS)
def test_ten_thousand_cases(name: str, part: int, seeds: Path) -> None:
    outcome = run([(name, part * IN_A_PART, (part + 1) * IN_A_PART)], seeds=seeds)[name]
    if log := os.environ.get("GREENROOM_FUZZ_LOG"):
        with Path(log).open("a") as file:
            file.write(json.dumps({"target": name, "counts": outcome.counts}) + "\n")
    assert outcome.kinds == {}, "python -m tests.fuzz TARGET --case NUMBER does it again"


def test_parts_of_a_target_and_targets_of_a_kind_are_one_row_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, log = tmp_path / "page.md", tmp_path / "log.jsonl"
    page.write_text("Before.\n<!-- fuzz: begin -->\n| an older table |\n<!-- fuzz: end -->\nAfter.\n")
    parts = [
        *[("media", (1000, 20, 3, 0)), ("media", (250, 1, 0, 0))],
        *[("import-csv", (5, 0, 0, 0)), ("import-eaf", (5, 2, 0, 1))],
    ]
    log.write_text("".join(json.dumps({"target": name, "counts": counts}) + "\n" for name, counts in parts))
    monkeypatch.setattr("sys.argv", ["table", str(log), "--write", str(page)])
    main()
    rows = [line for line in page.read_text().splitlines() if line.startswith("| `")]
    assert rows == ["| `import` (2) | 10 | 2 | 0 | 1 |", "| `media` | 1,250 | 21 | 3 | 0 |"]
    assert "older" not in page.read_text()
    assert page.read_text().startswith("Before.\n")
    assert page.read_text().endswith("\nAfter.\n")
