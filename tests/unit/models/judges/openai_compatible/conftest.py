"""What the tests of judges behind a server share."""

import pytest

from models.judges.openai_compatible import server_judge
from models.judges.openai_compatible.server_judge import ServerCapabilities


@pytest.fixture(autouse=True)
def dialects(monkeypatch: pytest.MonkeyPatch) -> dict[str, ServerCapabilities]:
    """What is learned about servers; of one test it is not known in the next."""
    fresh: dict[str, ServerCapabilities] = {}
    monkeypatch.setattr(server_judge, "CAPABILITIES", fresh)
    return fresh
