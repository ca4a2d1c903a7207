"""Questions as a data set: what is in it, that somebody read it before, and which media of a release it names."""

import ast
import csv
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.chains import chain_edits as chains
from annotate.chains.chain_edits import add_chain, add_edge, add_node
from annotate.study.recording_edits import undo
from annotate.team.assignments import hold_out
from anonymize.pii_review.pii_decisions import hide_everywhere
from anonymize.release import release_job
from anonymize.release.release_plan import ReleasePlan, get_release_key, keyed_checksum
from benchmark.dataset import dataset_export as writing
from benchmark.dataset.dataset_card import MAX_PICTURES, SPLIT_SHARES, ReleasedMedia, assign_splits
from benchmark.dataset.dataset_export import RUN_KIND, export_questions, find_reader, table_cell, unique_texts
from benchmark.dataset.question_selection import STALE, UNVERIFIED, select_questions
from project.entities.causal_chains import NodeKind
from project.errors import UserError
from project.progress import Silent
from project.queries.chain_rows import chains_of
from project.queries.face_rows import mask_state, set_dismissed, tracks_of
from project.queries.history_rows import latest_run
from project.queries.question_rows import all_questions
from project.queries.recording_rows import all_recordings
from project.session.jobs import run_inline
from project.session.session import Session
from project.timebase import SECOND_US
from tests.builders.question_dataset import (
    approve,
    ask,
    ask_of_chain,
    asked_study,
    export_read,
    exported_lines,
    nodes_of,
    read_all,
    text_of,
)
from tests.builders.release_study import lab

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
    assert table_cell(" null ") == "null."


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
    noted = [latest_run(session.study, recording, RUN_KIND).result for recording in ("walk", "walk 2")]
    assert [(result["output"], result["questions"]) for result in noted] == [("all", 3), ("all", 3)]
    states = Counter((line["verified"], line["stale"]) for line in exported_lines(tmp_path / "all"))
    assert sum(many for (_, stale), many in states.items() if stale) == 3
    assert sum(many for (verified, _), many in states.items() if not verified) >= 1


