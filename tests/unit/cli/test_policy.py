"""The commands policy and egress."""

import csv
import json
from pathlib import Path

import pytest

from anonymize.egress.egress_authority import StudyAuthority
from anonymize.egress.policy_edits import set_policy
from models.connection import machine_policy as machine
from project.entities.egress_policy import EgressLevel, EgressRequest, Forbidden, Policy, Purpose
from project.entities.judgments import RAW_CONDITION
from project.session.session import Session
from project.store.study import Study
from tests.builders.egress_requests import abroad, at_home
from tests.builders.terminal import Terminal


@pytest.fixture
def study(tmp_path: Path) -> Path:
    Study.create(tmp_path / "lab.greenroom").close()
    return tmp_path / "lab.greenroom"


def test_it_is_shown_and_set_and_raw_footage_needs_a_reason_and_a_name(study: Path, greenroom: Terminal) -> None:
    assert json.loads(greenroom("policy", "show", str(study), "--json")) == {**Policy().as_json(), "in_force": True}
    said = greenroom("policy", "set", str(study), "anonymized", "--host", "https://api.example.org/v1", "--redirects")
    assert "Reviewed renderings" in said
    assert "To: api.example.org" in said
    assert "To: api.example.org" in greenroom("policy", "set", str(study), "--downloads")
    found = json.loads(
        greenroom("policy", "set", str(study), "--host", "any", "--no-redirects", "--no-downloads", "--json")
    )
    assert found == Policy(EgressLevel.ANONYMIZED).as_json()
    greenroom("policy", "set", str(study), "nothing")
    assert greenroom("policy", "show", str(study)).startswith("Nothing leaves this machine.")
    greenroom("policy", "set", str(study), "anonymized", "--reason", "comparison of models", "--allowed-by", "Board 6")
    assert "--allowed-by" in greenroom("policy", "set", str(study), "raw", code=2)
    greenroom("policy", "set", str(study), "raw", "--reason", "actors only", "--allowed-by", "Board 7", code=2)
    said = greenroom("policy", "set", str(study), "raw", "--reason", "pilot, actors only", "--allowed-by", "Board 7")
    assert "Allowed by: Board 7" in said


def test_the_journal_tells_a_board_who_was_sent_what_and_what_was_not(
    study: Path, greenroom: Terminal, tmp_path: Path
) -> None:
    assert "No request was made." in greenroom("policy", "log", str(study))
    with Session.open(study, "Ada") as session:
        authority = StudyAuthority(session)
        authority.permit(at_home("r1", RAW_CONDITION))
        with pytest.raises(Forbidden):
            authority.permit(abroad("r1", RAW_CONDITION))
        set_policy(session, Policy(EgressLevel.ANONYMIZED, "", "=Board 7"))
        authority.permit(
            EgressRequest(Purpose.TEST, "api.example.org", 443, ("192.0.2.7",), local=False, size=40, scheme="https")
        )
    said = greenroom("policy", "log", str(study), "--csv", str(tmp_path / "out.csv"))
    assert "api.example.org:443 (192.0.2.7)" in said
    assert "nothing-leaves: nothing of this study leaves this machine" in said
    assert "anonymized, allowed by =Board 7" in said
    assert "1 request left this machine to 1 host: nothing of the study; 1 kB in all" in said
    assert "1 request refused: 1 picture, 1 kB of text; 2 kB in all" in said
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["outcome"] for row in rows] == ["local", "refused", "left"]
    assert [row["rule"] for row in rows] == ["", "nothing-leaves", ""]
    assert rows[1]["picture_sha256"] == "b" * 64
    found = json.loads(greenroom("policy", "log", str(study), "--only", "left", "--json"))
    (one,) = found["requests"]
    assert (one["outcome"], one["request"]["host"], one["permission"]) == (
        "left",
        "api.example.org",
        "anonymized, allowed by =Board 7",
    )
    assert found["totals"]["left"]["requests"] == 1
    assert found["policy"]["level"] == "anonymized"


def test_without_a_study_it_tells_what_the_machine_fetched(
    greenroom: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "journal_file", lambda: tmp_path / "requests.jsonl")
    assert "No request was made." in greenroom("policy", "log")
    machine.MachineAuthority().permit(
        EgressRequest(Purpose.DOWNLOAD, "models.example.org", 443, ("192.0.2.8",), local=False, scheme="https")
    )
    said = greenroom("policy", "log")
    assert "models.example.org:443" in said
    assert "downloading a model" in said
    assert greenroom.json("policy", "log")["policy"] is None


def test_it_is_said_that_words_and_key_would_travel_unencrypted(study: Path, greenroom: Terminal) -> None:
    def add(name: str, url: str, *more: str) -> str:
        return greenroom("judge", "add", study, name, "--backend", "openai", "--model", "m", "--url", url, *more)

    told = "Words and key would travel unencrypted to far at http://10.0.0.5:8803, so the policy refuses it"
    assert told in add("far", "http://10.0.0.5:8803/v1", "--sees", "text")
    for number, url in enumerate(("https://10.0.0.5:8803/v1", "http://[::ffff:127.0.0.1]:80/v1")):
        assert "unencrypted" not in add(f"near {number}", url)
    assert "unencrypted to six at" in add("six", "HTTP://[::ffff:10.0.0.5]:8803/v1")
    assert told in greenroom("policy", "set", study, "anonymized")
    said = greenroom("policy", "set", study, "--unencrypted")
    assert "words and keys travel unencrypted: everybody on the way can read them" in said
    assert "http://10.0.0.5:8803, and the policy allows that." in said
    for level, allowed in (("nothing", False), ("anonymized", False)):
        assert greenroom.json("policy", "set", study, level)["unencrypted"] is allowed
    assert greenroom.json("policy", "set", study, "nothing", "--unencrypted")["unencrypted"] is True
    assert greenroom.json("policy", "set", study, "--no-unencrypted")["unencrypted"] is False
    greenroom("policy", "set", study, "raw", "--reason", "pilot, actors only", "--allowed-by", "Board 7")
    said = greenroom("judge", "test", study, "far", code=2)
    assert "Words and keys would travel unencrypted to 10.0.0.5" in said
    assert [row["rule"] for row in greenroom.json("policy", "log", study)["requests"]] == ["unencrypted"]
