"""The program with keys that are cheap to work out: `python -m tests.faults.victims.sealing seal STUDY ...`.

With those of users, most of its life would be a calculation, during which no file changes.
"""

import greenroom
from project.encryption import container as keys
from tests.builders.cheap_key import cheap


def main() -> int:
    """Run the command that the arguments name."""
    keys._new_kdf_parameters = cheap
    return greenroom.main()


if __name__ == "__main__":
    raise SystemExit(main())
