"""What the guard lets out, and to which address: nothing that its authority did not permit and write down."""

import asyncio
import contextlib
import json
import threading
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.connection.addresses import is_loopback
from models.connection.guard import AnswerTooLong, ApprovedContent, Guard, RequestPurpose, for_purpose
from models.connection.transport import http_client
from project.entities.egress_policy import EgressLevel, EgressRequest, Forbidden, Policy, Purpose
from project.errors import Cancelled
from tests.builders.wire import OK, Judging, Wire, away, guard_of, send, send_async

RAW = Policy(EgressLevel.RAW, "a pilot with actors", "the board", unencrypted=True)
DOWNLOAD = RequestPurpose(Purpose.DOWNLOAD)


def in_a_loop(guard: Guard, url: str, body: object = None, **options: Any) -> httpx2.Response:
    return asyncio.run(send_async(guard, url, body, **options))


@pytest.fixture(autouse=True)
def no_proxy_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def refused(guard: Guard, url: str, body: object = None, **options: Any) -> Forbidden:
    with pytest.raises(Forbidden) as raised:
        send(guard, url, body, **options)
    return raised.value


def test_what_stays_on_this_machine_is_sent_and_written_down() -> None:
    wire, authority = Wire(), Judging()
    parcel = RequestPurpose(Purpose.JUDGE, "j", "r", "s", "raw")
    assert send(guard_of(wire, authority), "http://127.0.0.1:8080/v1/models", parcel=parcel).json() == {}
    (asked,) = authority.asked
    assert asked == EgressRequest(
        Purpose.JUDGE, "127.0.0.1", 8080, ("127.0.0.1",), True,
        condition="raw", judge_id="j", recording_id="r", segment_id="s", scheme="http",
    )  # fmt: skip
    assert wire.connected == [("127.0.0.1", 8080)]


def test_by_default_nothing_is_sent_and_no_name_is_looked_up() -> None:
    wire, authority = Wire({"api.example": ["127.0.0.1"]}), Judging()
    assert refused(guard_of(wire, authority), "https://api.example/v1", {"a": 1}).rule == "nothing-leaves"
    assert (wire.looked_up, wire.connected) == ([], [])
    (asked,) = authority.asked
    assert (asked.host, asked.port, asked.addresses, asked.local) == ("api.example", 443, (), False)


def test_a_look_up_is_asked_for_before_it_is_made_and_tells_nothing_of_the_request() -> None:
    wire, authority = Wire({"api.example": ["203.0.113.5"]}), Judging(RAW)
    send(guard_of(wire, authority), "http://api.example/v1", {}, parcel=RequestPurpose(Purpose.JUDGE, condition="raw"))
    before, request = authority.asked
    assert (before.addresses, before.size, before.sha256) == ((), 0, "")
    assert (request.addresses, request.size) == (("203.0.113.5",), 2)
    assert wire.connected == [("203.0.113.5", 80)]


ADDRESSES = ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "203.0.113.5", "0.0.0.0", "::"]


@given(st.lists(st.sampled_from(ADDRESSES), min_size=1, unique=True))
def test_a_name_is_local_only_where_all_its_addresses_are(addresses: list[str]) -> None:
    wire = Wire({"box": addresses}, known={"box"})
    authority = Judging()
    guard = guard_of(wire, authority)
    if all(map(is_loopback, addresses)):
        send(guard, "http://box:1234/")
        assert wire.connected == [(addresses[0], 1234)]
    else:
        assert refused(guard, "http://box:1234/").rule == "nothing-leaves"
        assert wire.connected == []
    assert authority.asked[-1].addresses == tuple(addresses)


@pytest.mark.parametrize(
    ("host", "here"), [("2130706433", True), ("[::ffff:127.0.0.1]", True), ("0.0.0.0", False), ("0xcb007105", False)]
)
def test_other_forms_of_loopback_are_loopback_and_of_another_machine_are_not(host: str, here: bool) -> None:
    wire, authority = Wire(), Judging()
    if here:
        send(guard_of(wire, authority), f"http://{host}:99/")
        assert [is_loopback(address) for address, _ in wire.connected] == [True]
    else:
        assert refused(guard_of(wire, authority), f"http://{host}/").rule == "nothing-leaves"
        assert wire.connected == []


