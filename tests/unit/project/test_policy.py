"""The rules by which one request is let through or not, over every policy and every request that there can be."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.entities.egress_policy import (
    RULES,
    EgressLevel,
    EgressRequest,
    Forbidden,
    Policy,
    Purpose,
    RequestEvidence,
    decide,
    parse_policy,
)
from project.entities.judgments import RAW_CONDITION

_WORDS = st.text("ab ", max_size=6)
_HOST = st.sampled_from(["api.example.org", "other.example.org", "192.0.2.7"])
_SUMS = st.lists(st.just("a" * 64), max_size=2).map(tuple)
POLICIES = st.builds(
    Policy,
    st.sampled_from(EgressLevel),
    _WORDS,
    _WORDS,
    st.lists(_HOST, max_size=2).map(tuple),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
REQUESTS = st.builds(
    EgressRequest,
    st.sampled_from(Purpose),
    _HOST,
    st.just(443),
    st.just(("192.0.2.7",)),
    st.booleans(),
    texts=st.integers(0, 2),
    frames=_SUMS,
    clips=_SUMS,
    condition=st.sampled_from(["", RAW_CONDITION, "a-run"]),
    recording_id=st.sampled_from(["", "r1"]),
    redirected_from=st.sampled_from(["", "api.example.org"]),
    proxy=st.sampled_from(["", "proxy.example.org"]),
    scheme=st.sampled_from(["", "http", "tcp", "HTTP", "https", "tls"]),
    unapproved=st.integers(0, 1),
)
EVIDENCE = st.builds(
    RequestEvidence,
    st.sampled_from(["", "nobody looked"]),
    st.sampled_from(["", "P1 did not agree"]),
)


def rule(policy: Policy, request: EgressRequest, evidence: RequestEvidence) -> str:
    """Return the rule that forbids a request; "" where none does."""
    permission, refusal = "", None
    try:
        permission = decide(policy, request, evidence)
    except Forbidden as forbidden:
        refusal = forbidden
    assert bool(permission) != bool(refusal), "a permission is never empty: it is what the journal says"
    if refusal is None:
        return ""
    assert refusal.rule in RULES
    assert f"(rule {refusal.rule})" in refusal.hint
    return refusal.rule


HOST, OTHER = "api.example.org", "other.example.org"
ANONYMIZED = Policy(EgressLevel.ANONYMIZED, hosts=(HOST,))
RAW = Policy(EgressLevel.RAW, "a reason", "somebody", hosts=(HOST,))
SENT = EgressRequest(
    Purpose.JUDGE, HOST, 443, (), False, texts=1, condition="a-run", recording_id="r1", scheme="https"
)  # fmt: skip
ELSEWHERE = {"barred": "It goes elsewhere."}
SEEN = RequestEvidence("", "")
UNSEEN = RequestEvidence("nobody looked", "")
UNASKED = RequestEvidence("", "P1 did not agree")


@pytest.mark.parametrize(
    ("forbidden_by", "policy", "request_", "evidence"),
    [
        ("", ANONYMIZED, SENT, SEEN),
        ("nothing-leaves", Policy(), SENT, SEEN),
        ("nothing-leaves", Policy(), replace(SENT, purpose=Purpose.TEST, texts=0), SEEN),
        ("nothing-leaves", Policy(), replace(SENT, purpose=Purpose.CLUSTER), SEEN),
        ("raw", ANONYMIZED, replace(SENT, condition=""), SEEN),
        ("raw", ANONYMIZED, replace(SENT, texts=0, frames=("a" * 64,), condition=RAW_CONDITION), SEEN),
        ("", RAW, replace(SENT, condition=RAW_CONDITION), SEEN),
        ("reviewed", ANONYMIZED, SENT, UNSEEN),
        ("reviewed", ANONYMIZED, SENT, RequestEvidence()),
        ("", RAW, SENT, UNSEEN),
        ("consent", ANONYMIZED, SENT, UNASKED),
        ("consent", RAW, SENT, UNASKED),
        ("consent", RAW, SENT, RequestEvidence()),
        ("", ANONYMIZED, replace(SENT, texts=0), RequestEvidence()),
        ("cleared", RAW, replace(SENT, unapproved=1), SEEN),
        ("cleared", RAW, replace(SENT, local=True, unapproved=1), SEEN),
        ("hosts", replace(RAW, hosts=(OTHER,)), SENT, SEEN),
        ("", replace(RAW, hosts=()), SENT, SEEN),
        ("cluster", replace(RAW, hosts=(OTHER,)), replace(SENT, purpose=Purpose.CLUSTER), SEEN),
        ("cluster", ANONYMIZED, replace(SENT, purpose=Purpose.CLUSTER), SEEN),
        ("", RAW, replace(SENT, purpose=Purpose.CLUSTER), SEEN),
        ("downloads", RAW, replace(SENT, purpose=Purpose.DOWNLOAD, texts=0), SEEN),
        ("", Policy(downloads=True), replace(SENT, purpose=Purpose.DOWNLOAD, texts=0), SEEN),
        ("redirects", RAW, replace(SENT, redirected_from=OTHER), SEEN),
        ("", replace(RAW, redirects=True), replace(SENT, redirected_from=OTHER), SEEN),
        ("proxies", RAW, replace(SENT, proxy=OTHER), SEEN),
        ("", replace(RAW, proxies=True), replace(SENT, proxy=OTHER), SEEN),
        ("proxies", replace(RAW, proxies=True), replace(SENT, barred_by="proxies", **ELSEWHERE), SEEN),
        ("proxies", RAW, replace(SENT, local=True, barred_by="proxies", **ELSEWHERE), SEEN),
    ],
)
def test_one_thing_that_is_not_as_it_must_be_forbids_a_request(
    forbidden_by: str, policy: Policy, request_: EgressRequest, evidence: RequestEvidence
) -> None:
    assert rule(policy, request_, evidence) == forbidden_by


@given(POLICIES, REQUESTS, EVIDENCE)
def test_what_stays_on_this_machine_passes_whatever_the_policy(
    policy: Policy, request: EgressRequest, evidence: RequestEvidence
) -> None:
    assert rule(policy, replace(request, local=True, redirected_from="", unapproved=0), evidence) == ""


@given(POLICIES, REQUESTS, EVIDENCE)
def test_a_higher_level_forbids_nothing_that_a_lower_one_let_through(
    policy: Policy, request: EgressRequest, evidence: RequestEvidence
) -> None:
    passes = [not rule(replace(policy, level=level), request, evidence) for level in EgressLevel]
    assert passes == sorted(passes)


@pytest.mark.parametrize("purpose", [each_purpose for each_purpose in Purpose if each_purpose is not Purpose.CLUSTER])
def test_an_address_without_encryption_needs_a_flag_of_its_own(purpose: Purpose) -> None:
    open_to_all = Policy(EgressLevel.RAW, "a", "b", downloads=True, redirects=True, proxies=True)
    for scheme in ("http", "HTTP", "tcp", ""):
        sent = EgressRequest(purpose, "10.0.0.5", 80, ("10.0.0.5",), local=False, scheme=scheme)
        assert rule(open_to_all, sent, SEEN) == "unencrypted"
        assert decide(replace(open_to_all, unencrypted=True), sent, SEEN).endswith(", unencrypted")
        assert rule(open_to_all, replace(sent, scheme="https"), SEEN) == ""
        assert rule(Policy(), replace(sent, local=True), SEEN) == ""


@given(POLICIES)
def test_a_policy_is_read_as_it_was_written_or_as_the_strictest(policy: Policy) -> None:
    read = parse_policy(json.loads(json.dumps(policy.as_json())))
    whole = policy.level is not EgressLevel.RAW or (policy.reason.strip() and policy.allowed_by.strip())
    assert read == (policy if whole else Policy())


@given(
    st.none()
    | st.lists(st.text(max_size=4), max_size=2)
    | st.dictionaries(
        st.sampled_from([*Policy().as_json(), "x"]),
        st.sampled_from(["raw", "nothing", "anonymized", 1, None, True, [], ["h"], [1], {}, ""]),
    )
)
def test_a_damaged_policy_never_lets_raw_footage_out(found: object) -> None:
    read = parse_policy(found)
    assert read.level is not EgressLevel.RAW or (read.reason.strip() and read.allowed_by.strip())
    if not isinstance(found, dict):
        assert read == Policy()
    damages = ({"level": "RAW"}, {"hosts": "api.example.org"}, {"hosts": [7]}, {"unencrypted": "yes"}, {"redirects": 1})
    for damage in (*damages, {"reason": None}, {"level": "raw", "reason": " "}):
        assert parse_policy({**Policy(EgressLevel.ANONYMIZED, downloads=True).as_json(), **damage}) == Policy()


@pytest.mark.parametrize(
    ("named", "asked", "same"),
    [
        ("judge.example.org", "judge.example.org.", True),
        ("Judge.Example.org.", "judge.example.org", True),
        ("192.0.2.7", "::ffff:192.0.2.7", True),
        ("192.0.2.7", "0xc0.0.519", True),
        ("2001:db8::1", "[2001:DB8:0:0::1]", True),
        # Without the dot, it is looked up in the domain of this machine.
        ("judge", "judge.", False),
        ("judge.example.org", "judge.example.org.elsewhere", False),
        ("192.0.2.7", "192.0.2.70", False),
        ("192.0.2.7", "192.0.2.7.", False),
        ("2001:db8::1", "2001:db8::1%eth0", False),
        ("strasse.example", "xn--strae-oqa.example", False),
    ],
)
def test_a_host_has_the_permission_of_its_name_in_every_spelling_and_no_other(
    named: str, asked: str, same: bool
) -> None:
    policy = Policy(EgressLevel.RAW, "We need it", "Ada", hosts=(named,))
    for purpose in (Purpose.JUDGE, Purpose.CLUSTER):
        request = EgressRequest(purpose, asked, 443, (), False, texts=1, scheme="https")
        assert (rule(policy, request, SEEN) == "") == same
