"""The page for ethics boards names a test for each claim, and each test that it names is there."""

import re

import pytest

from tests.contract.documentation import ROOT, page

ROW = re.compile(r"^\| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)
NAMED = re.compile(r"`(tests/[\w/]+\.py)`(?:: ((?:`test_\w+`(?:, )?)+))?")
CLAIMS = [
    (claim, tests)
    for section in page("privacy-by-construction").partition("## What is guaranteed")[2].split("\n### ")[1:]
    for claim, _, tests in ROW.findall(section.partition("\n## ")[0])
    if claim not in ("Claim", "---") and not set(claim) <= set("-| ")
]


def test_there_are_claims() -> None:
    assert len(CLAIMS) > 20


@pytest.mark.parametrize(("claim", "tests"), CLAIMS, ids=[claim[:60] for claim, _ in CLAIMS])
def test_every_test_that_a_claim_names_is_there(claim: str, tests: str) -> None:
    found = NAMED.findall(tests)
    assert found, claim
    for file, functions in found:
        text = (ROOT / file).read_text("utf-8")
        for name in re.findall(r"`(test_\w+)`", functions):
            assert f"def {name}(" in text, f"{file}: {name}"
    assert set(re.findall(r"`(test_\w+)`", tests)) == {
        name for _, functions in found for name in re.findall(r"`(test_\w+)`", functions)
    }
