"""Lets the program live, kills it at a moment drawn from its whole life, and remembers how that went."""

import json
import os
import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random, SystemRandom

import pytest

from tests.builders.waiting import HANG_S
from tests.faults.program import Program

SEED = os.environ.get("GREENROOM_FAULT_SEED") or str(SystemRandom().randrange(10**9))
"""Draws the moments; set it to the one that a failure named to draw the same again."""

EVERYDAY, RUNS_A_KIND, COLD_EVERY = 1, 200, 20
RUNS = [
    pytest.param(n, id=str(n), marks=() if n < EVERYDAY else pytest.mark.soak) for n in range(EVERYDAY + RUNS_A_KIND)
]
_START_S = 1.0
_BEYOND = 1.05
"""Lives vary: some moments lie a little after the usual end, so that the last thing done is hit too."""


@dataclass(frozen=True, slots=True)
class Death:
    """How one life ended.

    Attributes:
        kind: of work.
        seed: what the moment was drawn with.
        at_s: seconds from the start to the kill.
        life_s: seconds that a whole life takes.
        cold: whether Python itself was started anew, not forked from a process that had loaded the program.
        killed: False where the work ended by itself before.
        lines: that were printed.
    """

    kind: str
    seed: str
    at_s: float
    life_s: float
    cold: bool
    killed: bool
    lines: tuple[str, ...]

    @contextmanager
    def logged(self) -> Iterator[None]:
        """Write down what came of the checks inside the block, where `GREENROOM_FAULT_LOG` names a file."""
        fault = ""
        try:
            yield
        except BaseException as error:
            fault = repr(error)
            raise
        finally:
            line = {
                "kind": self.kind,
                "seed": self.seed,
                "at_s": round(self.at_s, 4),
                "life_s": round(self.life_s, 4),
                "cold": self.cold,
                "killed": self.killed,
                "fault": fault,
            }
            if log := os.environ.get("GREENROOM_FAULT_LOG"):
                with Path(log).open("a") as file:
                    file.write(json.dumps(line) + "\n")


class Lives:
    """The lives of one kind of work; how long they are is learnt from those that were not cut short.

    One is let be before the first is cut short. Those that end before their moment comes are measured too.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._seconds: dict[bool, list[float]] = {False: [], True: []}

    def whole(self, folder: Path, module: object, *arguments: object) -> None:
        """Let one live to its end, well; what it prints goes to a file in the folder."""
        program = Program(str(module), arguments, folder / "printed")
        self._end_well(program, program.ended_within(HANG_S), cold=False)

    def cut_short(self, number: int, folder: Path, module: object, *arguments: object) -> Death:
        """Kill one at a moment that is drawn; what it prints goes to a file in the folder."""
        cold = number % COLD_EVERY == COLD_EVERY - 1
        warm_s = statistics.median(self._seconds[False])
        life_s = statistics.median(self._seconds[True] or [warm_s + _START_S]) if cold else warm_s
        seed = f"{SEED}-{self.kind}-{number}"
        at_s = Random(seed).uniform(0, _BEYOND * life_s)
        program = Program(str(module), arguments, folder / "printed", cold=cold)
        ended = program.ended_within(at_s)
        if ended:
            self._end_well(program, ended, cold=cold)
        program.kill()
        death = Death(self.kind, seed, at_s, life_s, cold, not ended, tuple(program.lines))
        print(f"GREENROOM_FAULT_SEED={SEED} draws this again: {death}")
        return death

    def _end_well(self, program: Program, ended: bool, *, cold: bool) -> None:
        self._seconds[cold].append(program.age_s)
        said: Sequence[str] = program.lines
        program.kill()
        assert ended, said
        assert program.exit_code == 0, said
