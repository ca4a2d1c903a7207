"""The egress policy of a study: which requests may leave this machine, and the rules that decide about one.

Hosts are compared by a canonical key, so that another spelling of a host neither gains nor loses a permission.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address

from project.entities.study_records import Json
from project.errors import UserError

_PART = re.compile(r"0x[0-9a-f]+|[0-9]+", re.ASCII)
_MOST_PARTS = 4


def parse_ip_address(host: str) -> str:
    """Return the IP address that a host is written as, also in decimal, octal or hex form; "" where it is a name."""
    bare = host.removeprefix("[").removesuffix("]")
    with suppress(ValueError):
        return str(ip_address(bare))
    return _parse_inet_aton(bare.lower())


def host_key(host: str) -> str:
    """Return a key that two spellings of one host share, and only those.

    Letter case, the forms of an IP address, and the dot that ends a whole domain name say nothing. The dot after a name
    of one part does: without it, the system looks the name up in its own domain. So does one after an IP address: the
    system would ask a name server for it.
    """
    if address := parse_ip_address(host):
        found = ip_address(address)
        mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
        return str(mapped or found)
    name = host.lower()
    whole = name.removesuffix(".")
    return whole if "." in whole and not parse_ip_address(whole) else name


def _parse_inet_aton(text: str) -> str:
    """Return an IPv4 address of one to four numbers, the last of which fills what is left (inet_aton(3)); "" for none.

    What the system's own function forgives after it, a space and anything, is no address.
    """
    parts = text.split(".")
    if len(parts) > _MOST_PARTS or not all(map(_PART.fullmatch, parts)):
        return ""
    try:
        *firsts, last = [_parse_number(part) for part in parts]
    except ValueError:
        return ""
    room = 4 - len(firsts)
    if any(first > 0xFF for first in firsts) or last >= 1 << 8 * room:
        return ""
    return str(IPv4Address(bytes([*firsts, *last.to_bytes(room)])))


def _parse_number(part: str) -> int:
    if part.startswith("0x"):
        return int(part, 16)
    return int(part, 8 if part.startswith("0") else 10)


class EgressLevel(StrEnum):
    """How much may leave this machine, from nothing to everything."""

    NOTHING = "nothing"
    ANONYMIZED = "anonymized"
    RAW = "raw"


class Purpose(StrEnum):
    """What a connection is for."""

    JUDGE = "judge"
    TEST = "test"
    DOWNLOAD = "download"
    CLUSTER = "cluster"


_ENCRYPTED = frozenset({"https", "tls", "wss"})
"""Schemes of addresses whose connections are encrypted end to end, also through a proxy."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The egress policy of a study.

    Attributes:
        level: what of its footage and texts may leave.
        reason: why; typed by a person, and needed for `RAW_CONDITION`.
        allowed_by: who allowed it, such as a board and its number; needed for `RAW_CONDITION`.
        hosts: the only machines that anything may be sent to; () for whichever a judge names.
        downloads: whether weights and optional parts may be fetched while this study is open; nothing of it is sent.
        redirects: whether a request may follow where a server sends it on to.
        proxies: whether the proxy that this machine is set up with may be used.
        unencrypted: whether words and keys may travel to another machine as everybody on the way can read them.
    """

    level: EgressLevel = EgressLevel.NOTHING
    reason: str = ""
    allowed_by: str = ""
    hosts: tuple[str, ...] = ()
    downloads: bool = False
    redirects: bool = False
    proxies: bool = False
    unencrypted: bool = False

    @property
    def is_closed(self) -> bool:
        """Whether it lets nothing out, neither requests nor downloads."""
        return self.level is EgressLevel.NOTHING and not self.downloads

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        return {**asdict(self), "level": self.level.value, "hosts": [*self.hosts]}


@dataclass(frozen=True, slots=True)
class EgressRequest:
    """One request that wants to leave a process of this program.

    Attributes:
        purpose: what it is for.
        host: as the address names it, in lower case.
        port: TCP port.
        addresses: every IP address that the name stands for.
        local: all of them are loopback addresses, so it stays on this machine.
        size: bytes of the body.
        sha256: of the body.
        texts: bytes of text from the study in it.
        frames: sha256 of every picture in it.
        clips: sha256 of every video in it.
        condition: `raw`, or the id of the run that made the rendering; "" where it holds nothing of the study.
        judge_id: who is asked.
        recording_id: whose footage it is.
        segment_id: which segment it is about.
        others: recordings of which words, or pictures of options, are in it too.
        pictured: ids of the runs that made the renderings of these of which pictures are in it.
        redirected_from: the host that sent it here; "" where none did.
        proxy: the machine that it is sent through; "" where none is.
        barred_by: the rule by which no policy lets it out; "" where there is none.
        barred: why, as a sentence.
        scheme: of the address, such as `https`; "" where it is not known.
        unapproved: how many pictures, videos or texts in it were not made for it.
    """

    purpose: Purpose
    host: str
    port: int
    addresses: tuple[str, ...]
    local: bool
    size: int = 0
    sha256: str = ""
    texts: int = 0
    frames: tuple[str, ...] = ()
    clips: tuple[str, ...] = ()
    condition: str = ""
    judge_id: str = ""
    recording_id: str = ""
    segment_id: str = ""
    others: tuple[str, ...] = ()
    pictured: tuple[str, ...] = ()
    redirected_from: str = ""
    proxy: str = ""
    barred_by: str = ""
    barred: str = ""
    scheme: str = ""
    unapproved: int = 0

    @property
    def has_study_content(self) -> bool:
        """Whether anything of a study is in it."""
        return bool(self.texts or self.frames or self.clips)

    @property
    def is_encrypted(self) -> bool:
        """Whether it is encrypted all the way to the machine that it is addressed to; what is unknown is not."""
        return self.scheme in _ENCRYPTED


class Forbidden(UserError):
    """A request that the policy does not let out; `rule` names the rule, a key of `RULES`."""

    def __init__(self, rule: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.rule = rule


@dataclass(frozen=True, slots=True)
class RequestEvidence:
    """What the study says, at this moment, about what a request holds.

    Attributes:
        unreviewed: why what it holds does not count as reviewed; "" where it does.
        unwilling: why somebody's consent is missing; "" where everybody who appears agreed to be sent to models.
        hint: how to mend the first thing that stands in the way of a review; "" where nothing does.
    """

    unreviewed: str = "nobody reviewed it"
    unwilling: str = "nobody is known to have agreed"
    hint: str = ""


RULES: Mapping[str, str] = {
    "nothing-leaves": "nothing of this study leaves this machine",
    "raw": "raw footage and unscrubbed texts stay on this machine",
    "reviewed": "only renderings and texts that passed review leave",
    "cleared": "only what was made for the request is in it",
    "consent": "everybody who appears agreed to be sent to models",
    "hosts": "only to the machines that the policy names",
    "cluster": "other machines work on raw footage only where the policy names their scheduler",
    "downloads": "weights of models and optional parts are fetched only where the policy allows downloads",
    "redirects": "a request goes where it was addressed to",
    "proxies": "a request goes through no other machine",
    "unencrypted": "nothing travels unencrypted to another machine",
    "recorded": "what cannot be written down is not sent",
}
"""Every rule, in words that finish “The policy of this study says: ...”."""
_HINTS_BY_RULE = {
    "proxies": "Unset it, or set HTTPS_PROXY to an address that starts with http://",
    "redirects": "Give another address",
    "reviewed": "Ask again",
}
"""What to do about a request that is barred by a rule."""
_CLUSTER_HINT = (
    "Leave --scheduler out, or have the cluster named:"
    " greenroom policy set STUDY raw --host {} --reason ... --allowed-by ..."
)


def decide(policy: Policy, request: EgressRequest, evidence: RequestEvidence = RequestEvidence()) -> str:
    """Return under which permission a request may leave, in a few words for the journal.

    What stays on this machine is let through, unless it holds what was not made for it, or a server sends it on.

    Raises:
        Forbidden: it may not.
    """
    if request.unapproved:
        _refuse("cleared", "The request holds something that was not made for it, so it is not sent.", "Ask again.")
    if request.redirected_from and not policy.redirects and request.purpose is not Purpose.DOWNLOAD:
        _refuse(
            "redirects",
            f"{request.redirected_from} sends the request on to {request.host}, port {request.port}, and the policy "
            "allows no redirects.",
            "Give the judge the address that really answers, or allow it: greenroom policy set STUDY --redirects",
        )
    if request.local:
        refuse_barred(request)
        return "local"
    _decide_level(policy, request)
    refuse_barred(request)
    if request.proxy and not policy.proxies:
        _refuse(
            "proxies",
            f"This machine sends requests through {request.proxy}, and the policy allows no proxy.",
            "Unset the proxy, or allow it: greenroom policy set STUDY --proxies",
        )
    if request.purpose is Purpose.CLUSTER:
        _decide_cluster(policy, request)
    if not request.is_encrypted and not policy.unencrypted:
        _refuse("unencrypted", *_describe_unencrypted(request))
    openly = "" if request.is_encrypted else ", unencrypted"
    if request.purpose is Purpose.DOWNLOAD:
        return f"downloads allowed{openly}"
    _decide_content(policy, request, evidence)
    if policy.hosts and not _is_named(policy, request.host):
        _refuse(
            "hosts",
            f"The policy of this study does not name {request.host}.",
            f"Ask a judge at {' or '.join(policy.hosts)}, or have this machine added to the policy.",
        )
    by = f", allowed by {policy.allowed_by}" if policy.allowed_by else ""
    return f"{policy.level.value}{by}{openly}"


def refuse_barred(request: EgressRequest) -> None:
    """Return quietly unless a request is one that no policy lets out.

    Raises:
        Forbidden: it is.
    """
    if request.barred_by:
        _refuse(request.barred_by, request.barred, _HINTS_BY_RULE.get(request.barred_by, ""))


def _describe_unencrypted(request: EgressRequest) -> tuple[str, str]:
    """Return what is wrong with a request that everybody on the way could read, and what to do about it."""
    allow = "allow it: greenroom policy set STUDY --unencrypted"
    by = f" ({request.scheme}://)" if request.scheme else ""
    if request.purpose is Purpose.DOWNLOAD:
        what = f"The download from {request.host} would travel unencrypted{by}"
        return f"{what}, and the policy does not allow that.", f"Name a source at an https:// address, or {allow}"
    what = f"Words and keys would travel unencrypted to {request.host}{by}"
    better = "Use a scheduler at a tls:// address" if request.purpose is Purpose.CLUSTER else "Use an https:// address"
    return f"{what}, and the policy does not allow that.", f"{better}, or {allow}"


def _decide_level(policy: Policy, request: EgressRequest) -> None:
    if request.purpose is Purpose.DOWNLOAD:
        if not policy.downloads:
            _refuse(
                "downloads",
                "The policy of this study allows no connection, not even to download a model.",
                "Allow downloads (nothing of the study is sent): greenroom policy set STUDY --downloads",
            )
    elif policy.level is EgressLevel.NOTHING:
        _refuse(
            "nothing-leaves",
            f"The policy of this study lets nothing leave this machine, and {request.host} is another machine.",
            _CLUSTER_HINT.format(request.host)
            if request.purpose is Purpose.CLUSTER
            else "Ask a local judge, or change the policy: greenroom policy set STUDY anonymized",
        )


def _is_named(policy: Policy, host: str) -> bool:
    """Tell whether a policy names a host, in whichever spelling."""
    return host_key(host) in map(host_key, policy.hosts)


def _decide_cluster(policy: Policy, request: EgressRequest) -> None:
    """Refuse a scheduler that is not named: its workers see recordings, and what is asked about them, as they are."""
    if policy.level is not EgressLevel.RAW or not _is_named(policy, request.host):
        _refuse(
            "cluster",
            f"The policy of this study does not let {request.host} work on raw footage.",
            _CLUSTER_HINT.format(request.host),
        )


def _decide_content(policy: Policy, request: EgressRequest, evidence: RequestEvidence) -> None:
    if not request.has_study_content:
        return
    if policy.level is EgressLevel.ANONYMIZED:
        if request.condition in ("", "raw"):
            _refuse(
                "raw",
                "The policy of this study lets only anonymized footage and scrubbed texts leave this machine.",
                "Ask about a rendering that was reviewed: --condition",
            )
        if evidence.unreviewed:
            why = f"What would be sent did not pass review: {evidence.unreviewed}."
            _refuse("reviewed", why, evidence.hint or "Review it first.")
    if evidence.unwilling:
        _refuse("consent", f"Nothing is sent: {evidence.unwilling}.", "Record who agreed to be sent to models.")


def _refuse(rule: str, message: str, hint: str) -> None:
    raise Forbidden(rule, message, f"{hint} (rule {rule})" if hint else f"(rule {rule})")


@dataclass(frozen=True, slots=True)
class Egress:
    """One line of the journal of requests: what wanted to leave a process, and what was decided.

    Attributes:
        at: UTC, ISO 8601; before anything was sent.
        request: the request.
        level: of the policy then.
        permission: under which it was let through; "" where it was not.
        rule: that forbade it; "" where none did.
    """

    id: str
    at: str
    request: EgressRequest
    level: EgressLevel
    permission: str = ""
    rule: str = ""


def parse_policy(found: Json) -> Policy:
    """Read what `Policy.as_json` made; whatever cannot be read as a policy lets nothing out."""
    if not isinstance(found, dict):
        return Policy()
    hosts = found.get("hosts", [])
    try:
        level = EgressLevel(str(found.get("level")))
    except ValueError:
        return Policy()
    if not isinstance(hosts, list) or not all(isinstance(host, str) and host for host in hosts):
        return Policy()
    words = {key: found.get(key, "") for key in ("reason", "allowed_by")}
    flags = {key: found.get(key, False) for key in ("downloads", "redirects", "proxies", "unencrypted")}
    if not all(isinstance(word, str) for word in words.values()) or not all(
        isinstance(flag, bool) for flag in flags.values()
    ):
        return Policy()
    if level is EgressLevel.RAW and not all(str(word).strip() for word in words.values()):
        return Policy()
    return Policy(
        level,
        str(words["reason"]),
        str(words["allowed_by"]),
        tuple(str(host).lower() for host in hosts),
        bool(flags["downloads"]),
        bool(flags["redirects"]),
        bool(flags["proxies"]),
        bool(flags["unencrypted"]),
    )
