"""A data set beside a release that the program itself made: it names what is there."""

import ast
import json
from pathlib import Path

import pytest

from annotate.chains.chain_edits import add_chain, add_edge, add_node
from anonymize.release import release_job as job
from anonymize.release.release_plan import ReleasePlan
from project.entities.causal_chains import NodeKind
from project.errors import UserError
from project.progress import Silent
from project.queries.face_rows import set_dismissed, tracks_of
from project.queries.recording_rows import all_recordings
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.question_dataset import ask, export_read, verify_all
from tests.builders.release_study import lab


def test_what_it_names_is_in_the_release(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    folder = tmp_path / "corpus"
    with Session.open(lab(tmp_path), "Ada Byron") as session:
        (recording,) = all_recordings(session.study)
        chain, _ = add_chain(session, recording.id, "Anna waves")
        reason, _ = add_node(session, chain, NodeKind.EVENT, "somebody comes", 0, 500_000)
        result, _ = add_node(session, chain, NodeKind.EVENT, "Anna waves", 600_000, 900_000)
        add_edge(session, reason, result)
        ask(session, recording.id, chain, (result, reason), "Why does Anna wave?")
        for who in ("Bo", "Cy"):
            verify_all(session, who)
        work = job.prepare(session, folder, ReleasePlan(methods=("solid",), formats=("csv",)))
        assert run_inline(session, work, Silent())[0]["released"] is True

        export_read(session, tmp_path / "out", formats=("vlmevalkit",), release=folder)
        (line,) = (tmp_path / "out" / "train.jsonl").read_text("utf-8").splitlines()
        media = json.loads(line)["media"]
        assert media["method"] == "solid"
        assert media["pictures"] == ["frames-1hz/solid/recording-0001/00001.jpg"]
        assert all((folder / medium).is_file() for medium in (media["clip"], *media["pictures"]))
        (row,) = pandas.read_csv(tmp_path / "out" / "vlmevalkit" / "questions.tsv", sep="\t").to_dict("records")
        assert (folder / f"{row['video']}.mp4").is_file()
        assert ast.literal_eval(row["image_path"]) == media["pictures"]
        sent = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
        assert b"Anna" not in sent
        assert b"Byron" not in sent

        with session.step("Dismiss"):
            set_dismissed(session.study, tracks_of(session.study, recording.id)[0].id, True)
        with pytest.raises(UserError, match="edited since"):
            export_read(session, tmp_path / "again", release=folder)
        assert not (tmp_path / "again").exists()
