"""Requests that want to leave."""

from dataclasses import replace

from project.entities.egress_policy import EgressRequest, Purpose

_BODY = EgressRequest(
    Purpose.JUDGE,
    "api.example.org",
    443,
    ("192.0.2.7",),
    local=False,
    size=2000,
    sha256="a" * 64,
    texts=700,
    frames=("b" * 64,),
    judge_id="j1",
    scheme="https",
)


def abroad(recording_id: str, condition: str) -> EgressRequest:
    """Return a request to another machine with a picture and text of a recording."""
    return replace(_BODY, recording_id=recording_id, condition=condition)


def at_home(recording_id: str, condition: str) -> EgressRequest:
    """Return the same to this machine."""
    return replace(abroad(recording_id, condition), host="localhost", addresses=("127.0.0.1", "::1"), local=True)
