"""The page about releases names every rule, and says which can be waived."""

import re

from anonymize.release.release_gate import RECORDING_RULES
from anonymize.release.release_rules import RENDERING_RULES, RULES
from tests.contract.documentation import page


def test_every_rule_is_in_the_table_with_whether_it_can_be_waived() -> None:
    listed = dict(re.findall(r"^\| `([a-z-]+)` \| .* \| (yes|no) \|$", page("release"), re.MULTILINE))
    assert listed == {key: "yes" if rule.waivable else "no" for key, rule in RULES.items()}


def test_every_rule_has_a_function_and_every_function_a_rule() -> None:
    said = [
        re.findall(r"Rule `([a-z-]+)`", function.__doc__ or "") for function in (*RECORDING_RULES, *RENDERING_RULES)
    ]
    assert all(len(names) == 1 for names in said)
    named = {names[0] for names in said} | {"something", "history", "texts-reviewed", "rendered"}
    assert named == set(RULES)
