"""The process in which cases run: it says which one begins, what was found, and is started again when it dies."""

import faulthandler
import gc
import json
import mmap
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import TextIO

from project.errors import Cancelled, UserError
from project.store import backups as backing_up
from tests.fuzz.base import Target
from tests.fuzz.registry import target_called
from tests.fuzz.running import kind_of_end
from tests.fuzz.watch import Watch

MOST_BYTES = 1 << 30
LONGEST_S, HANGING_S = 10, 300
"""Of a processor, and by the clock: whoever needs longer is ended by a signal and says where it was."""
_WHOLE_PROCESS = 8 << 30
_OF_A_PROCESS = 100
"""How many cases of a target that runs apart share a process, as long as none ends it."""
_BACKED_UP = 8
"""In one of so many cases, a backup of the study is due."""
_ROOTS = ("app", "annotate", "models", "media", "project", "benchmark", "anonymize", "widgets")
_REPOSITORY = Path(__file__).resolve().parents[2]


def main(plan: list[tuple[str, int, int]], seed: int, lab: Path, seeds: Path) -> None:
    """Run cases `first` to `last - 1` of each target; each line on standard output is a JSON object."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    faulthandler.enable()
    for number in (signal.SIGPROF, signal.SIGALRM):
        faulthandler.register(number, chain=True)
    resource.setrlimit(resource.RLIMIT_AS, (_WHOLE_PROCESS, _WHOLE_PROCESS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    shutil.rmtree(lab / "outside", ignore_errors=True)
    (lab / "outside").mkdir(parents=True)
    (lab / "outside" / "secret.mp4").write_bytes(b"a secret that belongs to somebody else")
    watch = Watch((lab / "case", lab / "home", lab / "tmp"), lab / "outside")
    for name, first, last in plan:
        print(json.dumps({"target": name}), file=out)
        signal.alarm(HANGING_S)
        _settle(lab)
        target = target_called(name)
        (seeds / name).mkdir(parents=True, exist_ok=True)
        target.prepare(seeds / name)
        signal.alarm(0)
        gc.collect()
        gc.freeze()
        # A module that only a case imports is no file that the case wrote.
        sys.dont_write_bytecode = True
        (_apart if target.apart else _together)(
            partial(_case, target, f"{name} {seed}", lab / "case", watch, out), range(first, last), out
        )
    print(json.dumps({"end": True}), file=out)


def _settle(lab: Path) -> None:
    """Give the target folders of its own, where a user would have theirs."""
    for name in ("home", "tmp", "case"):
        shutil.rmtree(lab / name, ignore_errors=True)
        (lab / name).mkdir(parents=True)
    for kind in ("CONFIG", "CACHE", "DATA", "STATE"):
        os.environ[f"XDG_{kind}_HOME"] = str(lab / "home" / kind.lower())
    os.environ["HOME"] = str(lab / "home")
    tempfile.tempdir = str(lab / "tmp")
    os.chdir(lab / "tmp")


def _together(case: Callable[[int], None], numbers: range, out: TextIO) -> None:
    for number in numbers:
        case(number)


def _apart(case: Callable[[int], None], numbers: range, out: TextIO) -> None:
    """Run cases in a process that one of them may end; the next process goes on after that one."""
    at = mmap.mmap(-1, 8)
    while numbers:
        process = os.fork()
        if not process:
            try:
                for number in numbers[:_OF_A_PROCESS]:
                    at[:] = number.to_bytes(8)
                    case(number)
            finally:
                # None of what the process that forked would do at its end.
                os._exit(0)
        _, status = os.waitpid(process, 0)
        last, code = int.from_bytes(at[:]), os.waitstatus_to_exitcode(status)
        if code in (-signal.SIGPROF, -signal.SIGALRM):
            kind, what = kind_of_end(code)
            print(json.dumps({"finding": last, "kind": kind, "what": what}), file=out)
        elif code < 0:
            print(json.dumps({"ended": -code, "case": last}), file=out)
        numbers = range(last + 1, numbers.stop)


def _case(target: Target, drawn: str, home: Path, watch: Watch, out: TextIO, number: int) -> None:
    print(json.dumps({"begin": number}), file=out)
    folder = home / "study"
    # A case that ended its process left its own.
    shutil.rmtree(home, ignore_errors=True)
    folder.mkdir(parents=True)
    # How old a study is must not decide: a case is the same whenever it is run.
    backing_up.MIN_INTERVAL = timedelta.max if number % _BACKED_UP else timedelta()
    _watched(target, Random(f"{drawn} {number}"), folder, watch, number, out)
    # What a thread of the case still writes is written elsewhere soon.
    shutil.rmtree(home, ignore_errors=True)


def _watched(target: Target, chance: Random, folder: Path, watch: Watch, number: int, out: TextIO) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    finding: dict[str, str] | None = None
    try:
        target.spoil(chance, folder)
    except Exception as error:
        trace = traceback.format_exc()[-4000:]
        print(json.dumps({"finding": number, "kind": "harness", "what": repr(error)[:150], "trace": trace}), file=out)
        return
    signal.alarm(HANGING_S)
    signal.setitimer(signal.ITIMER_PROF, LONGEST_S)
    try:
        with watch.case():
            target.use(chance, folder)
    except (UserError, Cancelled):
        print(json.dumps({"refused": number}), file=out)
    except MemoryError as error:
        finding = {"kind": "memory", "what": _where(error), "trace": traceback.format_exc()}
    except RecursionError as error:
        finding = {"kind": "recursion", "what": _where(error), "trace": traceback.format_exc()[-4000:]}
    except BaseException as error:
        finding = {"kind": "traceback", "what": _where(error), "trace": traceback.format_exc()[-6000:]}
    signal.setitimer(signal.ITIMER_PROF, 0)
    if finding is not None:
        print(json.dumps({"finding": number, **finding}), file=out)
    for seen in dict.fromkeys(watch.seen):
        print(json.dumps({"finding": number, "kind": "touched", "what": seen}), file=out)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    if grown > MOST_BYTES:
        print(json.dumps({"finding": number, "kind": "memory", "what": f"{grown >> 20} MiB more"}), file=out)


def _where(error: BaseException) -> str:
    """Return what was raised and the last place of the program that it came through."""
    place = "?"
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(_REPOSITORY) and file.relative_to(_REPOSITORY).parts[0] in _ROOTS:
            place = f"{file.relative_to(_REPOSITORY)}:{line}"
    text = str(error) if place == "?" else ""
    return f"{type(error).__name__} at {place}{f': {text[:150]}' if text else ''}"


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]))
