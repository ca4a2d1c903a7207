"""The way to a scheduler: its address is read, permitted and written down before anything else happens."""

import pytest

from models.connection import dask_connection as cluster
from models.connection.dask_connection import (
    Scheduler,
    parse_scheduler,
    permitted_addresses,
)
from project.entities.egress_policy import EgressRequest, Forbidden, Purpose
from project.errors import UserError


class Asked:
    """Permits the first few requests."""

    threadsafe = False

    def __init__(self, permits: int) -> None:
        self.requests: list[EgressRequest] = []
        self._permits = permits

    def permit(self, departure: EgressRequest) -> None:
        self.requests.append(departure)
        if len(self.requests) > self._permits:
            raise Forbidden("cluster", "No.")


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("tcp://node7:8786", Scheduler("tcp", "node7", 8786)),
        ("tls://Node7.Example.ORG.:9000", Scheduler("tls", "node7.example.org", 9000)),
        ("node7:1", Scheduler("tcp", "node7", 1)),
        ("tcp://[::1]:8786", Scheduler("tcp", "::1", 8786)),
        ("tcp://0x7f000001:8786", Scheduler("tcp", "127.0.0.1", 8786)),
    ],
)
def test_an_address_is_read(address: str, found: Scheduler) -> None:
    assert parse_scheduler(address) == found
    assert parse_scheduler(str(found)) == found


@pytest.mark.parametrize(
    "address",
    ["", "http://node7:8786", "tcp://node7:99999", "node7/x", "u@node7"],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(UserError, match="not the address of a scheduler"):
        parse_scheduler(address)


def test_a_name_is_asked_for_before_it_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []

    def resolve(host: str, port: int) -> tuple[str, ...]:
        looked_up.append(host)
        return ("192.0.2.7",)

    monkeypatch.setattr(cluster, "resolve", resolve)
    monkeypatch.setattr(cluster, "is_known_locally", lambda host: False)
    for permits, names in ((0, 0), (1, 1), (2, 1)):
        looked_up.clear()
        authority = Asked(permits)
        if permits < 2:
            with pytest.raises(Forbidden):
                permitted_addresses(Scheduler("tcp", "node7", 8786), authority)
        else:
            assert permitted_addresses(Scheduler("tcp", "node7", 8786), authority) == ("192.0.2.7",)
        assert len(looked_up) == names
        assert {request.purpose for request in authority.requests} == {Purpose.CLUSTER}
        assert [request.addresses for request in authority.requests] == [(), ("192.0.2.7",)][: permits + 1]
        assert not any(request.local for request in authority.requests)


@pytest.mark.parametrize(
    ("addresses", "local"),
    [(("127.0.0.1", "::1"), True), (("127.0.0.1", "192.0.2.7"), False)],
)
def test_it_is_this_machine_where_all_its_addresses_are(
    addresses: tuple[str, ...], local: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "resolve", lambda host, port: addresses)
    monkeypatch.setattr(cluster, "is_known_locally", lambda host: True)
    authority = Asked(1)
    permitted_addresses(Scheduler("tcp", "head", 8786), authority)
    assert [request.local for request in authority.requests] == [local]
