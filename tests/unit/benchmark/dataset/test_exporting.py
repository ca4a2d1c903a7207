"""Questions as a data set: what is in it, what is never in it, and that whoever gets it can read it."""

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.chains import chain_edits as chains
from annotate.study.people import add_participant, set_appearance, set_consent
from annotate.team.assignments import hold_out
from anonymize.pii_review.pii_decisions import hide_everywhere
from benchmark.dataset import dataset_export as writing
from benchmark.dataset.dataset_card import SPLIT_SHARES, assign_splits
from benchmark.dataset.dataset_export import table_cell
from benchmark.dataset.question_selection import (
    DUPLICATE_OPTIONS,
    HELD_OUT,
    NO_CONSENT,
    NO_PARTICIPANTS,
    STALE,
    UNVERIFIED,
)
from project.entities.causal_chains import NodeKind
from project.entities.study_records import ConsentUse, ParticipantRole
from project.errors import UserError
from project.queries.chain_rows import chains_of, read_graph
from project.queries.question_rows import all_questions
from project.queries.recording_rows import all_participants
from project.session.session import Session
from tests.builders.question_dataset import ask, asked_study, export_read, verify_all

BOTH = ("jsonl", "vlmevalkit")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with asked_study(tmp_path) as opened:
        yield opened


def lines(folder: Path, *splits: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for split in splits or SPLIT_SHARES
        for line in (folder / f"{split}.jsonl").read_text("utf-8").splitlines()
    ]


def whole(folder: Path) -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(folder.rglob("*")) if path.is_file())


def test_each_question_is_there_once_with_its_options_as_they_were_shown(session: Session, tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = export_read(session, out)
    found = lines(out)
    assert made.questions == len(found) == len(all_questions(session.study)) == 27
    assert (made.left_out, made.chains) == ({}, 6)
    by_text = {(entry["media"]["recording"], entry["question"]): entry for entry in found}
    for question in all_questions(session.study):
        number = session.recording(question.recording_id).number
        line = by_text[f"recording-{number:04}", question.text]
        assert line["options"] == [*question.options]
        assert (line["letter"], line["answer"]) == (question.correct_letter, question.answer)
        assert line["options"]["ABCDE".index(line["letter"])] == question.answer
        assert (line["verified"], line["stale"], line["difficulty"]) == (True, False, "hard")
    known = {one["id"]: one for one in map(json.loads, (out / "chains.jsonl").read_text("utf-8").splitlines())}
    for line in found:
        nodes = {each["id"] for each in known[line["chain"]]["nodes"]}
        assert {*line["covers"]} <= nodes


def test_a_recording_is_in_one_split_and_the_seed_decides(session: Session, tmp_path: Path) -> None:
    first = export_read(session, tmp_path / "one", seed=4)
    again = export_read(session, tmp_path / "two", seed=4)
    assert first == again
    assert whole(tmp_path / "one") == whole(tmp_path / "two")
    where = {(line["media"]["recording"], line["split"]) for line in lines(tmp_path / "one")}
    assert dict(where) == first.recordings
    assert len(where) == 6
    assert {*first.recordings.values()} == {*SPLIT_SHARES}


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(1, 60), min_size=1), st.integers())
def test_splits_are_as_balanced_as_recordings_allow(questions: dict[str, int], seed: int) -> None:
    found = assign_splits(questions, seed)
    assert found.keys() == questions.keys()
    total, most = sum(questions.values()), max(questions.values())
    for split, share in SPLIT_SHARES.items():
        there = sum(many for text, many in questions.items() if found[text] == split)
        assert there <= share * total + most


def test_held_out_recordings_leave_nothing_behind(session: Session, tmp_path: Path) -> None:
    hold_out(session, "walk 2")
    made = export_read(session, tmp_path / "out", formats=BOTH, everything=True)
    assert made.left_out == {HELD_OUT: 3}
    said = whole(tmp_path / "out")
    assert "recording-0002" not in said
    assert "Chain of 2" not in said
    assert "P02" not in said


