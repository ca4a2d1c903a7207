"""Holds a study and has its judges asked by a cluster: `python -m tests.e2e.cluster_holder STUDY ADDRESS`."""

import sys
from pathlib import Path

from benchmark.cluster.coordinator import run_jobs
from benchmark.judging.ask_job import prepare
from benchmark.judging.run_config import AskRequest
from models.connection import network_sandbox as sentinel
from project.progress import Silent
from project.queries.judgment_rows import all_judges
from project.queries.segment_rows import all_segments
from project.session.session import Session

if __name__ == "__main__":
    sentinel.install_audit_hook()
    with Session.open(Path(sys.argv[1]), "Ada") as session:
        segments = [segment.id for segment in all_segments(session.study)]
        work = prepare(session, AskRequest(all_judges(session.study), segments, "verdict")).job
        if work is not None:
            run_jobs(session, [work], Silent(), sys.argv[2])
