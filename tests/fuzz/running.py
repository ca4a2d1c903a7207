"""Runs the cases of a target, starts its process again when it died or hangs, and gathers what was found."""

import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.builders.waiting import HANG_S

LONGEST_S = 10.0
"""Of a processor, whatever else the machine does meanwhile."""
_TO_PREPARE_S = 240.0
_WORDS = re.compile("“[^”]*”|[0-9]+")
_SESSION, _TIMES = 3, slice(11, 15)
"""Where `/proc/PID/stat` has them, after the name of the process."""
_REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not happen, and the case that made it."""

    target: str
    case: int
    kind: str
    what: str
    trace: str = ""

    @property
    def signature(self) -> str:
        """What findings of one cause have in common."""
        return f"{self.kind}: {self.what}"


class Counts(NamedTuple):
    """What came of the cases of a target, in numbers."""

    cases: int
    refused: int
    ended: int
    findings: int


@dataclass(slots=True)
class Outcome:
    """What came of a run."""

    target: str
    cases: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    ended: int = 0
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)

    @property
    def refused(self) -> int:
        """How many cases ended in one clear line."""
        return self.reasons.total()

    @property
    def counts(self) -> Counts:
        """What the table says of it."""
        return Counts(self.cases, self.refused, self.ended, len(self.findings))

    @property
    def kinds(self) -> dict[str, list[Finding]]:
        """The findings by what they have in common."""
        found: dict[str, list[Finding]] = {}
        for finding in self.findings:
            found.setdefault(finding.signature, []).append(finding)
        return found


def run(
    plan: Sequence[tuple[str, int, int]],
    *,
    seed: int = 0,
    seeds: Path | None = None,
    told: Callable[[Finding], None] | None = None,
) -> dict[str, Outcome]:
    """Run cases of targets; returns what came of each.

    Args:
        plan: target, its first case, and the one after its last.
        seed: of all cases.
        seeds: keeps what the cases begin with, for other runs; a folder of its own where None.
        told: is given each finding.
    """
    base = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else None
    lab = Path(tempfile.mkdtemp(prefix="greenroom-fuzz-", dir=base))
    outcomes = {name: Outcome(name, last - first) for name, first, last in plan}
    left = [*plan]
    try:
        while left:
            child = _Child(left, seed, lab, seeds or lab / "seeds")
            try:
                left = _follow(child, outcomes, left, told or (lambda _: None))
            finally:
                child.end()
    finally:
        shutil.rmtree(lab, ignore_errors=True)
    return outcomes


class _Child:
    def __init__(self, plan: Sequence[tuple[str, int, int]], seed: int, lab: Path, seeds: Path) -> None:
        self._errors = (lab / "errors.txt").open("wb+")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.child", json.dumps(plan), str(seed), str(lab), str(seeds)],
            cwd=_REPOSITORY,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )
        self._held = b""

    def line(self, limit_s: float) -> dict[str, Any] | None:
        """Return what it says next; None when it is gone.

        Raises:
            TimeoutError: it says nothing, although it had the processor for so long, or for so long that it hangs.
        """
        begun = self._used_s([Path(f"/proc/{self._process.pid}/stat")])
        until, last = time.monotonic() + limit_s, time.monotonic() + max(6 * limit_s, HANG_S)
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._held:
                if selector.select(max(0.0, until - time.monotonic())):
                    more = os.read(self._process.stdout.fileno(), 1 << 16)
                    if not more:
                        return None
                    self._held += more
                    continue
                left_s = limit_s - (self._used_s(Path("/proc").glob("[0-9]*/stat")) - begun)
                if left_s <= 0 or time.monotonic() >= last:
                    raise TimeoutError
                until = min(last, time.monotonic() + left_s)
        line, _, self._held = self._held.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def end(self, *, telling: bool = False) -> tuple[int, str]:
        """Kill it and return how it ended and the last of what it printed; `telling` has it print where it is first."""
        if self._errors.closed:
            return 0, ""
        with suppress(subprocess.TimeoutExpired):
            # One that ended by itself is to say how.
            self._process.wait(0.5 if not telling else 0)
        if telling:
            self._send(signal.SIGABRT)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(2)
        self._send(signal.SIGKILL)
        code = self._process.wait()
        self._process.stdout.close()
        self._errors.seek(0)
        # After the stack, Python lists every module that is written in C.
        said = self._errors.read().decode(errors="replace").partition("\nExtension modules:")[0]
        self._errors.close()
        return code, said[-3000:]

    def _used_s(self, processes: Iterable[Path]) -> float:
        """Return how long those of the processes that are of its session had a processor, with what they waited for."""
        ticks = 0
        for process in processes:
            with suppress(OSError):
                facts = process.read_text().rpartition(")")[2].split()
                if int(facts[_SESSION]) == self._process.pid:
                    ticks += sum(map(int, facts[_TIMES]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def _send(self, number: int) -> None:
        """Tell it, and what it started, too."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)


def _follow(
    child: _Child, outcomes: dict[str, Outcome], plan: list[tuple[str, int, int]], told: Callable[[Finding], None]
) -> list[tuple[str, int, int]]:
    """Listen to a child until it ends or has to be ended; returns what is left of the plan then."""
    place, case, begun = -1, -1, time.monotonic()

    def note(kind: str, what: str, trace: str) -> None:
        finding = Finding(plan[place][0], case, kind, what, trace)
        outcomes[finding.target].findings.append(finding)
        told(finding)

    def rest() -> list[tuple[str, int, int]]:
        outcomes[plan[place][0]].seconds += time.monotonic() - begun
        child.end()
        name, _, last = plan[place]
        return [(name, case + 1, last)] * (case + 1 < last) + plan[place + 1 :]

    while True:
        try:
            said = child.line(_TO_PREPARE_S if case < 0 else LONGEST_S)
        except TimeoutError:
            said = {"silent": True}
        if said is None or "silent" in said:
            ended, printed = child.end(telling=said is not None)
            if case < 0:
                raise RuntimeError(f"{plan[place][0]} could not be prepared ({ended}): {printed}")
            kind, what = ("crash", f"ended with {ended}") if said is None else ("hang", f"more than {LONGEST_S:g} s")
            note(kind, what, printed)
            return rest()
        if "target" in said:
            if place >= 0:
                outcomes[plan[place][0]].seconds += time.monotonic() - begun
            place, case, begun = place + 1, -1, time.monotonic()
        elif "begin" in said:
            case = int(said["begin"])
        elif "refused" in said:
            outcomes[plan[place][0]].reasons[_WORDS.sub("…", said["why"])[:100]] += 1
        elif "ended" in said:
            outcomes[plan[place][0]].ended += 1
        elif "finding" in said:
            note(said["kind"], said["what"], said.get("trace", ""))
            if said["kind"] == "memory":
                return rest()
        elif "end" in said:
            case = plan[place][2]
            rest()
            return []