def test_an_address_is_looked_up_once_and_a_later_answer_is_never_used() -> None:
    wire = Wire({"box": [["127.0.0.1"], ["203.0.113.5"]]}, known={"box"})
    authority = Judging()

    with for_purpose(RequestPurpose(Purpose.JUDGE)), http_client(guard_of(wire, authority)) as client:
        for _ in range(3):
            client.get("http://box/", headers={"Connection": "close"})
    assert wire.looked_up == ["box"]
    assert {address for address, _ in wire.connected} == {"127.0.0.1"}
    assert all(asked.addresses == ("127.0.0.1",) for asked in authority.asked)


def test_where_nobody_answers_the_next_address_is_tried_and_then_the_name_looked_up_anew() -> None:
    wire = Wire({"box": [["127.0.0.2", "127.0.0.3"], ["203.0.113.5"]]}, known={"box"}, dead={"127.0.0.2"})
    authority = Judging()
    send(guard_of(wire, authority), "http://box/")
    assert [address for address, _ in wire.connected] == ["127.0.0.2", "127.0.0.3"]
    wire = Wire({"box": [["127.0.0.2"], ["203.0.113.5"]]}, known={"box"}, dead={"127.0.0.2"})
    with for_purpose(RequestPurpose(Purpose.JUDGE)), http_client(guard_of(wire, authority)) as client:
        with pytest.raises(httpx2.ConnectError, match="refused"):
            client.get("http://box/")
        with pytest.raises(Forbidden):
            client.get("http://box/")
    assert [address for address, _ in wire.connected] == ["127.0.0.2"]


def test_a_request_that_nobody_accounts_for_is_not_sent() -> None:
    wire, authority = Wire(), Judging(RAW)
    with http_client(guard_of(wire, authority)) as client, pytest.raises(Forbidden) as raised:
        client.get("http://127.0.0.1/")
    assert raised.value.rule == "recorded"
    assert (authority.asked, wire.connected) == ([], [])


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://api.example/"])
def test_what_cannot_be_written_down_is_not_sent(url: str) -> None:
    wire, authority = Wire(), Judging(RAW, writes=False)
    found = refused(guard_of(wire, authority), url)
    assert found.rule == "recorded"
    assert "could not be logged" in found.message
    assert (wire.looked_up, wire.connected) in ((["127.0.0.1"], []), ([], []))


def test_another_error_of_the_authority_also_keeps_the_request_in() -> None:
    class Broken(Judging):
        def permit(self, departure: EgressRequest) -> None:
            raise KeyError("journal")

    class Stopped(Judging):
        def permit(self, departure: EgressRequest) -> None:
            raise Cancelled

    wire = Wire()
    assert refused(guard_of(wire, Broken()), "http://127.0.0.1/").rule == "recorded"
    with pytest.raises(Cancelled):
        send(guard_of(wire, Stopped()), "http://127.0.0.1/")
    assert wire.connected == []


# Redirects


def test_a_redirect_of_a_judge_is_refused_and_nothing_goes_there() -> None:
    wire = Wire({"a.example": ["203.0.113.5"], "b.example": ["203.0.113.6"]})
    wire.answers[("203.0.113.5", 80)] = away("http://b.example/other")
    authority = Judging(RAW)
    found = refused(guard_of(wire, authority), "http://a.example/", {})
    assert found.rule == "redirects"
    assert "b.example" in found.message
    assert wire.looked_up == ["a.example"]
    assert wire.connected == [("203.0.113.5", 80)]
    assert authority.asked[-1].redirected_from == "a.example"


@pytest.mark.parametrize("place", ["http://b.example/", "/v2"])
def test_this_machine_cannot_send_a_request_on(place: str) -> None:
    wire = Wire(answers={("127.0.0.1", 80): away(place)})
    assert refused(guard_of(wire, Judging()), "http://127.0.0.1/", {}).rule == "redirects"
    assert wire.connected == [("127.0.0.1", 80)]


