"""Questions as a data set: what is in it, that somebody read it before, and that whoever gets it can read it."""

import csv
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.chains import chain_edits as chains
from annotate.study.recording_edits import undo
from annotate.team.assignments import hold_out
from anonymize.pii_review.pii_decisions import hide_everywhere
from benchmark.dataset import dataset_export as writing
from benchmark.dataset.dataset_card import SPLIT_SHARES, assign_splits
from benchmark.dataset.dataset_export import RUN_KIND, export_questions, find_reader, table_cell, unique_texts
from benchmark.dataset.question_selection import STALE, UNVERIFIED, select_questions
from project.errors import UserError
from project.progress import Silent
from project.queries.chain_rows import chains_of
from project.queries.history_rows import latest_run
from project.queries.question_rows import all_questions
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from tests.builders.question_dataset import (
    approve,
    ask_of_chain,
    asked_study,
    export_read,
    exported_lines,
    nodes_of,
    read_all,
    text_of,
)

BOTH = ("jsonl", "vlmevalkit")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with asked_study(tmp_path, 2) as opened:
        yield opened


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Session, Path]]:
    """A study of 27 questions in six recordings, and its whole set."""
    folder = tmp_path_factory.mktemp("set")
    with asked_study(folder) as opened:
        made = export_read(opened, folder / "out", formats=BOTH, seed=4)
        assert (made.questions, made.left_out, made.chains) == (27, {}, 6)
        yield opened, folder / "out"


def test_each_question_is_there_once_with_its_options_as_they_were_shown(exported: tuple[Session, Path]) -> None:
    session, out = exported
    lines, questions = exported_lines(out), all_questions(session.study)
    assert len(lines) == len(questions) == 27
    by_text = {(line["media"]["recording"], line["question"]): line for line in lines}
    for question in questions:
        number = session.recording(question.recording_id).number
        line = by_text[f"recording-{number:04}", question.text]
        assert line["options"] == [*question.options]
        assert (line["letter"], line["answer"]) == (question.correct_letter, question.answer)
        assert line["options"]["ABCDE".index(line["letter"])] == question.answer
        assert (line["verified"], line["stale"], line["difficulty"]) == (True, False, "hard")
    known = {chain["id"]: chain for chain in map(json.loads, (out / "chains.jsonl").read_text("utf-8").splitlines())}
    for line in lines:
        assert {*line["covers"]} <= {node["id"] for node in known[line["chain"]]["nodes"]}


def test_a_recording_is_in_one_split_and_the_seed_decides(exported: tuple[Session, Path], tmp_path: Path) -> None:
    session, out = exported
    again = export_read(session, tmp_path / "again", formats=BOTH, seed=4)
    assert text_of(tmp_path / "again") == text_of(out)
    where = {(line["media"]["recording"], line["split"]) for line in exported_lines(out)}
    assert dict(where) == again.recordings
    assert len(where) == 6
    assert {*again.recordings.values()} == {*SPLIT_SHARES}


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(1, 60), min_size=1), st.integers())
def test_splits_are_as_balanced_as_recordings_allow(questions: dict[str, int], seed: int) -> None:
    splits = assign_splits(questions, seed)
    assert splits.keys() == questions.keys()
    total, most = sum(questions.values()), max(questions.values())
    for split, share in SPLIT_SHARES.items():
        assert sum(many for text, many in questions.items() if splits[text] == split) <= share * total + most


def test_the_loader_runs_as_it_is_and_the_card_counts(exported: tuple[Session, Path]) -> None:
    _, out = exported
    done = subprocess.run([sys.executable, "-I", str(out / "load.py")], capture_output=True, text=True, check=True)
    counts = [line.split(" ")[1] for line in done.stdout.splitlines() if " questions " in line]
    assert sum(map(int, counts)) == 27
    assert "Answer with one letter." in done.stdout
    assert "Covers: event" in done.stdout
    card = (exported[1] / "DATACARD.md").read_text("utf-8")
    assert "27 questions about 6 recordings, made from 6 causal chains" in card
    assert "- Licence of questions and chains: <licence>" in card
    assert "$" not in card
    assert "decision: 27 of 27 pairs say the same" in card
    assert "| all |" in card
    assert "A01 read all of them" in card


def test_the_table_is_read_as_vlmevalkit_reads_it(exported: tuple[Session, Path]) -> None:
    pandas = pytest.importorskip("pandas")
    table = exported[1] / "vlmevalkit" / "questions.tsv"
    # vlmeval/smp/file.py, load: a table is what pandas makes of it without further options.
    data = pandas.read_csv(table, sep="\t")
    # vlmeval/dataset/__init__.py, build_dataset: a custom multiple-choice set, of texts where no picture is named.
    assert "question" in [column.lower() for column in data.columns]
    assert {"A", "B"} <= {*data.columns}
    assert not {"image", "image_path", "video"} & {*data.columns}
    assert len(data) == len({*data["index"]}) == 27
    assert all(int(index) == index for index in data["index"])
    by_id = {line["id"]: line for line in exported_lines(exported[1])}
    for _, row in data.iterrows():
        # vlmeval/dataset/image_mcq.py, build_prompt: options are the letters whose cell is not empty.
        options = {letter: row[letter] for letter in "ABCDE" if not pandas.isna(row[letter])}
        line = by_id[row["question_id"]]
        assert [*options] == [*"ABCDE"]
        assert [*options.values()] == [table_cell(option) for option in line["options"]]
        assert options[row["answer"]] == 'She says "no", then leaves.'
        assert (row["category"], row["split"]) == ("CW", line["split"])
    with table.open(encoding="utf-8", newline="") as file:
        assert {len(cells) for cells in csv.reader(file, delimiter="\t")} == {len(data.columns)}
    for text in ("None", "n/a", "NaN", " null "):
        assert table_cell(text) == f"{text.strip()}."