def test_it_is_written_whole_or_not_at_all(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    with pytest.raises(UserError, match="not empty"):
        export_read(session, tmp_path / "full")
    monkeypatch.setattr(writing, "write_table", fail)
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(UserError, match="No space"):
        export_read(session, tmp_path / "out", formats=BOTH)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    for recording in ("walk", "walk 2"):
        hold_out(session, recording)
    with pytest.raises(UserError, match="5: its recording is held out"):
        export_read(session, tmp_path / "out")


def test_it_is_refused_until_somebody_read_the_texts_as_they_are(session: Session, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Nobody confirmed the \d+ scrubbed texts as they are now") as refused:
        export_questions(session, tmp_path / "out")
    assert "greenroom question texts STUDY --confirm" in refused.value.hint
    (chain,) = chains_of(session.study, "walk")
    for change in (
        lambda: chains.rename_chain(session, chain.id, "Another name"),
        lambda: hide_everywhere(session, "sings"),
        lambda: (ask_of_chain(session, "walk", "Something new?"), approve(session)),
    ):
        read_all(session)
        change()
        with pytest.raises(UserError, match="Nobody confirmed"):
            export_questions(session, tmp_path / "out")
    assert not (tmp_path / "out").exists()


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


def released(session: Session, folder: Path, *, pictures: bool = True, state: str | None = None) -> Path:
    """Write what a release of the study would look like, for its first recording."""
    files = ["video-15hz/solid/recording-0001.mp4", "video-source/solid/recording-0001.mp4", "recordings.csv"]
    files += [f"frames-1hz/solid/recording-0001/{at:05}.jpg" for at in range(40)] if pictures else []
    files += ["video-source/stripes/recording-0001.mp4"]
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()
    first = all_recordings(session.study)[0]
    faces = keyed_checksum(get_release_key(session), mask_state(session.study, first.id) if state is None else state)
    manifest = {
        "format": "greenroom-release",
        "sources": {"recording-0001": {"faces": faces}},
        "files": [{"path": file} for file in files],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def table_of(out: Path) -> list[dict[str, str]]:
    with (out / "vlmevalkit" / "questions.tsv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file, delimiter="\t")]


def test_questions_name_the_clip_and_the_pictures_of_their_span(session: Session, tmp_path: Path) -> None:
    release = released(session, tmp_path / "release")
    out = tmp_path / "out"
    export_read(session, out, formats=("vlmevalkit",), release=release)
    media = {line["media"]["recording"]: line["media"] for line in exported_lines(out)}
    assert media["recording-0001"]["clip"] == "video-source/solid/recording-0001.mp4"
    assert media["recording-0001"]["pictures"][0] == "frames-1hz/solid/recording-0001/00002.jpg"
    assert len(media["recording-0001"]["pictures"]) == 13
    assert "clip" not in media["recording-0002"]
    assert "Recordings without a clip or picture: recording-0002." in (out / "DATACARD.md").read_text("utf-8")
    rows = table_of(out)
    assert {row["recording"] for row in rows} == {"recording-0001"}
    # vlmeval/dataset/video_base.py: the clip of a row is its `video` with .mp4 in the folder of the clips.
    assert all((release / f"{row['video']}.mp4").is_file() for row in rows)
    # vlmeval/smp/misc.py, toliststr: a cell in brackets is a list as Python writes it.
    assert all((release / path).is_file() for row in rows for path in ast.literal_eval(row["image_path"]))


def test_a_release_that_does_not_fit_is_refused(session: Session, tmp_path: Path) -> None:
    other = released(session, tmp_path / "old", state="something else")
    with pytest.raises(UserError, match="another study"):
        export_read(session, tmp_path / "out", release=other)
    with pytest.raises(UserError, match="not a release"):
        export_read(session, tmp_path / "out", release=tmp_path)
    assert not (tmp_path / "out").exists()
    (tmp_path / "manifest.json").write_text('{"format": "greenroom-release"}')
    with pytest.raises(UserError, match=r"manifest\.json cannot be read"):
        export_read(session, tmp_path / "out", release=tmp_path)
    release = released(session, tmp_path / "release")
    (release / "frames-1hz" / "solid" / "recording-0001" / "00003.jpg").unlink()
    with pytest.raises(UserError, match=r"00003\.jpg is missing"):
        export_read(session, tmp_path / "out", release=release)


def test_pictures_are_spread_over_the_span() -> None:
    shown = ReleasedMedia(pictures={at: str(at) for at in range(100)})
    seconds = [int(text) for text in shown.pictures_between(10 * SECOND_US, 90 * SECOND_US)]
    assert len(seconds) == MAX_PICTURES
    assert (seconds[0], seconds[-1]) == (12, 87)
    assert {later - earlier for earlier, later in pairwise(seconds)} == {5}
    assert shown.pictures_between(10_400_000, 10_900_000) == ["10"]
    assert ReleasedMedia().pictures_between(0, SECOND_US) == []


def test_what_it_names_is_in_the_release(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    with Session.open(lab(tmp_path), "Ada Byron") as session:
        (recording,) = all_recordings(session.study)
        chain, _ = add_chain(session, recording.id, "Anna waves")
        reason, _ = add_node(session, chain, NodeKind.EVENT, "somebody comes", 0, 500_000)
        result, _ = add_node(session, chain, NodeKind.EVENT, "Anna waves", 600_000, 900_000)
        add_edge(session, reason, result)
        ask(session, recording.id, chain, (result, reason), "Why does Anna wave?")
        approve(session)
        work = release_job.prepare(session, folder, ReleasePlan(methods=("solid",), formats=("csv",)))
        assert run_inline(session, work, Silent())[0].released is True

        export_read(session, tmp_path / "out", formats=("vlmevalkit",), release=folder)
        (line,) = (tmp_path / "out" / "train.jsonl").read_text("utf-8").splitlines()
        media = json.loads(line)["media"]
        assert media["method"] == "solid"
        assert media["pictures"] == ["frames-1hz/solid/recording-0001/00001.jpg"]
        assert all((folder / medium).is_file() for medium in (media["clip"], *media["pictures"]))
        (row,) = table_of(tmp_path / "out")
        assert (folder / f"{row['video']}.mp4").is_file()
        assert ast.literal_eval(row["image_path"]) == media["pictures"]
        sent = text_of(tmp_path / "out")
        assert "Anna" not in sent
        assert "Byron" not in sent

        with session.step("Dismiss"):
            set_dismissed(session.study, tracks_of(session.study, recording.id)[0].id, True)
        with pytest.raises(UserError, match="changed since"):
            export_read(session, tmp_path / "again", release=folder)
        assert not (tmp_path / "again").exists()
