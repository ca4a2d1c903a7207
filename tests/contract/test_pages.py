"""What the pages show works as it stands."""

import re
import sqlite3
from pathlib import Path

import pytest

from app.cli.main import COMMANDS
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.contract.documentation import ROOT, all_pages, page


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "my-study.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=3, segments=20)
    return path


def test_the_query_for_other_programs_returns_every_segment_with_its_rationale(study: Path) -> None:
    found = re.search(r'read_sql\(\n\s+"""(.*?)"""', page("study-file"), re.DOTALL)
    connection = sqlite3.connect(f"{study.as_uri()}?mode=ro", uri=True)
    rows = connection.execute(found.group(1)).fetchall()
    connection.close()
    assert len(rows) == 20
    assert {row[2] for row in rows} <= {"error", "competence", "none"}
    assert any(isinstance(row[5], str) and row[5].endswith(".") for row in rows)


def test_every_table_is_described(study: Path) -> None:
    connection = sqlite3.connect(f"{study.as_uri()}?mode=ro", uri=True)
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    connection.close()
    assert [name for name in tables if f"`{name}`" not in page("study-file")] == []


def test_links_between_pages_lead_somewhere() -> None:
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_commands_that_are_shown_exist() -> None:
    words = set(re.findall(r"(?:`|    )greenroom ([a-z.-]+)", all_pages()))
    # A study in place of a command is opened.
    shown = {word for word in words if not word.endswith(".greenroom")}
    assert shown <= set(COMMANDS)
    assert len(shown) > 10