def test_a_line_of_a_question_has_no_id_or_time_of_the_study(exported: tuple[Session, Path]) -> None:
    session, out = exported
    text = text_of(out)
    for table in ("question", "chain", "chain_node", "recording", "participant", "annotator"):
        own = [identifier for (identifier,) in session.study.rows(f"SELECT id FROM {table}")]
        assert own
        assert not [identifier for identifier in own if identifier in text and not identifier.startswith("walk")]
    assert "2026-" not in text


def test_only_what_two_people_approve_of_as_it_is_now(session: Session, tmp_path: Path) -> None:
    ask_of_chain(session, "walk", "New?", place=1)
    assert export_read(session, tmp_path / "out").left_out == {UNVERIFIED: 1}
    chains.edit_node(session, nodes_of(session, "walk 2")[0], text="something else")
    with pytest.raises(UserError, match="Nobody confirmed"):
        export_questions(session, tmp_path / "two")
    assert {*export_read(session, tmp_path / "two").left_out} <= {UNVERIFIED, STALE}
    every = export_read(session, tmp_path / "all", everything=True)
    assert every.questions == 6
    states = Counter((line["verified"], line["stale"]) for line in exported_lines(tmp_path / "all"))
    assert sum(many for (_, stale), many in states.items() if stale) == 3
    assert sum(many for (verified, _), many in states.items() if not verified) >= 1


def test_it_is_written_whole_or_not_at_all(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "write_table", fail)
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(UserError, match="No space"):
        export_read(session, tmp_path / "out", formats=BOTH)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    with pytest.raises(UserError, match="not empty"):
        export_read(session, tmp_path / "full")


def test_nothing_to_export_is_said_with_the_reasons(session: Session, tmp_path: Path) -> None:
    for recording in ("walk", "walk 2"):
        hold_out(session, recording)
    with pytest.raises(UserError, match="5: its recording is held out"):
        export_read(session, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def rename(session: Session) -> None:
    (chain,) = chains_of(session.study, "walk")
    chains.rename_chain(session, chain.id, "Another name")


def hide(session: Session) -> None:
    hide_everywhere(session, "sings")


def ask_more(session: Session) -> None:
    ask_of_chain(session, "walk", "Something new?")
    approve(session)


@pytest.mark.parametrize("change", [rename, hide, ask_more])
def test_it_is_refused_until_somebody_read_the_texts_as_they_are(
    session: Session, tmp_path: Path, change: Callable[[Session], None]
) -> None:
    with pytest.raises(UserError, match=r"Nobody confirmed the \d+ scrubbed texts as they are now") as refused:
        export_questions(session, tmp_path / "out")
    assert "greenroom questions texts STUDY --confirm" in refused.value.hint
    assert not (tmp_path / "out").exists()
    read_all(session)
    export_questions(session, tmp_path / "out")
    change(session)
    with pytest.raises(UserError, match="Nobody confirmed"):
        export_questions(session, tmp_path / "two")


def test_all_questions_are_no_way_around_it_and_reading_can_be_taken_back(session: Session, tmp_path: Path) -> None:
    read_all(session)
    assert find_reader(session, select_questions(session)).name == "Ada"
    undo(session)
    with pytest.raises(UserError, match="Nobody confirmed"):
        export_questions(session, tmp_path / "out")
    read_all(session)
    ask_of_chain(session, "walk", "Nobody looked at this?")
    with pytest.raises(UserError, match="Nobody confirmed") as refused:
        export_questions(session, tmp_path / "out", everything=True)
    assert "--confirm --all" in refused.value.hint
    export_questions(session, tmp_path / "verified")
    read_all(session, everything=True)
    export_questions(session, tmp_path / "out", everything=True)


def test_every_text_that_leaves_is_among_those_that_are_read(exported: tuple[Session, Path]) -> None:
    selection = select_questions(exported[0])
    read = {text.after for text in selection.texts}
    assert selection.items
    for item in selection.items:
        assert {item.text, item.explanation, *item.options} <= read
    once = unique_texts(selection.texts)
    assert {text.after for text in once} == read
    assert len({(text.before, text.after) for text in once}) == len(once)


def test_it_is_noted_in_the_study_and_tells_how_far_it_is(session: Session, tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []

    class Listening(Silent):
        def progress(self, done: int, total: int, text: str = "") -> None:
            told.append((done, total, text))

    export_read(session, tmp_path / "to Berlin", progress=Listening())
    assert {text for *_, text in told} == {"Scrubbing texts", "Searching the texts for private words"}
    assert all(0 <= done <= total for done, total, _ in told)
    for recording in all_recordings(session.study):
        run = latest_run(session.study, recording.id, RUN_KIND)
        assert (run.result["output"], run.result["questions"]) == ("to Berlin", recording.number + 1)
