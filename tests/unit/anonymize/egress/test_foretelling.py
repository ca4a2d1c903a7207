"""That a page or command can say before asking what the policy would say, without asking anybody anything."""

from dataclasses import replace

import pytest

from anonymize.egress.egress_authority import judge_refusal
from anonymize.egress.policy_edits import set_policy
from models.connection.addresses import is_local_host
from project.entities.egress_policy import EgressLevel, Policy
from project.entities.judgments import PERSON_BACKEND, RAW_CONDITION, JudgeEntry
from project.entities.study_records import Recording
from project.errors import UserError
from project.ids import new_id
from project.queries.policy_rows import all_egress
from project.session.session import Session

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "no_proxy", "NO_PROXY")


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)


def server(url: str, **settings: str) -> JudgeEntry:
    return JudgeEntry(new_id(), "J", "openai", "some-model", {"url": url, **settings})


def rule(session: Session, entry: JudgeEntry, recording: Recording, condition: str) -> str:
    found = judge_refusal(session, entry, recording.id, condition)
    return "" if found is None else found.rule


def test_a_server_on_this_machine_may_be_asked_and_another_is_not_even_looked_up(
    session: Session, recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a name server was asked")

    for host in ("localhost:8080", "127.0.0.1:1234", "[::1]:8080", "127.1.2.3"):
        assert rule(session, server(f"http://{host}/v1"), recording, RAW_CONDITION) == "", host
    assert [is_local_host(host, 80) for host in ("localhost", "::1", "192.0.2.7", "")] == [True, True, False, False]
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    for host in ("api.example.org", "192.0.2.7", "0.0.0.0:8080", "localhost.example.org", "127.0.0.1.example.org"):
        assert rule(session, server(f"http://{host}/v1"), recording, RAW_CONDITION) == "nothing-leaves", host
    assert all_egress(session.study) == [], "nothing wanted to leave yet"


def test_each_level_is_foretold(session: Session, recording: Recording, rendering: str) -> None:
    far = server("https://api.example.org/v1")
    set_policy(session, Policy(EgressLevel.ANONYMIZED))
    assert rule(session, far, recording, RAW_CONDITION) == "raw"
    assert rule(session, far, recording, rendering) == ""
    assert rule(session, far, recording, "no such run") == "reviewed"
    set_policy(session, Policy(EgressLevel.ANONYMIZED, hosts=("other.example.org",)))
    assert rule(session, far, recording, rendering) == "hosts"
    set_policy(session, Policy(EgressLevel.RAW, "pilot with actors only", "Board 7"))
    assert rule(session, far, recording, RAW_CONDITION) == ""


def test_a_judge_that_only_reads_needs_no_rendering(session: Session, recording: Recording, rendering: str) -> None:
    set_policy(session, Policy(EgressLevel.ANONYMIZED))
    for clip in session.study.folder.glob("clips/*.mp4"):
        clip.unlink()
    for sees, refused in (("text", ""), ("frames", "reviewed"), ("clip", "reviewed")):
        assert rule(session, server("https://api.example.org/v1", sees=sees), recording, rendering) == refused


def test_the_machines_proxy_is_foretold(
    session: Session, recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    far, raw = server("https://api.example.org/v1"), Policy(EgressLevel.RAW, "pilot with actors only", "Board 7")
    set_policy(session, raw)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.org:3128")
    assert rule(session, far, recording, RAW_CONDITION) == "proxies"
    assert rule(session, server("http://localhost:8080/v1"), recording, RAW_CONDITION) == ""
    set_policy(session, replace(raw, proxies=True))
    assert rule(session, far, recording, RAW_CONDITION) == ""


def test_what_opens_no_connection_is_allowed_and_nonsense_an_error(session: Session, recording: Recording) -> None:
    for backend in ("random", "majority", "constant", "oracle", "llama-cpp", PERSON_BACKEND):
        assert rule(session, JudgeEntry(new_id(), "J", backend, "model.gguf"), recording, RAW_CONDITION) == ""
    with pytest.raises(UserError):
        judge_refusal(session, JudgeEntry(new_id(), "J", "telepathy"), recording.id, RAW_CONDITION)
