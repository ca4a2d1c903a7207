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
)
EVIDENCE = st.builds(
    RequestEvidence,
    st.sampled_from(["", "nobody looked"]),
    st.sampled_from(["", "P1 did not agree"]),
    st.integers(0, 1),
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


@given(POLICIES, REQUESTS, EVIDENCE)
def test_at_the_lowest_level_nothing_passes_that_is_not_local_but_a_download(
    policy: Policy, request: EgressRequest, evidence: RequestEvidence
) -> None:
    if not rule(replace(policy, level=EgressLevel.NOTHING), request, evidence):
        assert request.local or (request.purpose is Purpose.DOWNLOAD and policy.downloads)


@given(POLICIES, REQUESTS, st.sampled_from([Purpose.JUDGE, Purpose.TEST, Purpose.CLUSTER]))
def test_at_the_lowest_level_no_proxy_is_offered_as_a_way_out(
    policy: Policy, request: EgressRequest, purpose: Purpose
) -> None:
    sent = replace(request, purpose=purpose, local=False, redirected_from="", proxy="proxy.example.org")
    assert rule(replace(policy, level=EgressLevel.NOTHING), sent, RequestEvidence()) == "nothing-leaves"


@given(POLICIES, REQUESTS, EVIDENCE)
def test_another_machine_works_only_where_a_policy_for_raw_footage_names_it(
    policy: Policy, request: EgressRequest, evidence: RequestEvidence
) -> None:
    work = replace(request, purpose=Purpose.CLUSTER, local=False)
    if not rule(policy, work, evidence):
        assert policy.level is EgressLevel.RAW
        assert work.host in policy.hosts
    named = replace(policy, level=EgressLevel.RAW, hosts=("elsewhere.example.org",))
    plain = replace(work, host="node7.example.org", redirected_from="", proxy="", barred_by="", barred="", scheme="tls")
    assert rule(named, plain, RequestEvidence("", "")) == "cluster"
    assert rule(replace(named, hosts=()), plain, RequestEvidence("", "")) == "cluster"
    assert rule(replace(named, hosts=("node7.example.org",)), plain, RequestEvidence("", "")) == ""


@given(POLICIES, REQUESTS, EVIDENCE, st.sampled_from(["redirects", "proxies"]))
def test_what_is_barred_passes_under_no_policy(
    policy: Policy, request: EgressRequest, evidence: RequestEvidence, barred: str
) -> None:
    assert rule(policy, replace(request, barred_by=barred, barred="It goes elsewhere."), evidence) != ""


@given(POLICIES, REQUESTS, EVIDENCE)
def test_what_stays_on_this_machine_passes_whatever_the_policy(
    policy: Policy, request: EgressRequest, evidence: RequestEvidence
) -> None:
    assert rule(policy, replace(request, local=True), replace(evidence, uncleared=0)) == ""


@given(POLICIES, REQUESTS, EVIDENCE)
def test_what_was_not_made_for_a_request_never_passes(
    policy: Policy, request: EgressRequest, evidence: RequestEvidence
) -> None:
    assert rule(policy, request, replace(evidence, uncleared=1)) == "cleared"


@given(POLICIES, REQUESTS, EVIDENCE)
def test_a_higher_level_forbids_nothing_that_a_lower_one_let_through(
    policy: Policy, request: EgressRequest, evidence: RequestEvidence
) -> None:
    passes = [not rule(replace(policy, level=level), request, evidence) for level in EgressLevel]
    assert passes == sorted(passes)


@given(POLICIES, REQUESTS, EVIDENCE, st.sampled_from(["downloads", "redirects", "proxies", "unencrypted"]))
def test_opening_a_way_forbids_nothing(
    policy: Policy, request: EgressRequest, evidence: RequestEvidence, way: str
) -> None:
    if not rule(policy, request, evidence):
        opened = parse_policy({**policy.as_json(), "reason": "a", "allowed_by": "b", way: True})
        assert not rule(opened, request, evidence)


@given(POLICIES, REQUESTS, EVIDENCE)
def test_nothing_of_a_study_leaves_unseen_or_unasked(
    policy: Policy, request: EgressRequest, evidence: RequestEvidence
) -> None:
    sent = not rule(policy, request, evidence) and not request.local and request.purpose is not Purpose.DOWNLOAD
    if sent and request.has_study_content:
        assert not evidence.unwilling
        assert policy.level is not EgressLevel.NOTHING
        if policy.level is EgressLevel.ANONYMIZED:
            assert not evidence.unreviewed
            assert request.condition not in ("", RAW_CONDITION)


@given(POLICIES, REQUESTS, EVIDENCE)
def test_only_to_the_machines_that_are_named_and_straight_there(
    policy: Policy, request: EgressRequest, evidence: RequestEvidence
) -> None:
    if not request.local and not rule(policy, request, evidence):
        assert not request.proxy or policy.proxies
        if request.purpose is not Purpose.DOWNLOAD:
            assert not policy.hosts or request.host in policy.hosts
            assert not request.redirected_from or policy.redirects


@given(POLICIES, REQUESTS, EVIDENCE)
def test_nothing_travels_unencrypted_to_another_machine_unless_that_is_allowed(
    policy: Policy, request: EgressRequest, evidence: RequestEvidence
) -> None:
    if not request.local and not policy.unencrypted and not rule(policy, request, evidence):
        assert request.scheme in ("https", "tls")


@pytest.mark.parametrize("purpose", [each_purpose for each_purpose in Purpose if each_purpose is not Purpose.CLUSTER])
@pytest.mark.parametrize("scheme", ["http", "HTTP", "ws", "tcp", "ucx", ""])
def test_an_address_without_encryption_needs_a_flag_of_its_own(purpose: Purpose, scheme: str) -> None:
    sent = EgressRequest(purpose, "10.0.0.5", 80, ("10.0.0.5",), local=False, scheme=scheme)
    open_to_all = Policy(EgressLevel.RAW, "a", "b", downloads=True, redirects=True, proxies=True)
    assert rule(open_to_all, sent, RequestEvidence("", "")) == "unencrypted"
    assert decide(replace(open_to_all, unencrypted=True), sent, RequestEvidence("", "")).endswith(", unencrypted")
    assert rule(open_to_all, replace(sent, scheme="https"), RequestEvidence("", "")) == ""
    assert rule(Policy(), replace(sent, local=True), RequestEvidence("", "")) == ""


@given(st.sampled_from(Purpose), REQUESTS)
def test_without_evidence_nothing_of_a_study_leaves(purpose: Purpose, request: EgressRequest) -> None:
    sent = replace(request, purpose=purpose, local=False, texts=1, proxy="", redirected_from="")
    for level in EgressLevel:
        if purpose is not Purpose.DOWNLOAD:
            assert rule(Policy(level, "a reason", "somebody"), sent, RequestEvidence()) != ""


@given(POLICIES)
def test_a_policy_is_read_as_it_was_written_or_as_the_strictest(policy: Policy) -> None:
    read = parse_policy(json.loads(json.dumps(policy.as_json())))
    whole = policy.level is not EgressLevel.RAW or (policy.reason.strip() and policy.allowed_by.strip())
    assert read == (policy if whole else Policy())


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=4),
        lambda search_strategy: st.lists(search_strategy, max_size=2),
    )
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


