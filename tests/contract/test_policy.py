"""Every level, purpose and result of the policy has words for who meets it."""

from anonymize.egress.egress_log import LEVEL_MEANINGS, LEVEL_NAMES, OUTCOME_TEXTS, PURPOSES, EgressOutcome
from project.entities.egress_policy import EgressLevel, Purpose


def test_each_has_words() -> None:
    assert LEVEL_NAMES.keys() == LEVEL_MEANINGS.keys() == {*EgressLevel}
    assert [level for level in EgressLevel if not LEVEL_MEANINGS[level].endswith(".")] == []
    assert PURPOSES.keys() == {*Purpose}
    assert OUTCOME_TEXTS.keys() == {*EgressOutcome}
