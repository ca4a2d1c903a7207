"""Runs the cases of a target, starts its process again when it died or hangs, and gathers what was found."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

Plan = Sequence[tuple[str, int, int]]
"""Targets, each with its first case and the one after its last."""
_SETTINGS = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    # The keyring of whoever runs this is none of its business, and looking for one starts programs.
    "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
}
_REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not happen, and the case that made it."""

    target: str
    case: int
    kind: str
    what: str
    trace: str = ""


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
    refused: int = 0
    ended: int = 0
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)

    @property
    def counts(self) -> Counts:
        """What the table says of it."""
        return Counts(self.cases, self.refused, self.ended, len(self.findings))

    @property
    def kinds(self) -> dict[str, list[Finding]]:
        """The findings by what they have in common."""
        found: dict[str, list[Finding]] = {}
        for finding in self.findings:
            found.setdefault(f"{finding.kind}: {finding.what}", []).append(finding)
        return found


def run(plan: Plan, *, seed: int = 0, seeds: Path | None = None) -> dict[str, Outcome]:
    """Run cases of targets; returns what came of each.

    Args:
        plan: what to run.
        seed: of all cases.
        seeds: keeps what the cases begin with, for other runs; a folder of its own where None.
    """
    base = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else None
    lab = Path(tempfile.mkdtemp(prefix="greenroom-fuzz-", dir=base))
    outcomes = {name: Outcome(name, last - first) for name, first, last in plan}
    try:
        while plan:
            plan = _run_until_it_ends(plan, seed, lab, seeds or lab / "seeds", outcomes)
    finally:
        shutil.rmtree(lab, ignore_errors=True)
    return outcomes


def _run_until_it_ends(plan: Plan, seed: int, lab: Path, seeds: Path, outcomes: dict[str, Outcome]) -> Plan:
    """Listen to a process that runs cases until it ends; returns what is left of the plan then."""
    place, case, ended_well, stopped = -1, -1, False, False
    errors = lab / "errors.txt"
    with (
        errors.open("wb") as written,
        subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.child", json.dumps(plan), str(seed), str(lab), str(seeds)],
            cwd=_REPOSITORY,
            stdout=subprocess.PIPE,
            stderr=written,
            env={**os.environ, **_SETTINGS},
            start_new_session=True,
        ) as child,
    ):
        assert child.stdout is not None
        begun = time.monotonic()
        for line in child.stdout:
            said = json.loads(line)
            if "target" in said:
                place, case = place + 1, -1
            elif "begin" in said:
                case = int(said["begin"])
            elif "refused" in said:
                outcomes[plan[place][0]].refused += 1
            elif "ended" in said:
                outcomes[plan[place][0]].ended += 1
            elif "finding" in said:
                found = Finding(plan[place][0], case, said["kind"], said["what"], said.get("trace", ""))
                outcomes[found.target].findings.append(found)
                stopped = found.kind == "memory"
            elif "end" in said:
                ended_well = True
            outcomes[plan[place][0]].seconds += time.monotonic() - begun
            begun = time.monotonic()
            if stopped:
                child.kill()
                break
        child.wait()
        with suppress(ProcessLookupError):
            # What it started goes too.
            os.killpg(child.pid, signal.SIGKILL)
    if ended_well:
        return []
    name, _, last = plan[place]
    if not stopped:
        # After the stack, Python lists every module that is written in C.
        trace = errors.read_text(errors="replace").partition("\nExtension modules:")[0][-3000:]
        if case < 0:
            raise RuntimeError(f"{name} could not be prepared ({child.returncode}): {trace}")
        outcomes[name].findings.append(Finding(name, case, *kind_of_end(child.returncode), trace))
    return [*[(name, case + 1, last)] * (case + 1 < last), *plan[place + 1 :]]


def kind_of_end(code: int) -> tuple[str, str]:
    """Return which kind of finding it is that a process ended with a code, and what to say of it."""
    hangs = {-signal.SIGPROF: "too long with a processor", -signal.SIGALRM: "no answer for too long"}
    return ("hang", hangs[code]) if code in hangs else ("crash", f"ended with {code}")
