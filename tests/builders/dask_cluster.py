"""A scheduler and workers of Dask on this machine, started as a lab starts them."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.builders.waiting import wait_until

_AT = re.compile(r"Scheduler at:\s+(\S+)")


@dataclass
class DaskCluster:
    """Processes of one cluster.

    Attributes:
        address: of the scheduler, on loopback.
        folder: where logs, caches and settings of its processes are.
    """

    address: str
    folder: Path
    scheduler: "subprocess.Popen[bytes]"
    workers: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def add_worker(self, preload: str = "greenroom") -> "subprocess.Popen[bytes]":
        """Start a worker with one thread; `preload` is "" for one that is not prepared."""
        prepared = ["--preload", preload] if preload else []
        more = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        self.workers.append(_dask(self.folder, "worker", *prepared, *more, self.address))
        return self.workers[-1]

    def wait(self) -> None:
        """Return when every worker is known to the scheduler."""
        wait_until(lambda: self.log().count("Registered to:") >= len(self.workers), self.log)

    def at_work(self) -> "subprocess.Popen[bytes]":
        """Return a worker that has a process of the program, once there is one."""
        busy: list[subprocess.Popen[bytes]] = []

        def began() -> bool:
            busy.extend(w for w in self.workers if w.poll() is None and psutil.Process(w.pid).children())
            return bool(busy)

        wait_until(began, lambda: "no worker began")
        return busy[0]

    def log(self) -> str:
        """Return what its processes wrote."""
        return (self.folder / "dask.log").read_text("utf-8", "replace")

    def end(self) -> None:
        """End everything."""
        for worker in (*self.workers, self.scheduler):
            worker.kill()
        for worker in (*self.workers, self.scheduler):
            worker.wait()


@contextmanager
def dask_cluster(
    folder: Path, workers: int = 2, preload: str = "greenroom", host: str = "127.0.0.1"
) -> Iterator[DaskCluster]:
    """Start a scheduler and workers."""
    folder.mkdir(parents=True, exist_ok=True)
    scheduler = _dask(folder, "scheduler", "--host", host, "--port", "0", "--no-dashboard", "--no-show")
    cluster = DaskCluster("", folder, scheduler)
    try:
        wait_until(lambda: _AT.search(cluster.log()) or scheduler.poll() is not None, cluster.log)
        said = _AT.search(cluster.log())
        assert said is not None, cluster.log()
        cluster.address = f"tcp://127.0.0.1:{said[1].rpartition(':')[2]}"
        for _ in range(workers):
            cluster.add_worker(preload)
        yield cluster
    finally:
        cluster.end()


def _dask(folder: Path, *command: str) -> "subprocess.Popen[bytes]":
    homes = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CACHE", "DATA", "CONFIG")}
    with (folder / "dask.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **homes, "DASK_TEMPORARY_DIRECTORY": str(folder)},
        )