def test_who_did_not_consent_keeps_their_recordings_out(session: Session, tmp_path: Path) -> None:
    who, _ = add_participant(session, "P77", ParticipantRole.BYSTANDER, "walk 3")
    made = export_read(session, tmp_path / "out")
    assert made.left_out == {NO_CONSENT: 4}
    person = next(participant for participant in all_participants(session.study) if participant.id == who)
    set_consent(session, person, ConsentUse.RELEASE, True)
    assert export_read(session, tmp_path / "again").left_out == {}
    for participant in all_participants(session.study):
        set_appearance(session, "walk 3", participant, False)
    assert export_read(session, tmp_path / "nobody").left_out == {NO_PARTICIPANTS: 4}


def test_whom_a_chain_is_about_is_asked_too(session: Session, tmp_path: Path) -> None:
    who, _ = add_participant(session, "P88", ParticipantRole.BYSTANDER)
    (chain,) = chains_of(session.study, "walk 4")
    chains.add_node(session, chain.id, NodeKind.DESIRE, "wants to go", 0, 9_000, [who])
    (person,) = [participant for participant in all_participants(session.study) if participant.id == who]
    set_appearance(session, "walk 4", person, False)
    assert export_read(session, tmp_path / "out").left_out == {NO_CONSENT: 5}


def test_only_what_two_people_approve_of_as_it_is_now(session: Session, tmp_path: Path) -> None:
    (chain,) = chains_of(session.study, "walk")
    nodes = read_graph(session.study, chain).nodes
    ask(session, "walk", chain.id, (nodes[1].id, nodes[0].id), "New?", place=1)
    assert export_read(session, tmp_path / "out").left_out == {UNVERIFIED: 1}
    (other,) = chains_of(session.study, "walk 2")
    chains.edit_node(session, read_graph(session.study, other).nodes[0].id, text="something else")
    made = export_read(session, tmp_path / "two")
    assert sum(made.left_out.values()) == 4
    assert {*made.left_out} <= {UNVERIFIED, STALE}
    every = export_read(session, tmp_path / "all", everything=True)
    assert every.questions == 28
    marked = Counter((line["verified"], line["stale"]) for line in lines(tmp_path / "all"))
    assert sum(many for (_, stale), many in marked.items() if stale) == 3
    assert sum(many for (verified, _), many in marked.items() if not verified) >= 1


def test_names_are_taken_out_and_what_is_undecided_too(session: Session, tmp_path: Path) -> None:
    (chain,) = chains_of(session.study, "walk")
    nodes = read_graph(session.study, chain).nodes
    covers = (nodes[1].id, nodes[0].id)
    chains.rename_chain(session, chain.id, "Zinnia waits for Ada")
    wrong = ("Zinnia left.", "Write to zinnia@example.org.", "It rains.", "It snows.")
    ask(session, "walk", chain.id, covers, "Why is Zinnia cross?", answer="Zinnia's late.", wrong=wrong)
    for who in ("Bo", "Cy"):
        verify_all(session, who)
    hide_everywhere(session, "Zinnia")
    made = export_read(session, tmp_path / "out", formats=BOTH)
    said = whole(tmp_path / "out")
    assert made.replaced >= 5
    for secret in ("innia", "example.org", "Ada", "walk"):
        assert secret not in said
    assert re.search(r"Why is \[PERSON_\d\] cross\?", said)


def test_options_that_become_alike_keep_a_question_out(session: Session, tmp_path: Path) -> None:
    (chain,) = chains_of(session.study, "walk")
    nodes = read_graph(session.study, chain).nodes
    wrong = ("Call 0711 5550100.", "Call 0711 5550199.", "It rains.", "It snows.")
    ask(session, "walk", chain.id, (nodes[1].id, nodes[0].id), "What now?", wrong=wrong)
    hide_everywhere(session, "0711 5550100", replacement="[…]")
    hide_everywhere(session, "0711 5550199", replacement="[…]")
    for who in ("Bo", "Cy"):
        verify_all(session, who)
    assert export_read(session, tmp_path / "out").left_out == {DUPLICATE_OPTIONS: 1}


