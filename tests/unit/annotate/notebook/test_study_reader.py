"""The door for Python: tables, figures and footage of a study, without Qt; and the notebook of the documentation."""

import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import greenroom as door
from annotate.blinding.reveals import BLIND_FIRST
from annotate.notebook.study_reader import StudyReader
from annotate.segments.segment_edits import add_segment
from annotate.study.participant_variables import enter_variables
from annotate.study.people import add_participant
from annotate.study.scheme_versions import use_shipped_scheme
from app.demo_study import make_demo_study
from project.encryption import passphrases
from project.entities.judgments import JudgeEntry
from project.entities.study_records import ParticipantRole
from project.errors import UserError
from project.queries.recording_rows import all_participants, all_recordings
from project.session.session import Session
from project.store.encryption_change import encrypt_study
from tests.builders import judgments
from tests.builders.cheap_key import make_keys_cheap
from tests.builders.encrypted_study import PASSPHRASE
from tests.builders.filmed_study import make_filmed_study
from tests.builders.marked_study import SECOND, WALK, mark, open_study
from tests.builders.terminal import Terminal

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with open_study(tmp_path, recordings=2) as session:
        use_shipped_scheme(session, "cues")
        person, _ = add_participant(session, "P01", ParticipantRole.USER, WALK)
        enter_variables(session, all_participants(session.study)[0], {"age": "23", "condition": "robot"})
        add_segment(session, WALK, 0, 3 * SECOND, "gesture", {"participant": person}, scheme="cues", track="action")
        mark(session, "Ada", 10, 20, attributes=["emotions", "norms"], rationale="Late.")
        mark(session, "Ben", 12, 20, recording=WALK)
        return session.study.path


@pytest.fixture
def study(path: Path) -> Iterator[StudyReader]:
    with door.open(path, annotator="Ada") as opened:
        yield opened


def test_no_variable_of_participants_takes_the_place_of_another_column(path: Path) -> None:
    with Session.open(path, "Ada") as session:
        enter_variables(session, all_participants(session.study)[0], {"consent_release": "True", "count": "7"})
    with door.open(path, annotator="Ada") as study:
        (person,) = study.participants().to_dict("records")
        budget = study.time_budget(by=["count"], scheme="cues", track="action")
    assert (person["consent_release"], person["variable_consent_release"]) == (False, "True")
    assert budget[budget["variable_count"] == "7"]["count"].sum() == 1


def test_the_tables_hold_the_rows_of_the_study(study: StudyReader) -> None:
    assert study.recordings()["name"].tolist() == ["walk", "walk 2"]
    (person,) = study.participants().to_dict("records")
    assert (person["participant"], person["age"], person["condition"], person["consent_release"]) == (
        *("P01", 23, "robot"),
        False,
    )
    segments = study.segments()
    assert segments[["annotator", "label", "start_s", "duration_s"]].values.tolist() == [
        ["Ada", "gesture", 0, 3],
        ["Ada", "error", 10, 10],
        ["Ben", "error", 12, 8],
    ]
    assert segments["participant"].tolist()[0] == "P01"
    assert segments["attributes"].tolist()[1] == "emotions;norms"
    assert len(study.segments(scheme="shrec")) == 2
    assert study.transcript().empty
    with pytest.raises(UserError, match="no recording"):
        study.transcript(9)


def test_the_figures_are_those_of_the_commands(study: StudyReader, path: Path, greenroom: Terminal) -> None:
    budget = study.time_budget(by=["condition"], scheme="cues", track="action")
    told = greenroom.json("study", "budget", path, "--scheme", "cues", "--track", "action", "--by", "condition")
    assert budget.to_dict("records")[0] == told["rows"][0] | {"sd_s": pytest.approx(np.nan, nan_ok=True)}
    assert np.isnan(budget["sd_s"].mean())
    figures = study.agreement(("Ada", "Ben")).set_index("figure")["value"]
    agreed = greenroom.json("team", "agreement", path, "--pair", "Ada", "Ben")
    assert figures["mean_iou"] == pytest.approx(agreed["main"]["mean_iou"]["value"])
    assert study.transitions(scheme="cues", track="action")["count"].sum() == 0
    with pytest.raises(UserError, match="no table"):
        study.agreement(table="by_mood")