@pytest.mark.parametrize("status", [302, 307])
def test_an_allowed_redirect_is_a_request_of_its_own_without_keys(status: int) -> None:
    wire = Wire({"a.example": ["203.0.113.5"], "b.example": ["203.0.113.6"]})
    wire.answers[("203.0.113.5", 80)] = away("http://b.example/other", status)
    authority = Judging(replace(RAW, redirects=True))
    parcel = RequestPurpose(Purpose.JUDGE, condition="raw")
    secrets = {
        "Authorization": "Bearer secret-1",
        "Cookie": "c=secret-2",
        "X-Api-Key": "secret-3",
        "Proxy-Authorization": "secret-4",
    }
    send(guard_of(wire, authority), "http://a.example/", {}, parcel=parcel, headers=secrets)
    first = b"".join(content for address, content in wire.sent if address == "203.0.113.5")
    second = b"".join(content for address, content in wire.sent if address == "203.0.113.6")
    assert first.count(b"secret-") == 4
    assert b"secret-" not in second
    assert b"Host: b.example" in second
    assert second.startswith(b"POST /other" if status in (307, 308) else b"GET /other")
    last = authority.asked[-1]
    assert (last.host, last.redirected_from, last.size) == ("b.example", "a.example", 2 if status in (307, 308) else 0)


def test_a_redirect_on_the_same_host_keeps_the_key() -> None:
    wire = Wire(answers={("127.0.0.1", 80): away("/v2", 308)})
    authority = Judging(Policy(redirects=True))
    with pytest.raises(Forbidden, match="again and again"):
        send(guard_of(wire, authority), "http://127.0.0.1/", {}, headers={"Authorization": "Bearer k"})
    assert [egress_request.barred_by for egress_request in authority.asked] == [""] * 10 + ["redirects"]
    assert wire.text_sent().lower().count("authorization: bearer k") == 10


@pytest.mark.parametrize("place", ["http://localhost/", "http://[::1]/"])
def test_another_machine_cannot_send_a_request_back_to_this_one(place: str) -> None:
    wire = Wire({"a.example": ["203.0.113.5"], "localhost": ["127.0.0.1"]})
    wire.answers[("203.0.113.5", 80)] = away(place)
    authority = Judging(Policy(downloads=True, redirects=True, unencrypted=True))
    found = refused(guard_of(wire, authority), "http://a.example/", parcel=DOWNLOAD)
    assert "back to this machine" in found.message
    assert authority.asked[-1].barred_by == "redirects", "what the guard itself refuses is written down too"
    assert wire.connected == [("203.0.113.5", 80)]


@pytest.mark.parametrize("url", ["ftp://example.org/", "unix:///run/x.sock"])
def test_only_http_is_spoken(url: str) -> None:
    wire = Wire()
    with pytest.raises(httpx2.UnsupportedProtocol):
        send(guard_of(wire, Judging(RAW)), url)
    assert wire.connected == []


# Proxies


@pytest.mark.parametrize("variable", ["http_proxy", "ALL_PROXY"])
def test_a_proxy_is_not_used_unless_the_policy_allows_it(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "http://ada:secret@proxy.example:3128")
    wire = Wire({"proxy.example": ["203.0.113.9"]})
    authority = Judging(RAW)
    found = refused(guard_of(wire, authority), "http://a.example/", {})
    assert found.rule == "proxies"
    assert "secret" not in str(found)
    assert (wire.looked_up, wire.connected) == ([], [])
    assert authority.asked[-1].proxy == "proxy.example"


def test_what_stays_on_this_machine_takes_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://proxy.example:3128")
    wire, authority = Wire({"localhost": ["127.0.0.1"]}), Judging()
    send(guard_of(wire, authority), "http://localhost/", {})
    assert wire.connected == [("127.0.0.1", 80)]
    assert authority.asked[0].proxy == ""


