"""The guide lists the keys of the mode Chains as the sheet of keys does."""

import re

import pytest

from app.gui.chains.chains_mode import KIND_KEYS, SHORTCUT_SHEET
from project.entities.causal_chains import NodeKind
from tests.contract.documentation import page


def listed() -> set[str]:
    """Keys in the tables of the guide."""
    rows = "\n".join(line for line in page("causal-chains").splitlines() if line.startswith("| `"))
    return set(re.findall(r"`([^`]+)`", rows))


@pytest.mark.parametrize("keys", [keys for keys, _ in SHORTCUT_SHEET])
def test_the_guide_lists_each_key(keys: str) -> None:
    assert set(keys.split(", ") if keys != "," else [","]) <= listed()


def test_every_kind_has_a_key_that_the_guide_lists() -> None:
    assert set(KIND_KEYS.values()) == {*NodeKind}
    assert set(KIND_KEYS) <= listed()
