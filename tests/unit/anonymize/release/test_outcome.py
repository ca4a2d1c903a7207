"""What a rendering shows decides, and no waiver helps where a rule cannot be waived."""

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.privacy.privacy_limits import PrivacyLimits
from anonymize.release import release_job as job
from anonymize.release.data_card import ReleaseFacts, write_cards
from anonymize.release.release_plan import ReleasePlan
from anonymize.release.release_rendering import RenderingCheck, outcome_blockers
from anonymize.release.release_rules import RULES, ReleaseBlocker, is_waived, remaining_blockers
from project.codec import dump, load
from project.files.publication import ReleasedFile
from project.progress import Silent
from tests.contract.documentation import page

GOOD = RenderingCheck(1, "solid", frames=10, checked_by="rfb320", witness="rfb320", measured=True)
BROKEN: dict[str, RenderingCheck] = {
    "rendered": replace(GOOD, failure="The disk is full."),
    "face-left": replace(GOOD, faces_left_us=(100_000, 200_000, 2_000_000)),
    "face-under-mask": replace(GOOD, bare_us=(0,)),
    "not-recognized": replace(GOOD, over=("5 % are re-identified.",), recognized=("5 % are re-identified.",)),
    "doubtful-hits": replace(GOOD, doubtful_us=(300_000,), hits=((300_000, 183, 141, 53, 44),)),
    "independent-check": replace(GOOD, witness=""),
    "privacy-measured": replace(GOOD, measured=False),
    "privacy-limit": replace(GOOD, over=("3 % are re-identified; 2 % allowed.",)),
}
NEVER = [key for key, rule in RULES.items() if not rule.waivable]
numbers = st.one_of(st.none(), st.integers(1, 3))
anything = st.lists(st.tuples(st.sampled_from([*RULES, "no such rule"]), numbers), max_size=30)


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_says_what_is_wrong_and_where_and_is_waived_only_where_it_can_be(rule: str) -> None:
    assert outcome_blockers([GOOD]) == []
    blockers = outcome_blockers([BROKEN[rule]])
    assert {blocker.rule for blocker in blockers} == {rule}
    assert all(blocker.recording == 1 and blocker.sentence and blocker.hint for blocker in blockers)
    assert [load(ReleaseBlocker, dump(blocker), "it") for blocker in blockers] == blockers
    assert load(RenderingCheck, json.loads(json.dumps(dump(BROKEN[rule]))), "it") == BROKEN[rule]
    for waiver in ((rule, None), (rule, 1)):
        assert bool(remaining_blockers(blockers, [waiver])) is not RULES[rule].waivable
    assert remaining_blockers(blockers, [(rule, 2)]) == blockers
    assert is_waived(blockers[0], [(rule, 2), (rule, None)]) is RULES[rule].waivable


def test_frames_side_by_side_are_one_reason_with_a_way_to_the_first() -> None:
    blockers = outcome_blockers([BROKEN["face-left"]])
    assert [blocker.time_us for blocker in blockers] == [100_000, 2_000_000]
    link = blockers[0].describe_as_json("lab.greenroom")["link"]
    assert link == "greenroom open lab.greenroom --recording 1 --at 0.100"


def test_the_page_about_releases_tells_of_each_rule_whether_it_can_be_waived() -> None:
    listed = dict(re.findall(r"^\| `([a-z-]+)` \| .* \| (yes|no) \|$", page("release"), re.MULTILINE))
    assert listed == {key: "yes" if rule.waivable else "no" for key, rule in RULES.items()}


@given(st.sets(st.sampled_from(NEVER), min_size=1), st.booleans(), anything)
def test_no_combination_of_broken_rules_that_cannot_be_waived_is_released(
    tmp_path_factory: pytest.TempPathFactory, rules: set[str], late: bool, waived
) -> None:
    folder = tmp_path_factory.mktemp("out")
    texts = folder / "texts"
    texts.mkdir()
    private = json.dumps({"key": ""}).encode()
    (texts / job.PRIVATE_FILE_NAME).write_bytes(private)
    shown = sorted(set(BROKEN) & rules)
    early = [ReleaseBlocker(rule, "Broken.", "Mend it.", 1) for rule in rules if not (late and rule in shown)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job, "_read_secrets", lambda *_: SimpleNamespace(key="of the release"))
        patch.setattr(job, "_render_all", lambda *_: ([], [BROKEN[rule] for rule in shown if late]))
        result = job.compute(
            job.ReleaseParameters(
                folder=folder / "release",
                study=folder / "lab.greenroom",
                seen=(),
                texts=texts,
                prepared={job.PRIVATE_FILE_NAME: ReleasedFile((), hashlib.sha256(private).hexdigest())},
                plan=ReleasePlan(),
                reasons=tuple(early),
                waived=tuple(waived),
                recordings=(),
                limits=PrivacyLimits(),
                facts=None,
            ),
            Silent(),
        )
    assert result.released is False
    assert result.reasons
    assert list(Path(folder).iterdir()) == []


def test_recordings_that_were_left_out_are_named_with_the_reason(tmp_path: Path) -> None:
    reasons = {4: "It is held out.", 2: "1 participant did not consent to release."}
    write_cards(tmp_path, ReleasePlan(video=("source",)), [], {}, ReleaseFacts(reasons, [1], {}, []))
    card = (tmp_path / "DATACARD.md").read_text("utf-8")
    assert "not in it: 2 (1 participant did not consent to release), 4 (it is held out)\n" in card
