"""What the tests of judges behind a server share."""

import pytest

from models.judges.openai_compatible import completions
from models.judges.openai_compatible.server_capabilities import CapabilityCache


@pytest.fixture(autouse=True)
def dialects(monkeypatch: pytest.MonkeyPatch) -> CapabilityCache:
    """What is learned about servers; of one test it is not known in the next."""
    fresh = CapabilityCache()
    monkeypatch.setattr(completions, "CAPABILITIES", fresh)
    return fresh
