"""What the tests of judges behind a server share."""

import pytest

from models.judges.openai_compatible import completions
from models.judges.openai_compatible.completions import ServerCapabilities


@pytest.fixture(autouse=True)
def dialects(monkeypatch: pytest.MonkeyPatch) -> dict[str, ServerCapabilities]:
    """What is learned about servers; of one test it is not known in the next."""
    fresh: dict[str, ServerCapabilities] = {}
    monkeypatch.setattr(completions, "CAPABILITIES", fresh)
    return fresh
