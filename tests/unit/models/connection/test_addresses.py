"""Which addresses are this machine, however they are written."""

import socket
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.connection import addresses
from models.connection.addresses import known_here, loopback, numeric, resolve


@given(st.ip_addresses(v=4, network="127.0.0.0/8"))
def test_all_of_127_is_loopback_also_mapped_into_ipv6(address: IPv4Address) -> None:
    assert loopback(str(address))
    assert loopback(f"::ffff:{address}")


@given(st.ip_addresses())
def test_no_other_address_is(address: IPv4Address | IPv6Address) -> None:
    mapped = getattr(address, "ipv4_mapped", None)
    here = str(address) == "::1" or str(mapped or address).startswith("127.")
    assert loopback(str(address)) == here


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "::",
        "10.0.0.1",
        "192.168.1.1",
        "169.254.0.1",
        "::ffff:10.0.0.1",
        "fe80::1%lo",
        "localhost",
        "",
        "127",
    ],
)
def test_what_is_near_is_not_here(address: str) -> None:
    assert not loopback(address)


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
        assert numeric(form) == str(address), form
        assert known_here(form)
        assert resolve(form, 80) == (str(address),)


@given(st.ip_addresses(v=6))
def test_brackets_are_no_part_of_an_address(address: IPv6Address) -> None:
    assert numeric(f"[{address}]") == numeric(str(address)) == str(address)


@pytest.mark.parametrize("name", ["example.org", "localhost", "a.1", "1.2.3.4.5", "256.1.1.1", ""])
def test_a_name_is_no_address(name: str) -> None:
    assert numeric(name) == ""


def test_only_what_the_list_of_hosts_names_is_known_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("10.1.2.3 Box box.lab # away.lab\n# 127.0.0.1 commented.lab\n")
    monkeypatch.setattr(addresses, "_HOSTS", hosts)
    assert known_here("box.lab")
    assert known_here("BOX")
    assert known_here("localhost")
    assert not known_here("away.lab")
    assert not known_here("commented.lab")
    assert not known_here("a.localhost")
    monkeypatch.setattr(addresses, "_HOSTS", hosts / "gone")
    assert not known_here("box.lab")


def test_all_addresses_of_a_name_are_found_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(0, 0, 0, "", (address, 80)) for address in ("127.0.0.1", "::1", "127.0.0.1", "203.0.113.5")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    assert resolve("box", 80) == ("127.0.0.1", "::1", "203.0.113.5")
