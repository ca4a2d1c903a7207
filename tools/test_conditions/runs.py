"""Runs `make test` in a clone under a condition, counts what came of it, and makes the table of the runs."""

import json
import os
import pwd
import shlex
import shutil
import statistics
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tools.test_conditions.conditions import RunCondition, environment_of

_LOOK_S = 15.0
_BUSY_LOOP = "while True: pass"
BEGIN, END = "<!-- conditions: begin -->", "<!-- conditions: end -->"


@dataclass(frozen=True, slots=True)
class TestRun:
    """The result of a run.

    Attributes:
        condition: the name of the condition.
        description: the condition in words.
        commit: the tested commit, abbreviated.
        date: when it began, in UTC.
        wall_s: seconds from beginning to end.
        processor_s: processor seconds of all its processes.
        load: the mean load of the machine meanwhile, in programs that want a processor.
        failures: names of the tests that failed.
    """

    condition: str
    description: str
    commit: str
    date: str
    passed: int
    failed: int
    skipped: int
    wall_s: float
    processor_s: float
    load: float
    failures: tuple[str, ...]

    def described(self) -> str:
        """Return the line that is printed about the run."""
        counts = f"{self.passed:,} passed, {self.failed:,} failed, {self.skipped:,} skipped"
        times = f"{self.wall_s / 60:.1f} min, {self.processor_s / 60:.1f} min of a processor, load {self.load:.1f}"
        return "\n".join([f"{self.condition}: {counts}, {times}", *(f"  {name}" for name in self.failures)])


def clone_tree(root: Path, to: Path) -> Path:
    """Clone the last commit of a tree; the clone has an environment of its own over the packages of this one."""
    subprocess.run(["git", "clone", "--quiet", str(root), str(to)], check=True)
    if (root.parent / "shared").is_dir():
        (to.parent / "shared").symlink_to(root.parent / "shared")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(to / ".venv")], check=True)
    (packages,) = to.glob(".venv/lib/python3*/site-packages")
    places = [str(to), *(place for place in sys.path if place.endswith("site-packages"))]
    (packages / "tree.pth").write_text("".join(f"{place}\n" for place in places))
    for stamp in ("program.stamp", "tests.stamp"):
        (to / ".venv" / stamp).touch()
    return to


def run_tests(
    condition: RunCondition, tree: Path, folder: Path, user: pwd.struct_passwd | None, only: list[str], workers: str
) -> TestRun:
    """Run the tests, as the given user if there is one; their output goes to `output.txt` in the folder."""
    report = folder / "reports" / "tests.xml"
    report.parent.mkdir()
    environment = environment_of(condition, folder)
    environment["PYTEST_ADDOPTS"] = " ".join([f"--junitxml={shlex.quote(str(report))}", "--durations=30", *only])
    command = ["make", "test", f"WORKERS={workers}", f"THREADS={condition.threads or 1}"]
    if user is not None:
        _give(folder, user)
        command = [*_as_user(user, folder), *command]
        environment |= {"USER": user.pw_name, "LOGNAME": user.pw_name}
    began, date = time.monotonic(), datetime.now(UTC)
    loads = []
    with (folder / "output.txt").open("wb") as output:
        tests = subprocess.Popen(command, cwd=tree, env=environment, stdout=output, stderr=output)
        while (ended := os.waitid(os.P_PID, tests.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is None:
            time.sleep(_LOOK_S)
            loads.append(os.getloadavg()[0])
        processor_s = _processor_s(ended.si_pid)
        tests.wait()
    wall_s = time.monotonic() - began
    passed, failed, skipped, failures = _counts(report)
    return TestRun(
        condition.name,
        condition.described,
        _commit(tree),
        f"{date:%Y-%m-%d %H:%M}",
        passed,
        failed,
        skipped,
        round(wall_s, 1),
        round(processor_s, 1),
        round(statistics.fmean(loads or os.getloadavg()[:1]), 1),
        failures,
    )


def _commit(tree: Path) -> str:
    command = ["git", "-c", "safe.directory=*", "-C", str(tree), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Run programs beside the block that take a processor each."""
    loops = [subprocess.Popen([sys.executable, "-c", _BUSY_LOOP]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
        for loop in loops:
            loop.wait()


def _processor_s(ended: int) -> float:
    """Return the time on processors of a process that has ended and was not waited for, and of all its children."""
    fields = Path(f"/proc/{ended}/stat").read_text().rpartition(") ")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _counts(report: Path) -> tuple[int, int, int, tuple[str, ...]]:
    if not report.exists():
        return 0, 0, 0, ("it ended before the tests did; see output.txt",)
    passed = skipped = 0
    failures = []
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        if case.find("failure") is not None or case.find("error") is not None:
            failures.append(name)
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, len(failures), skipped, tuple(failures)


def _give(folder: Path, user: pwd.struct_passwd) -> None:
    folder.chmod(0o755)
    for place in folder.iterdir():
        if not place.is_symlink():
            subprocess.run(["chown", "--recursive", f"{user.pw_uid}:{user.pw_gid}", str(place)], check=True)


def _as_user(user: pwd.struct_passwd, folder: Path) -> list[str]:
    """Return what stands before a command of the user's."""
    command = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--"]
    python = Path(sys.base_prefix)
    if subprocess.run([*command, "test", "-x", str(Path(sys.executable).resolve())], check=False).returncode == 0:
        return command
    # An interpreter in root's home, which nobody else may enter, is shown to the tests in an empty folder over that.
    home = Path(pwd.getpwuid(0).pw_dir)
    if not python.is_relative_to(home) or shutil.which("unshare") is None:
        raise SystemExit(f"{user.pw_name} may not start {python}. Use a Python that everybody may start.")
    aside = folder / "python"
    aside.mkdir()
    steps = [
        ["mount", "--bind", str(python), str(aside)],
        ["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", str(home)],
        ["mkdir", "-p", str(python)],
        ["mount", "--bind", str(aside), str(python)],
    ]
    script = " && ".join([*map(shlex.join, steps), 'exec "$@"'])
    return ["unshare", "--mount", "sh", "-c", script, "sh", *command]


def read_runs(log: Path) -> list[TestRun]:
    """Return the last run of each condition in a log, in the order of their dates."""
    latest: dict[str, TestRun] = {}
    for line in log.read_text().splitlines():
        run = TestRun(**json.loads(line))
        latest[run.condition] = run
    return sorted(latest.values(), key=lambda run: run.date)


def make_table(runs: list[TestRun]) -> str:
    """Return the table as Markdown."""
    lines = [
        "| run | condition | passed | failed | skipped | minutes | of a processor | load |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for run in runs:
        times = f"{run.wall_s / 60:.1f} | {run.processor_s / 60:.1f} | {run.load:.1f}"
        counts = f"{run.passed:,} | {run.failed:,} | {run.skipped:,}"
        lines.append(f"| {run.condition}, {run.date}, `{run.commit}` | {run.description} | {counts} | {times} |")
    return "\n".join(lines)


def write_table(runs: list[TestRun], page: Path) -> None:
    """Put the table between its marks in a page."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{make_table(runs)}\n{END}{after}", "utf-8")
