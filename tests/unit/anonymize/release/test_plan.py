"""What is read of a study that another program wrote into: choices, limits, the key."""

import string
from typing import Any

import pytest

from anonymize.privacy.privacy_limits import LIMITS_PROPERTY as LIMITS
from anonymize.privacy.privacy_limits import PrivacyLimits, read_privacy_limits
from anonymize.release import release_plan as codes
from anonymize.release import release_plan as plan
from anonymize.release.release_plan import ReleasePlan, read_plan
from project.session.session import Session


def keep(session: Session, key: str, value: Any) -> None:
    with session.step("Written by another program"):
        session.study.set_property(key, value)


@pytest.mark.parametrize(
    "value",
    [
        [1],
        {"methods": 5},
        {"methods": [5]},
        {"methods": "solid"},
        {"only": [1]},
        {"only": {"x": ["solid"]}},
        {"only": {"1": 5}},
        {"sound": []},
        {"keep_robots": "no"},
        {"title": 7},
        {"video": {"a": 1}},
        {"formats": [None]},
    ],
)
def test_choices_of_an_odd_kind_are_the_usual_ones(value: Any, session: Session) -> None:
    keep(session, plan.PLAN_PROPERTY, value)
    assert read_plan(session) == ReleasePlan()


def test_choices_are_read_as_they_were_kept(session: Session) -> None:
    chosen = ReleasePlan(methods=("solid", "blur"), only={3: ("solid",)}, keep_robots=True, title="Visits")
    keep(session, plan.PLAN_PROPERTY, chosen.as_json())
    assert read_plan(session) == chosen


@pytest.mark.parametrize(
    "value", [[], {"reidentified": "x"}, {"reidentified": 9}, {"leak_frames": 1e300, "reidentified": 3}]
)
def test_limits_that_make_no_sense_are_the_usual_ones(value: Any, session: Session) -> None:
    keep(session, LIMITS, value)
    assert read_privacy_limits(session.study) == PrivacyLimits()


@pytest.mark.parametrize("value", ["zz", "", 5, {"a": 1}])
def test_a_key_that_is_none_is_made_anew(value: Any, session: Session) -> None:
    keep(session, codes.KEY_PROPERTY, value)
    key = codes.get_release_key(session)
    assert len(key) == 64
    assert set(key) <= set(string.hexdigits)
    assert codes.get_release_key(session) == key
