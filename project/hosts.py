"""One spelling for each machine that an address names: nobody gains or loses a permission by how a host is written."""

import re
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address

_PART = re.compile(r"0x[0-9a-f]+|[0-9]+", re.ASCII)
_MOST_PARTS = 4


def numeric(host: str) -> str:
    """Return the IP address that a host is written as, also in decimal, octal or hex form; "" where it is a name."""
    bare = host.removeprefix("[").removesuffix("]")
    with suppress(ValueError):
        return str(ip_address(bare))
    return _old_form(bare.lower())


def host_key(host: str) -> str:
    """Return what is equal for two spellings of one host, and only for those.

    Letter case, the forms of an IP address, and the dot that ends a whole domain name say nothing. The dot after a name
    of one part does: without it, the system looks the name up in its own domain. So does one after an IP address: the
    system would ask a name server for it.
    """
    if address := numeric(host):
        found = ip_address(address)
        mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
        return str(mapped or found)
    name = host.lower()
    whole = name.removesuffix(".")
    return whole if "." in whole and not numeric(whole) else name


def _old_form(text: str) -> str:
    """Return an IPv4 address of one to four numbers, the last of which fills what is left (inet_aton(3)); "" for none.

    What the system's own function forgives after it, a space and anything, is no address.
    """
    parts = text.split(".")
    if len(parts) > _MOST_PARTS or not all(map(_PART.fullmatch, parts)):
        return ""
    try:
        *firsts, last = [_number(part) for part in parts]
    except ValueError:
        return ""
    room = 4 - len(firsts)
    if any(first > 0xFF for first in firsts) or last >= 1 << 8 * room:
        return ""
    return str(IPv4Address(bytes([*firsts, *last.to_bytes(room)])))


def _number(part: str) -> int:
    if part.startswith("0x"):
        return int(part, 16)
    return int(part, 8 if part.startswith("0") else 10)
