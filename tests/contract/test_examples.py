"""Examples of the documentation work as they stand."""

import re
import sqlite3
from pathlib import Path

from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.contract.documentation import page


def test_the_query_for_other_programs_returns_every_segment_with_its_rationale(tmp_path: Path) -> None:
    path = tmp_path / "my-study.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=3, segments=20)
    query = re.search(r'read_sql\(\n\s+"""(.*?)"""', page("study-file"), re.DOTALL)
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    rows = connection.execute(query[1]).fetchall()
    connection.close()
    assert len(rows) == 20
    assert {row[2] for row in rows} <= {"error", "competence", "none"}
    assert any(isinstance(row[5], str) and row[5].endswith(".") for row in rows)
