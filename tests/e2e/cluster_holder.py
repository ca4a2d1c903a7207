"""Holds a study and has its judges asked by a cluster: `python -m tests.e2e.cluster_holder STUDY ADDRESS`."""

import sys
from pathlib import Path

from app.core.cluster.door import run_all
from app.core.judging.runs.asking import prepare
from app.core.judging.runs.wanted import AskRequest
from app.core.session import Session
from models.connection import sentinel
from project.progress import Silent
from project.queries.judges import all_judges
from project.queries.segments import all_segments

if __name__ == "__main__":
    sentinel.install()
    with Session.open(Path(sys.argv[1]), "Ada") as session:
        segments = [one.id for one in all_segments(session.study)]
        work = prepare(session, AskRequest(all_judges(session.study), segments, "verdict")).work
        if work is not None:
            run_all(session, [work], Silent(), sys.argv[2])
