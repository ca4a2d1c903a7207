"""A writer that is killed in the middle of a burst of edits loses none that it committed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from project.integrity.integrity_check import check_study
from project.store.study import Study

WRITER = """
import sys
from project.ids import new_id
from project.store.study import Study
from tests.unit.project.conftest import furnish
study = Study.open(sys.argv[1])
small = furnish(study)
number = 0
while True:
    number += 1
    small.add(number, number + 1_000)
    if number % 7 == 0:
        study.undo()
        study.redo()
    print(number, flush=True)
"""


@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("burst", [1, 60, 300])
def test_no_committed_edit_is_lost(tmp_path: Path, burst: int, network: bool) -> None:
    path = tmp_path / "a.greenroom"
    Study.create(path).close()
    patch = "import project.store.study\nproject.store.study.on_network = lambda path: True\n" if network else ""
    writer = subprocess.Popen([sys.executable, "-c", patch + WRITER, path], stdout=subprocess.PIPE, text=True)
    said = 0
    for line in writer.stdout:
        said = int(line)
        if said >= burst:
            os.kill(writer.pid, signal.SIGKILL)
            break
    said = max([said, *(int(line) for line in writer.stdout if line.endswith("\n"))])
    writer.stdout.close()
    writer.wait()
    assert check_study(path) == []
    with Study.open(path) as study:
        assert not study.read_only
        found = [row[0] for row in study.rows("SELECT start_us FROM segment ORDER BY start_us")]
        assert found == list(range(1, len(found) + 1))
        assert said <= len(found) <= said + 1
        study.undo()
    assert [p.name for p in tmp_path.iterdir()] == ["a.greenroom"]
    assert check_study(path) == []
