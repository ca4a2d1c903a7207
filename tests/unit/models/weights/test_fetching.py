"""The job that fetches weights: the same here and in the worker, stopped at any point, and nothing in the study."""

from pathlib import Path

import pytest

from anonymize.egress import weights_download_job as fetching
from anonymize.egress.policy_edits import set_policy
from models.connection.machine_policy import read_journal
from models.weights import fetching as package_index
from models.weights import installed_weights as weights
from models.weights import weights_catalogue as catalogue
from project.entities.egress_policy import Forbidden, Policy, Purpose
from project.errors import Cancelled, UserError
from project.progress import Silent
from project.queries.policy_rows import all_egress
from project.session.jobs import JobSpec, run_inline
from project.session.session import Session
from tests.builders.face_pictures import StopAfter
from tests.builders.weights_server import Sender
from tests.builders.wheels import PLAIN, WHEEL, toy, wheel


@pytest.fixture(autouse=True)
def index(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> Sender:
    monkeypatch.setitem(catalogue.WEIGHTS, "toy", toy())
    return sender


def test_it_installs_changes_nothing_in_the_study_and_every_request_is_in_its_journal(
    session: Session, index: Sender
) -> None:
    with pytest.raises(Cancelled):
        run_inline(session, fetching.prepare("toy"), StopAfter(1))
    assert not weights.is_installed("toy")
    work, last_step = fetching.prepare("toy"), session.study.undo_name
    assert work == JobSpec("fetch", "Get toy", "", fetching.InstallationParameters("toy"))
    result, changes = run_inline(session, work, Silent())
    assert (result.name, not changes, weights.is_installed("toy")) == ("toy", True, True)
    assert session.study.undo_name == last_step
    written = all_egress(session.study)
    assert len(written) == len(index.paths) > 0
    assert {(egress.request.purpose, egress.permission, egress.rule) for egress in written} == {
        (Purpose.DOWNLOAD, "local", "")
    }
    assert read_journal() == []


def test_the_policy_of_the_open_study_decides(session: Session, monkeypatch: pytest.MonkeyPatch, index: Sender) -> None:
    monkeypatch.setenv(package_index.INDEX_VARIABLE, "https://index.invalid/simple")
    refused = fetching.download_refusal(session, "toy")
    assert refused.rule == "downloads"
    with pytest.raises(Forbidden, match="not even to download") as raised:
        run_inline(session, fetching.prepare("toy"), Silent())
    assert raised.value.rule == "downloads"
    (line,) = all_egress(session.study)
    assert (line.request.host, line.request.addresses, line.rule) == ("index.invalid", (), "downloads")
    set_policy(session, Policy(downloads=True))
    assert fetching.download_refusal(session, "toy") is None
    with pytest.raises(UserError, match="cannot be downloaded"):
        run_inline(session, fetching.prepare("toy"), Silent())
    assert [egress.permission for egress in all_egress(session.study)] == ["", "downloads allowed"]
    assert index.paths == []


def test_what_a_lab_brings_and_what_there_is_not_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, words in (("cartoon", "bring your own"), ("magic", "no model")):
        with pytest.raises(UserError, match=words):
            fetching.prepare(name)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UserError, match="HF_HUB_OFFLINE"):
        fetching.prepare("toy")


def test_a_source_can_be_chosen(session: Session, monkeypatch: pytest.MonkeyPatch, index: Sender) -> None:
    monkeypatch.setitem(catalogue.WEIGHTS, "toy", toy(f"{index.base}/official"))
    index.files["/official"] = PLAIN
    run_inline(session, fetching.prepare("toy", "official"), Silent())
    assert weights.verified_path("toy").name == "other.task"
    with pytest.raises(UserError, match="no source"):
        fetching.prepare("toy", "magic")


def test_weights_are_added_by_the_same_job(session: Session, tmp_path: Path) -> None:
    (tmp_path / "stick").mkdir()
    (tmp_path / "stick" / WHEEL).write_bytes(wheel())
    result, changes = run_inline(session, fetching.prepare_adding("toy", tmp_path / "stick"), Silent())
    assert (result.name, not changes, weights.is_installed("toy")) == ("toy", True, True)
    with pytest.raises(UserError, match="does not exist"):
        fetching.prepare_adding("toy", tmp_path / "gone")
