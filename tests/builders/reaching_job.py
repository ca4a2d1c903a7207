"""A kind of job that tries to make sockets, also in a process that it starts; the real worker can be told of it."""

import socket
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from project.entities.study_records import Json
from project.session.jobs import JobHost, JobKind

STARTING = (
    "import sys; sys.path.insert(0, '.'); from project.session import jobs; "
    "jobs.JOB_MODULES['reach'] = 'tests.builders.reaching_job'; from app.worker import run; run()"
)
"""What a Python process runs to be the worker, knowing this kind."""
_CODE = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"


def compute(_parameters: Mapping[str, Any], _holder: JobHost) -> dict[str, Json]:
    made: dict[str, Json] = {}
    for family in ("AF_UNIX", "AF_INET", "AF_INET6"):
        try:
            socket.socket(getattr(socket, family), socket.SOCK_DGRAM).close()
        except PermissionError:
            made[family] = False
        else:
            made[family] = True
    made["child"] = subprocess.run([sys.executable, "-c", _CODE], capture_output=True, check=False).returncode == 0
    return made


JOB = JobKind(key="reach", parameters=dict, result=dict, compute=compute)