def test_judgments_come_as_blind_first_allows(path: Path) -> None:
    with door.open(path, annotator="Ada") as study:
        about = study.segments(scheme="shrec").iloc[1]["id"]
    with Session.open(path, "Ada") as session:
        said = judgments.made_up(JudgeEntry("j", "gpt", "openai", "m"), session, about, {"label": "error"})
        judgments.store(session, said)
    with door.open(path, annotator="Cleo") as study, pytest.warns(UserWarning, match="1 judgments are hidden"):
        assert study.judgments().empty
    with Session.open(path, "Ada") as session, session.step("See"):
        session.study.set_property(BLIND_FIRST, False)
    with door.open(path, annotator="Cleo") as study, warnings.catch_warnings():
        (row,) = study.judgments().to_dict("records")
    assert (row["judge"], row["label"], row["segment"], row["recording"]) == ("gpt", "error", about, 1)


def test_frames_and_sound_of_a_segment(tmp_path: Path) -> None:
    path = make_filmed_study(tmp_path / "film")
    with Session.open(path, "Ada") as session:
        owner = all_recordings(session.study)[0].id
        about, _ = add_segment(session, owner, SECOND, 2 * SECOND, "error")
    with door.open(path) as study:
        frames, sound = study.frames(about), study.sound(about, 8000)
        assert (frames.shape, frames.dtype) == ((25, 48, 64, 3), np.uint8)
        small = study.frames(about, step=5, longest=32)
        assert small.shape == (5, 24, 32, 3)
        # Smaller pictures have the colours of the large ones.
        assert np.abs(small.mean((0, 1, 2)) - frames[::5].mean((0, 1, 2))).max() < 8
        times = [time for time, _ in study.iterate_frames(about, step=5)]
        assert times == pytest.approx([1, 1.2, 1.4, 1.6, 1.8])
        assert len(sound) == 8000
        assert np.abs(sound).max() > 0.01


def test_an_encrypted_study_needs_its_passphrase(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_keys_cheap(monkeypatch)
    encrypt_study(path, PASSPHRASE)
    monkeypatch.setattr(passphrases, "_keys", {})
    with pytest.raises(UserError, match="Give its passphrase"):
        door.open(path)
    with pytest.raises(UserError, match="not the passphrase"):
        door.open(path, passphrase=f"in{PASSPHRASE}")
    with door.open(path, passphrase=PASSPHRASE, annotator="Ada") as study:
        assert len(study.segments()) == 3


def test_no_qt_is_loaded_and_nothing_is_written(path: Path, tmp_path: Path) -> None:
    before = path.read_bytes()
    script = (
        "import sys, greenroom\n"
        f"study = greenroom.open({str(path)!r})\n"
        "study.segments(), study.time_budget(), study.agreement(), study.participants()\n"
        "study.close()\n"
        "print([name for name in sys.modules if name.partition('.')[0] in ('PySide6', 'matplotlib', 'cv2', 'widgets')])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert path.read_bytes() == before


def test_polars_that_is_missing_is_named(path: Path) -> None:
    pytest.importorskip("pandas")
    with door.open(path, frames="polars") as study:
        try:
            import polars
        except ImportError:
            with pytest.raises(UserError, match="polars is not installed"):
                study.segments()
        else:
            assert isinstance(study.segments(), polars.DataFrame)


def test_the_notebook_makes_a_table_of_results_from_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_demo_study(tmp_path / "demo", fetch=False)
    notebook = json.loads((ROOT / "docs" / "notebook.ipynb").read_text("utf-8"))
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    results, by_hand = names["results"], names["by_hand"].reset_index()
    marked = results[results["count"] > 0].sort_values("label")
    assert marked["count"].tolist() == by_hand["count"].tolist()
    assert marked["mean_s"].tolist() == pytest.approx(by_hand["mean"].tolist())
    assert names["pictures"].ndim == 4
