"""Edits a study on a bad disk, and goes on after a refusal: `python -m tests.faults.victims.stubborn STUDY`.

After each edit it prints number and uid of the newest step and the number of the newest change of a row, or `refused`
and the message. What is no message to the user ends it with an error.
"""

import random
import sys
from pathlib import Path

from project.errors import UserError
from project.session.session import Session
from tests.faults.victims.editing import mark, printed_step

SITTINGS, EDITS = 2, 4


def main() -> int:
    """Edit."""
    chance = random.Random(1)
    for _ in range(SITTINGS):
        try:
            with Session.open(Path(sys.argv[1]), "Ada") as session:
                for _ in range(EDITS):
                    try:
                        mark(session, chance)
                    except UserError as error:
                        _tell(error)
                    else:
                        print(printed_step(session), flush=True)
        except UserError as error:
            _tell(error)
    return 0


def _tell(error: UserError) -> None:
    print("refused", error.message, error.hint, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