def test_it_is_written_whole_or_not_at_all(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "write_table", fails)
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(UserError, match="No space"):
        export_read(session, tmp_path / "out", formats=BOTH)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    with pytest.raises(UserError, match="not empty"):
        export_read(session, tmp_path / "full")


def test_nothing_to_export_is_said_with_the_reasons(session: Session, tmp_path: Path) -> None:
    for number in range(1, 7):
        hold_out(session, "walk" if number == 1 else f"walk {number}")
    with pytest.raises(UserError, match="27: its recording is held out"):
        export_read(session, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_loader_runs_as_it_is(session: Session, tmp_path: Path) -> None:
    export_read(session, tmp_path / "out")
    done = subprocess.run(
        [sys.executable, "-I", str(tmp_path / "out" / "load.py")], capture_output=True, text=True, check=True
    )
    counts = [line.split(" ")[1] for line in done.stdout.splitlines() if " questions " in line]
    assert sum(map(int, counts)) == 27
    assert "Answer with one letter." in done.stdout
    assert "Covers: event" in done.stdout


def test_the_card_counts_and_leaves_the_rest_to_fill_in(session: Session, tmp_path: Path) -> None:
    export_read(session, tmp_path / "out")
    said = (tmp_path / "out" / "DATACARD.md").read_text("utf-8")
    assert "27 questions about 6 recordings, made from 6 causal chains" in said
    assert "- Licence of questions and chains: <licence>" in said
    assert "$" not in said
    assert "decision: 27 of 27 pairs say the same" in said
    assert "| all |" in said


def test_the_table_is_read_as_vlmevalkit_reads_it(session: Session, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    out = tmp_path / "out"
    export_read(session, out, formats=BOTH)
    # vlmeval/smp/file.py, load: a table is what pandas makes of it without further options.
    data = pandas.read_csv(out / "vlmevalkit" / "questions.tsv", sep="\t")
    # vlmeval/dataset/__init__.py, build_dataset: a custom multiple-choice set, of texts where no picture is named.
    assert "question" in [column.lower() for column in data.columns]
    assert {"A", "B"} <= {*data.columns}
    assert not {"image", "image_path", "video"} & {*data.columns}
    assert len(data) == len({*data["index"]}) == 27
    assert all(int(one) == one for one in data["index"])
    in_lines = {entry["id"]: entry for entry in lines(out)}
    for _, row in data.iterrows():
        # vlmeval/dataset/image_mcq.py, build_prompt: options are the letters whose cell is not empty.
        options = {letter: row[letter] for letter in "ABCDE" if not pandas.isna(row[letter])}
        line = in_lines[row["question_id"]]
        assert [*options] == [*"ABCDE"]
        assert [*options.values()] == [table_cell(one) for one in line["options"]]
        assert options[row["answer"]] == 'She says "no", then leaves.'
        assert (row["category"], row["split"]) == ("CW", line["split"])
    with (out / "vlmevalkit" / "questions.tsv").open(encoding="utf-8", newline="") as file:
        plain = [*csv.reader(file, delimiter="\t")]
    assert {len(one) for one in plain} == {len(data.columns)}


@pytest.mark.parametrize("text", ["None", "n/a", "NaN", " null "])
def test_no_option_is_read_as_an_empty_cell(text: str) -> None:
    assert table_cell(text) == f"{text.strip()}."


def test_a_line_of_a_question_has_no_id_or_time_of_the_study(session: Session, tmp_path: Path) -> None:
    export_read(session, tmp_path / "out", formats=BOTH)
    said = whole(tmp_path / "out")
    for table in ("question", "chain", "chain_node", "recording", "participant", "annotator"):
        for (own,) in session.study.rows(f"SELECT id FROM {table}"):
            assert own not in said or own.startswith("walk"), table
    assert "2026-" not in said
