"""Setting a policy revokes every earlier one: no older file, copy or note brings one back without a question."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from anonymize.egress.egress_authority import StudyAuthority, needs_confirmation, policy_in_force
from anonymize.egress.policy_edits import confirm_policy, set_policy
from project.entities.egress_policy import EgressLevel, Forbidden, Policy
from project.errors import UserError
from project.queries.policy_rows import POLICY_PROPERTY, stored_policy
from project.session.session import Session
from project.session.trust_store import TrustKind, read_trusted
from project.store.study import Study
from tests.builders.egress_requests import abroad
from tests.builders.terminal import Terminal

RAW = Policy(EgressLevel.RAW, "pilot with actors only", "Board 7")
REVIEWED = Policy(EgressLevel.ANONYMIZED)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    Study.create(tmp_path / "lab.greenroom").close()
    return tmp_path / "lab.greenroom"


def put(study: Path, *policies: Policy) -> None:
    for policy in policies:
        with Session.open(study, "Ada") as session:
            set_policy(session, policy)


def holds(study: Path) -> Policy:
    with Session.open(study, "Ada", read_only=True) as session:
        return policy_in_force(session)


def kept(study: Path) -> Path:
    return Path(shutil.copyfile(study, study.with_name("kept")))


def config() -> Path:
    return platformdirs.user_config_path("greenroom", appauthor=False) / "trusted.json"


def data() -> Path:
    return platformdirs.user_data_path("greenroom", appauthor=False) / "policies.json"


@pytest.mark.parametrize("later", [[REVIEWED], [Policy(), RAW]])
def test_an_older_file_brings_no_older_permission_back(study: Path, later: list[Policy]) -> None:
    put(study, RAW)
    older = kept(study)
    put(study, *later)
    assert holds(study) == later[-1]
    shutil.copyfile(older, study)
    assert holds(study) == Policy(), "also where the newest policy says the same: it was set anew"
    with Session.open(study, "Ada") as session:
        with pytest.raises(Forbidden, match="not the one that was set last on this machine") as refusal:
            StudyAuthority(session).permit(abroad("r1", "raw"))
        assert "greenroom policy confirm STUDY" in refusal.value.hint
        confirm_policy(session)
        assert policy_in_force(session) == RAW
    shutil.copyfile(older, study)
    assert holds(study) == Policy(), "what was confirmed is that file's policy and no other's"


def test_of_two_copies_the_policy_that_was_set_last_holds(study: Path) -> None:
    put(study, RAW)
    other = Path(shutil.copyfile(study, study.with_name("other.greenroom")))
    put(other, REVIEWED)
    assert (holds(study), holds(other)) == (Policy(), REVIEWED)
    put(study, RAW)
    assert (holds(study), holds(other)) == (RAW, Policy())
    put(other, Policy())
    assert (holds(study), holds(other)) == (Policy(), Policy())


def test_no_line_of_a_file_makes_a_policy_the_newest(study: Path) -> None:
    put(study, REVIEWED)
    with Session.open(study, "Mallory") as session, session.step("Loosen"):
        session.study.set_property(POLICY_PROPERTY, {**stored_policy(session.study), **RAW.as_json()})
    assert holds(study) == Policy()


@pytest.mark.parametrize("place", [config, data])
def test_notes_of_this_machine_that_are_gone_or_older_vouch_for_nothing(study: Path, place: Callable[[], Path]) -> None:
    put(study, RAW)
    older, note = kept(study), place().read_bytes()
    put(study, REVIEWED)
    place().write_bytes(note)
    assert holds(study) == Policy()
    shutil.copyfile(older, study)
    assert holds(study) == Policy(), "one of two notes was put back with the file"
    for damage in ("", "[]", json.dumps({"a": 1}), "{"):
        place().write_text(damage)
        assert holds(study) == Policy()
    place().unlink()
    assert holds(study) == Policy()
    put(study, REVIEWED)
    assert holds(study) == REVIEWED


def test_a_policy_that_was_set_elsewhere_is_asked_about_once(study: Path) -> None:
    with Session.open(study, "Ada") as session:
        with session.step("Let raw footage leave"):
            session.study.set_property(POLICY_PROPERTY, RAW.as_json())
        study_id = session.study.id
    config().parent.mkdir(parents=True, exist_ok=True)
    config().write_text(json.dumps({study_id: {"folders": ["/footage"]}}))
    assert holds(study) == Policy()
    with Session.open(study, "Ada") as session:
        assert needs_confirmation(session)
        confirm_policy(session)
    assert holds(study) == RAW
    assert read_trusted(study_id, TrustKind.FOLDER) == ("/footage",)


def test_what_lets_nothing_out_is_no_question_and_gives_nothing_on(study: Path, tmp_path: Path) -> None:
    with Session.open(study, "Ada") as session:
        ways = Policy(redirects=True, unencrypted=True, hosts=("a.example",))
        with session.step("As it came"):
            session.study.set_property(POLICY_PROPERTY, ways.as_json())
        assert not needs_confirmation(session)
        assert policy_in_force(session) == Policy(), "a level that is set later does not take its ways over"


@pytest.fixture
def unwritable(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object, **_named: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("project.session.trust_store.store_object", refuse)


@pytest.mark.usefixtures("unwritable")
def test_a_policy_that_cannot_be_noted_is_not_loosened_and_is_closed_all_the_same(study: Path) -> None:
    with Session.open(study, "Ada") as session:
        with pytest.raises(UserError, match=r"cannot be set: this machine cannot note it \(Read-only file system\)"):
            set_policy(session, RAW)
        assert stored_policy(session.study) is None
        with session.step("As it came"):
            session.study.set_property(POLICY_PROPERTY, RAW.as_json())
        with pytest.raises(UserError, match="Nothing leaves this machine from this study, but an older copy"):
            set_policy(session, Policy())
        assert stored_policy(session.study)["level"] == "nothing"


def test_the_command_line_names_the_command_and_asks(study: Path, greenroom: Terminal) -> None:
    put(study, RAW)
    older = kept(study)
    put(study, Policy())
    shutil.copyfile(older, study)
    said = greenroom("policy", "show", study)
    assert "not in force here" in said
    assert "greenroom policy confirm STUDY" in said
    assert greenroom.json("policy", "show", study)["in_force"] is False
    assert "--yes" in greenroom("policy", "confirm", study, code=2)
    assert holds(study) == Policy(), "without an answer nothing is put in force"
    assert "In force on this machine:" in greenroom("policy", "confirm", study, "--yes")
    assert holds(study) == RAW
    assert config().stat().st_mode & 0o077 == 0
