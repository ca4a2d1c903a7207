"""Holds a study and has judges asked in a worker, as the window does: `python -m tests.faults.asking STUDY`.

It prints the number of the worker's process, then `done` when the run is over.
"""

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from benchmark.judging.ask_job import prepare
from benchmark.judging.run_config import AskRequest
from project.entities.egress_policy import Forbidden
from project.errors import UserError
from project.queries.judgment_rows import all_judges
from project.queries.segment_rows import all_segments
from project.session.jobs import answer, store_part
from project.session.session import Session


def main(study: Path) -> None:
    """Ask every judge about every segment."""
    with Session.open(study, "Ada") as session:
        segments = [segment.id for segment in all_segments(session.study)]
        work = prepare(session, AskRequest(all_judges(session.study), segments, "verdict")).job
        if work is None:
            print("done", flush=True)
            return
        with (
            suppress(BrokenPipeError),
            subprocess.Popen(
                [sys.executable, "-m", "greenroom", "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            ) as worker,
        ):
            assert worker.stdout is not None
            print(worker.pid, flush=True)
            worker.stdin.write(json.dumps({"job": work.kind, "parameters": dict(work.parameters)}) + "\n")
            worker.stdin.flush()
            for line in worker.stdout:
                said = json.loads(line)
                if "part" in said:
                    store_part(session, work, said["part"])
                if "ask" in said:
                    told: dict[str, object] = {"answer": said["ask"]}
                    try:
                        told["content"] = answer(session, work, said["question"])
                    except UserError as error:
                        rule = error.rule if isinstance(error, Forbidden) else ""
                        told["error"] = {"message": error.message, "hint": error.hint, "rule": rule}
                    # The worker may be gone by now.
                    with suppress(BrokenPipeError):
                        worker.stdin.write(json.dumps(told) + "\n")
                        worker.stdin.flush()
    print("done", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