@pytest.mark.parametrize("address", ["socks5://proxy.example:1080", "http://proxy.example:99999"])
def test_a_proxy_of_another_kind_is_refused(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("ALL_PROXY", address)
    wire = Wire()
    authority = Judging(replace(RAW, proxies=True))
    assert refused(guard_of(wire, authority), "http://a.example/").rule == "proxies"
    assert (wire.looked_up, wire.connected) == ([], [])
    assert [egress_request.barred_by for egress_request in authority.asked] == ["proxies"], "it is written down too"


def test_the_guard_bars_what_an_authority_would_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    class Careless(Judging):
        def permit(self, departure: EgressRequest) -> None:
            self.asked.append(departure)

    monkeypatch.setenv("ALL_PROXY", "socks5://proxy.example:1080")
    wire = Wire()
    assert refused(guard_of(wire, Careless()), "http://a.example/").rule == "proxies"
    assert wire.connected == []


# Encryption

ENCRYPTED_ONLY = Policy(
    EgressLevel.RAW, "a pilot with actors", "the board", downloads=True, redirects=True, proxies=True
)
OPENLY = [
    "http://api.example/v1",
    "http://api.example.:443/v1",
    "http://[::ffff:203.0.113.5]:8080/v1",
    "http://0.0.0.0/v1",
    "http://both.example/v1",
]


@pytest.mark.parametrize("purpose", [Purpose.JUDGE, Purpose.TEST, Purpose.DOWNLOAD])
@pytest.mark.parametrize("url", OPENLY)
def test_nothing_is_sent_unencrypted_to_another_machine(url: str, purpose: Purpose) -> None:
    wire = Wire({"both.example": ["127.0.0.1", "203.0.113.5"]}, known={"both.example"})
    found = refused(guard_of(wire, Judging(ENCRYPTED_ONLY)), url, {}, parcel=RequestPurpose(purpose))
    assert found.rule == "unencrypted"
    assert "--unencrypted" in found.hint
    assert (wire.connected, wire.sent) == ([], [])
    assert "api.example" not in wire.looked_up, "a name server learns nothing either"


@pytest.mark.parametrize("proxy", ["http://proxy.example:3128", "https://proxy.example:3129"])
def test_a_proxy_sees_no_unencrypted_request(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    wire = Wire({"proxy.example": ["203.0.113.9"]})
    assert refused(guard_of(wire, Judging(ENCRYPTED_ONLY)), "http://a.example/", {}).rule == "unencrypted"
    assert wire.connected == []


def test_an_encrypted_request_passes_through_an_allowed_proxy_as_a_tunnel_and_the_journal_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://ada:secret@proxy.example:3128")
    wire = Wire({"proxy.example": ["203.0.113.9"]})
    authority = Judging(ENCRYPTED_ONLY)
    send(guard_of(wire, authority), "https://a.example/", {}, parcel=RequestPurpose(Purpose.JUDGE, condition="raw"))
    assert wire.connected == [("203.0.113.9", 3128)]
    assert b"CONNECT a.example:443" in wire.sent[0][1]
    (asked,) = authority.asked
    assert (asked.scheme, asked.host, asked.proxy, asked.local) == ("https", "a.example", "proxy.example", False)
    assert "secret" not in repr(asked)


@pytest.mark.parametrize("place", ["HTTP://203.0.113.6/v1", "//203.0.113.6/v1"])
def test_a_redirect_leads_to_no_unencrypted_address(place: str) -> None:
    wire = Wire(answers={("127.0.0.1", 8080): away(place)})
    found = refused(guard_of(wire, Judging(ENCRYPTED_ONLY)), "http://127.0.0.1:8080/v1", {})
    assert found.rule == "unencrypted"
    assert wire.connected == [("127.0.0.1", 8080)]


# Answers


def answer(body: bytes, *headers: str) -> bytes:
    lines = ["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


EARLY_HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"


@pytest.mark.parametrize(("hints", "size"), [(0, 1000), (0, 70_000), (2000, 1000)])
def test_an_answer_of_a_judge_has_an_end_with_all_that_comes_before_it(hints: int, size: int) -> None:
    wire = Wire(answers={("127.0.0.1", 80): EARLY_HINTS * hints + answer(b"x" * size)})
    guard = guard_of(wire, Judging(), max_answer_bytes=1000)
    if not hints and size == 1000:
        assert len(send(guard, "http://127.0.0.1/").content) == size
    else:
        with pytest.raises(AnswerTooLong):
            send(guard, "http://127.0.0.1/")
    assert len(send(guard, "http://127.0.0.1/", parcel=DOWNLOAD).content) == size


def test_an_answer_of_a_judge_is_not_unpacked_without_end() -> None:
    wire = Wire(answers={("127.0.0.1", 80): answer(b"\x1f\x8b", "Content-Encoding: gzip")})
    with pytest.raises(AnswerTooLong, match="compressed"):
        send(guard_of(wire, Judging()), "http://127.0.0.1/")
    assert "Accept-Encoding: identity" in wire.text_sent()


# What is in it


@pytest.mark.parametrize("condition", ["raw", "run-1"])
def test_only_what_was_cleared_under_the_condition_leaves(condition: str) -> None:
    cleared = ApprovedContent()
    cleared.add_text("Ada: hello", "run-1")
    authority = Judging(RAW)
    wire = Wire()
    body = {"model": "m", "messages": [{"role": "user", "content": "Ada: hello"}]}
    guard = guard_of(wire, authority, cleared)
    parcel = RequestPurpose(Purpose.JUDGE, condition=condition)
    if condition == "run-1":
        send(guard, "http://127.0.0.1/", body, parcel=parcel)
        assert json.loads(wire.text_sent().partition("\r\n\r\n")[2]) == body
    else:
        assert refused(guard, "http://127.0.0.1/", body, parcel=parcel).rule == "cleared"
        assert wire.connected == []
    (asked,) = authority.asked
    assert asked.texts == len("Ada: hello")


@pytest.mark.parametrize("threadsafe", [True, False])
def test_an_authority_that_belongs_to_a_thread_is_asked_in_it(threadsafe: bool) -> None:
    class Here(Judging):
        def permit(self, departure: EgressRequest) -> None:
            threads.add(threading.get_ident())

    threads: set[int] = set()
    authority = Here()
    authority.threadsafe = threadsafe
    in_a_loop(guard_of(Wire(), authority), "http://127.0.0.1/")
    assert (threads == {threading.get_ident()}) is not threadsafe


def test_an_address_is_no_place_to_hide_a_transcript() -> None:
    wire = Wire()
    guard = guard_of(wire, Judging())
    send(guard, "http://127.0.0.1/v1?api-version=2024-02-01")
    assert refused(guard, f"http://127.0.0.1/v1?said={'Ada:+hello+' * 20}").rule == "cleared"
    send(guard, f"http://127.0.0.1/file?signature={'0' * 500}", parcel=DOWNLOAD)
    assert len(wire.connected) == 2


HOSTS = ["127.0.0.1", "localhost", "a.example", "b.example", "box", "203.0.113.7", "[::1]"]
SCRIPTS = st.fixed_dictionaries({host: st.lists(st.sampled_from(ADDRESSES), max_size=3, unique=True) for host in HOSTS})
POLICIES = st.builds(
    Policy,
    level=st.sampled_from(EgressLevel),
    reason=st.just("a pilot with actors"),
    allowed_by=st.just("the board"),
    hosts=st.sampled_from([(), ("a.example",), ("b.example", "203.0.113.7")]),
    downloads=st.booleans(),
    redirects=st.booleans(),
)
JOURNEYS = st.lists(
    st.tuples(st.sampled_from(HOSTS), st.sampled_from(["http", "https"]), st.sampled_from([302, 307])), max_size=4
)


@given(SCRIPTS, POLICIES, JOURNEYS, st.sampled_from(HOSTS), st.sampled_from([Purpose.JUDGE, Purpose.DOWNLOAD]))
def test_whatever_servers_and_name_servers_say_only_what_was_permitted_is_connected_to(
    names: dict[str, list[str]],
    policy: Policy,
    hops: list[tuple[str, str, int]],
    first: str,
    purpose: Purpose,
) -> None:
    wire = Wire({host: [found, ["203.0.113.66"]] for host, found in names.items()}, known={"box"})
    places = [away(f"{scheme}://{host}/next", status) for host, scheme, status in hops]
    permitted: list[EgressRequest] = []

    class Strict(Judging):
        def permit(self, departure: EgressRequest) -> None:
            super().permit(departure)
            permitted.append(departure)

    connect = wire.connect

    def checked(address: str, port: int) -> bytes:
        last = permitted[-1]
        assert address in last.addresses
        assert port == last.port
        assert last.local == all(map(is_loopback, last.addresses))
        assert last.local or policy.level is not EgressLevel.NOTHING or purpose is Purpose.DOWNLOAD
        connect(address, port)
        return places.pop(0) if places else OK

    wire.connect = checked
    parcel = RequestPurpose(purpose, condition="" if purpose is Purpose.DOWNLOAD else "raw")
    with contextlib.suppress(Forbidden, httpx2.TransportError, httpx2.InvalidURL):
        send(guard_of(wire, Strict(policy)), f"http://{first}/", parcel=parcel)
    assert len(set(wire.looked_up)) == len(wire.looked_up)
    unknown = {host for host in wire.looked_up if host in ("a.example", "b.example")}
    assert unknown <= {asked.host for asked in permitted if not asked.addresses}
