"""No copy is given the policy of its study, and none brings a policy home."""

import shutil
from pathlib import Path

import pytest

from annotate.team.study_copies import merge_copies, split_study
from anonymize.egress.policy_edits import set_policy
from project.entities.egress_policy import EgressLevel, Policy
from project.entities.study_records import Annotator
from project.queries.annotator_rows import insert_annotator
from project.queries.policy_rows import read_policy
from project.session.session import Session
from project.store.study import Study

RAW = Policy(EgressLevel.RAW, "a comparison of models", "Board 2026-17", ("api.example.org",))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    path = tmp_path / "lab.greenroom"
    with Study.create(path) as study, study.step("Add annotator"):
        insert_annotator(study, Annotator("a-ada", "Ada"))
    return Session.open(path, "Olga")


def test_a_copy_for_an_annotator_begins_with_nothing_leaves(session: Session, tmp_path: Path) -> None:
    with session:
        set_policy(session, RAW)
        made = split_study(session, "Ada", tmp_path / "for-ada")
    with Study.open(made.path) as copy:
        assert read_policy(copy) == Policy()


def test_a_copy_that_was_loosened_loosens_nothing_at_home(session: Session, tmp_path: Path) -> None:
    with session:
        home = session.study.path
    loose = Path(shutil.copyfile(home, tmp_path / "loose.greenroom"))
    with Session.open(loose, "Ada") as copy:
        set_policy(copy, RAW)
        assert read_policy(copy.study) == RAW
    with Session.open(home, "Olga") as back:
        merge_copies(back, [loose])
        assert read_policy(back.study) == Policy()
