"""That a request is written down before it is let through, and a refusal too; how a job asks from elsewhere."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from annotate.study.recording_edits import redo, undo
from anonymize.egress.egress_authority import (
    PERMIT,
    PermitQuestion,
    RemoteAuthority,
    StudyAuthority,
    answer_permits,
    permit_question,
)
from anonymize.egress.policy_edits import change_policy, parse_hosts, set_policy
from project.codec import dump
from project.entities.egress_policy import EgressLevel, EgressRequest, Forbidden, Policy, Purpose
from project.entities.judgments import RAW_CONDITION
from project.errors import UserError
from project.files.sqlcipher import sqlite3
from project.merging.merge import merge_copy
from project.queries.policy_rows import all_egress, insert_egress, read_policy
from project.session.session import Session
from project.sharing.annotator_copy import AnnotatorShare, split_copy
from project.store.study import Study
from tests.builders.egress_requests import abroad, at_home

EVERYTHING = Policy(EgressLevel.RAW, "pilot with actors only", "Board 7")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(Study.create(tmp_path / "study.greenroom"), "Ada") as opened:
        yield opened


def refused(session: Session, departure: EgressRequest) -> str:
    with pytest.raises(Forbidden) as refusal:
        StudyAuthority(session).permit(departure)
    return refusal.value.rule


def test_by_default_nothing_leaves_and_what_stays_is_written_down_too(session: Session) -> None:
    assert refused(session, abroad("r1", RAW_CONDITION)) == "nothing-leaves"
    StudyAuthority(session).permit(at_home("r1", RAW_CONDITION))
    kept, let = all_egress(session.study)
    assert (kept.rule, kept.permission, kept.level) == ("nothing-leaves", "", EgressLevel.NOTHING)
    assert (let.rule, let.permission) == ("", "local")
    assert kept.request == abroad("r1", RAW_CONDITION), "all of it, also of what was refused"
    assert not session.study.undo_name, "it is no step, so nobody can undo it"


def test_a_request_is_on_disk_before_it_is_let_through(session: Session) -> None:
    StudyAuthority(session).permit(at_home("r1", RAW_CONDITION))
    with Session.open(session.study.path, "Bo", read_only=True) as other:
        assert [egress.request.host for egress in all_egress(other.study)] == ["localhost"]


def test_what_cannot_be_written_down_is_not_sent(session: Session) -> None:
    with Session.open(session.study.path, "Bo", read_only=True) as reading:
        assert refused(reading, at_home("r1", RAW_CONDITION)) == "recorded"
        assert refused(reading, abroad("r1", RAW_CONDITION)) == "nothing-leaves", "the rule that comes first is named"
    assert all_egress(session.study) == []


def test_the_journal_cannot_be_changed(session: Session) -> None:
    StudyAuthority(session).permit(at_home("r1", RAW_CONDITION))
    (line,) = all_egress(session.study)
    for sql in ("UPDATE egress SET permission = ?", "DELETE FROM egress WHERE id <> ?"):
        with pytest.raises(sqlite3.IntegrityError), session.study.run_transaction():
            session.study.write_run(sql, [("x",)])
        with pytest.raises(sqlite3.IntegrityError), session.step("Tamper"):
            session.study.write(sql, ("x",))
    with pytest.raises(sqlite3.IntegrityError), session.study.run_transaction():
        insert_egress(session.study, line)
    assert all_egress(session.study) == [line]


def test_a_policy_that_is_damaged_lets_nothing_out(session: Session) -> None:
    set_policy(session, EVERYTHING)
    with session.step("Damage"):
        session.study.write("UPDATE property SET value = 'x' WHERE key = 'policy'", ())
    assert refused(session, abroad("r1", RAW_CONDITION)) == "nothing-leaves"


def test_the_policy_counts_as_it_is_at_that_moment(session: Session) -> None:
    authority = StudyAuthority(session)
    empty = replace(abroad("", ""), texts=0, frames=())
    assert authority.preview_refusal(empty) is not None
    set_policy(session, EVERYTHING)
    authority.permit(empty)
    assert all_egress(session.study)[-1].permission == "raw, allowed by Board 7"
    set_policy(session, Policy())
    with pytest.raises(Forbidden):
        authority.permit(empty)


def test_a_download_needs_no_level_and_no_evidence(session: Session) -> None:
    download = EgressRequest(Purpose.DOWNLOAD, "models.example.org", 443, ("192.0.2.8",), local=False, scheme="https")
    assert refused(session, download) == "downloads"
    set_policy(session, Policy(downloads=True))
    StudyAuthority(session).permit(download)
    assert refused(session, replace(download, proxy="proxy.example.org")) == "proxies"
    assert refused(session, abroad("r1", RAW_CONDITION)) == "nothing-leaves"


def test_a_job_elsewhere_asks_the_holder_of_the_study(session: Session) -> None:
    holder = SimpleNamespace(ask=lambda question: answer_permits(session, json.loads(json.dumps(question))))
    remote = RemoteAuthority(holder)
    remote.permit(at_home("r1", RAW_CONDITION))
    with pytest.raises(Forbidden) as refusal:
        remote.permit(abroad("r1", RAW_CONDITION))
    assert refusal.value.rule == "nothing-leaves"
    assert [egress.request for egress in all_egress(session.study)] == [
        at_home("r1", RAW_CONDITION),
        abroad("r1", RAW_CONDITION),
    ]


def test_only_a_yes_is_a_yes_and_a_question_that_is_not_understood_is_a_no(session: Session) -> None:
    for said in ({}, {"refusals": "no"}, {"refusals": []}, {"refusals": [None, None]}, {"refusals": [{}]}):
        with pytest.raises(Forbidden):
            RemoteAuthority(SimpleNamespace(ask=lambda question, said=said: said)).permit(at_home("r1", "raw"))
    whole = permit_question([at_home("r1", RAW_CONDITION)])
    assert answer_permits(session, whole) == {"refusals": [None]}
    (request,) = dump(PermitQuestion((at_home("r1", RAW_CONDITION),)))["requests"]
    said = {name: value for name, value in request.items() if name != "unapproved"}
    for requests in (
        *(None, [None], [{}], [{**request, "purpose": "fun"}]),
        *([said], [{**said, "unapproved": "0"}], [{**said, "unapproved": False}], [{**said, "unaproved": 0}]),
    ):
        with pytest.raises(Forbidden):
            answer_permits(session, {"ask": PERMIT, "requests": requests})


# Setting it


def test_neither_undo_nor_redo_loosens_it(session: Session) -> None:
    with session.step("Rename study"):
        session.study.set_property("name", "Pilot")
    set_policy(session, EVERYTHING)
    set_policy(session, Policy())
    undo(session)
    assert read_policy(session.study) == Policy()
    redo(session)
    assert read_policy(session.study) == Policy()
    set_policy(session, EVERYTHING)
    undo(session)
    set_policy(session, Policy())
    redo(session)
    assert read_policy(session.study) == Policy()


def test_raw_footage_needs_a_reason_and_somebody_who_allowed_it(session: Session) -> None:
    for reason, allowed_by in (("", ""), ("pilot only", "Board 7"), ("pilot with actors only", " "), ("  ", "Board 7")):
        with pytest.raises(UserError):
            set_policy(session, Policy(EgressLevel.RAW, reason, allowed_by))
    assert read_policy(session.study) == Policy()


def test_what_was_said_for_one_level_does_not_stand_for_another() -> None:
    assert change_policy(EVERYTHING, level=EgressLevel.ANONYMIZED).allowed_by == ""
    assert change_policy(EVERYTHING, level=EgressLevel.RAW) == EVERYTHING
    assert change_policy(EVERYTHING, downloads=True) == replace(EVERYTHING, downloads=True)
    assert change_policy(Policy(hosts=("a.example",)), hosts=()).hosts == ()


def test_a_host_is_kept_as_requests_name_it() -> None:
    for given, host in (
        ("http://user:secret@API.example.org:8443/v1", "api.example.org"),
        ("api.example.org.", "api.example.org"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("[::ffff:192.0.2.7]", "192.0.2.7"),
    ):
        assert parse_hosts([given, given]) == (host,)
    for wrong in ("a b", "*.example.org", "a..example"):
        with pytest.raises(UserError):
            parse_hosts([wrong])


# Copies


def test_a_copy_is_not_given_the_policy_and_does_not_bring_one(session: Session, tmp_path: Path) -> None:
    set_policy(session, Policy(EgressLevel.ANONYMIZED))
    who = session.annotator()
    made = split_copy(session.study, AnnotatorShare(who, ()), tmp_path / "copy")
    with Session.open(made.path, "Ada") as copy:
        assert read_policy(copy.study) == Policy()
        set_policy(copy, EVERYTHING)
    with Session.open(made.path, "Ada", read_only=True) as copy:
        merge_copy(session.study, copy.study, who.id)
    assert read_policy(session.study) == Policy(EgressLevel.ANONYMIZED)
