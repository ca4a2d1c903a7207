"""Keys that are derived at once, which is no protection."""

import pytest

from project.encryption import encryption_key

CHEAP_COSTS = {"iterations": 1, "lanes": 1, "memory_kib": 8}


def make_keys_cheap(patch: pytest.MonkeyPatch | None = None) -> None:
    """Let a test derive keys at once; a process that it starts calls this without a patch."""
    if patch is None:
        encryption_key._KDF_COSTS = CHEAP_COSTS
    else:
        patch.setattr(encryption_key, "_KDF_COSTS", CHEAP_COSTS)
