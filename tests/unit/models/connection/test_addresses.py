"""Which addresses are this machine, however they are written."""

import socket
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.connection import addresses
from models.connection.addresses import host_of_url, is_known_locally, is_loopback, resolve
from project.entities.egress_policy import parse_ip_address


@given(st.ip_addresses() | st.ip_addresses(v=4, network="127.0.0.0/8"))
def test_all_of_127_is_loopback_also_mapped_into_ipv6_and_no_other_address_is(
    address: IPv4Address | IPv6Address,
) -> None:
    mapped = getattr(address, "ipv4_mapped", None)
    here = str(address) == "::1" or str(mapped or address).startswith("127.")
    assert is_loopback(str(address)) == here
    if isinstance(address, IPv4Address):
        assert is_loopback(f"::ffff:{address}") == here


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.1.1", "::ffff:10.0.0.1", "fe80::1%lo", "localhost", ""])
def test_what_is_near_is_not_here(address: str) -> None:
    assert not is_loopback(address)


@given(st.ip_addresses(v=4))
def test_decimal_hex_and_octal_forms_are_the_address_that_they_stand_for(address: IPv4Address) -> None:
    number = int(address)
    a, b, c, d = address.packed
    for form in (
        str(number),
        hex(number),
        f"0x{a:x}.{b}.0{c:o}.{d}",
        f"{a}.{number & 0xFFFFFF}",
        f"{a}.{b}.{number & 0xFFFF}",
    ):
        assert parse_ip_address(form) == str(address), form
        assert is_known_locally(form)
        assert resolve(form, 80) == (str(address),)


@given(st.ip_addresses(v=6))
def test_brackets_are_no_part_of_an_address(address: IPv6Address) -> None:
    assert parse_ip_address(f"[{address}]") == parse_ip_address(str(address)) == str(address)


@pytest.mark.parametrize("name", ["example.org", "1.2.3.4.5", "256.1.1.1", "127.0.0.1 example.org"])
def test_a_name_is_no_address(name: str) -> None:
    assert parse_ip_address(name) == ""


def test_only_what_the_list_of_hosts_names_is_known_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("10.1.2.3 Box box.lab # away.lab\n# 127.0.0.1 commented.lab\n")
    monkeypatch.setattr(addresses, "_HOSTS", hosts)
    assert is_known_locally("box.lab")
    assert is_known_locally("BOX")
    assert is_known_locally("localhost")
    assert not is_known_locally("away.lab")
    assert not is_known_locally("commented.lab")
    assert not is_known_locally("a.localhost")
    monkeypatch.setattr(addresses, "_HOSTS", hosts / "gone")
    assert not is_known_locally("box.lab")


def test_a_name_with_a_dot_at_its_end_is_another_one_than_that_in_the_list_of_hosts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("10.1.2.3 box.lab\n")
    monkeypatch.setattr(addresses, "_HOSTS", hosts)
    assert not is_known_locally("box.lab.")


@pytest.mark.parametrize("name", ["localhost.", "LocalHost."])
def test_the_name_of_this_machine_is_never_looked_up_elsewhere(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    asked = []

    def look_up(host: str, *_: object, **__: object) -> list[object]:
        asked.append(host)
        return [(0, 0, 0, "", ("127.0.0.1", 80))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    assert is_known_locally(name)
    assert resolve(name, 80) == ("127.0.0.1",)
    assert asked == ["localhost"]


@given(st.text("0123456789abcdefx. ", max_size=16))
def test_what_is_an_address_is_one_for_the_system_too(text: str) -> None:
    try:
        system = socket.inet_ntoa(socket.inet_aton(text))
    except (OSError, UnicodeError):
        system = ""
    assert parse_ip_address(text) == ("" if " " in text else system)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://straße.example/v1", "xn--strae-oqa.example"),
        ("https://judge。Example/v1", "judge.example"),
        ("https://[2001:DB8::1]:8443/", "2001:db8::1"),
        ("https:///v1", ""),
        ("https://\uff4cocalhost/", ""),
    ],
)
def test_a_host_is_read_as_requests_name_it(url: str, host: str) -> None:
    assert host_of_url(url) == host