@pytest.mark.parametrize(
    "damage",
    [
        {"level": "RAW"},
        {"level": None},
        {"hosts": "api.example.org"},
        {"hosts": [""]},
        {"hosts": [7]},
        {"downloads": "yes"},
        {"redirects": 1},
        {"unencrypted": "yes"},
        {"reason": None},
        {"level": "raw", "reason": " "},
    ],
)
def test_each_damage_lets_nothing_out(damage: dict[str, object]) -> None:
    found = {**Policy(EgressLevel.ANONYMIZED, downloads=True).as_json(), **damage}
    assert parse_policy(found) == Policy()


@pytest.mark.parametrize(
    ("named", "asked", "same"),
    [
        ("judge.example.org", "judge.example.org.", True),
        ("Judge.Example.org.", "judge.example.org", True),
        ("192.0.2.7", "::ffff:192.0.2.7", True),
        ("192.0.2.7", "0xc0.0.519", True),
        ("192.0.2.7", "3221225991", True),
        ("2001:db8::1", "[2001:DB8:0:0::1]", True),
        # Without the dot, it is looked up in the domain of this machine.
        ("judge", "judge.", False),
        ("judge.example.org", "judge.example.org..", False),
        ("judge.example.org", "judge.example.org.elsewhere", False),
        ("192.0.2.7", "192.0.2.70", False),
        ("192.0.2.7", "192.0.2.7 x", False),
        ("192.0.2.7", "192.0.2.7.", False),
        ("2001:db8::1", "2001:db8::1%eth0", False),
        ("strasse.example", "xn--strae-oqa.example", False),
    ],
)
@pytest.mark.parametrize("purpose", [Purpose.JUDGE, Purpose.CLUSTER])
def test_a_host_has_the_permission_of_its_name_in_every_spelling_and_no_other(
    named: str, asked: str, same: bool, purpose: Purpose
) -> None:
    policy = Policy(EgressLevel.RAW, "We need it", "Ada", hosts=(named,))
    request = EgressRequest(purpose, asked, 443, (), False, texts=1, scheme="https")
    assert (rule(policy, request, RequestEvidence("", "")) == "") == same
