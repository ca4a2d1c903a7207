"""The program with cheap keys: `python -m tests.faults.victims.encrypting study encrypt STUDY ...`.

With those of users, most of its life would be a calculation, during which no file changes.
"""

import greenroom
from tests.builders.cheap_key import make_keys_cheap


def main() -> int:
    """Run the command that the arguments name."""
    make_keys_cheap()
    return greenroom.main()


if __name__ == "__main__":
    raise SystemExit(main())
