"""No text of a data set leaves before a person has read it in its present state."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotate.chains import chain_edits as chains
from annotate.study.recording_edits import undo
from anonymize.pii_review.pii_decisions import hide_everywhere
from benchmark.dataset.dataset_export import RUN_KIND, export_questions, find_reader, unique_texts
from benchmark.dataset.question_selection import select_questions
from project.errors import UserError
from project.progress import Silent
from project.queries.chain_rows import chains_of, read_graph
from project.queries.history_rows import latest_run
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from tests.builders.question_dataset import ask, asked_study, export_read, read_all, verify_all


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with asked_study(tmp_path, 2) as opened:
        yield opened


def rename(session: Session) -> None:
    (chain,) = chains_of(session.study, "walk")
    chains.rename_chain(session, chain.id, "Another name")


def hide(session: Session) -> None:
    hide_everywhere(session, "sings")


def ask_more(session: Session) -> None:
    (chain,) = chains_of(session.study, "walk")
    nodes = read_graph(session.study, chain).nodes
    ask(session, "walk", chain.id, (nodes[1].id, nodes[0].id), "Something new?")
    for who in ("Bo", "Cy"):
        verify_all(session, who)


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
    assert "A01 read all of them" in (tmp_path / "out" / "DATACARD.md").read_text("utf-8")
    change(session)
    with pytest.raises(UserError, match="Nobody confirmed"):
        export_questions(session, tmp_path / "two")
    read_all(session)
    export_questions(session, tmp_path / "two")


def test_all_questions_are_no_way_around_it(session: Session, tmp_path: Path) -> None:
    read_all(session)
    (chain,) = chains_of(session.study, "walk")
    nodes = read_graph(session.study, chain).nodes
    ask(session, "walk", chain.id, (nodes[1].id, nodes[0].id), "Nobody looked at this?")
    with pytest.raises(UserError, match="Nobody confirmed") as refused:
        export_questions(session, tmp_path / "out", everything=True)
    assert "--all --confirm" in refused.value.hint
    export_questions(session, tmp_path / "verified")
    read_all(session, everything=True)
    export_questions(session, tmp_path / "out", everything=True)


def test_reading_can_be_taken_back(session: Session, tmp_path: Path) -> None:
    read_all(session)
    reader = find_reader(session, select_questions(session))
    assert reader.name == "Ada"
    undo(session)
    with pytest.raises(UserError, match="Nobody confirmed"):
        export_questions(session, tmp_path / "out")


def test_every_text_that_leaves_is_among_those_that_are_read(session: Session, tmp_path: Path) -> None:
    export_read(session, tmp_path / "out")
    found = select_questions(session)
    read = {text.after for text in found.texts}
    for item in found.items:
        assert {item.text, item.explanation, *item.options} <= read
    once = unique_texts(found.texts)
    assert {released_text.after for released_text in once} == read
    assert len({(released_text.before, released_text.after) for released_text in once}) == len(once)


def test_it_is_noted_in_the_study(session: Session, tmp_path: Path) -> None:
    export_read(session, tmp_path / "to Berlin")
    for recording in all_recordings(session.study):
        run = latest_run(session.study, recording.id, RUN_KIND)
        assert (run.result["output"], run.result["questions"]) == ("to Berlin", recording.number + 1)


def test_it_tells_how_far_it_is(session: Session, tmp_path: Path) -> None:
    read_all(session)
    told: list[tuple[int, int, str]] = []

    class Listening(Silent):
        def progress(self, done: int, total: int, text: str = "") -> None:
            told.append((done, total, text))

    export_questions(session, tmp_path / "out", progress=Listening())
    assert {text for *_, text in told} == {"Scrubbing texts", "Searching the texts for private words"}
    assert all(0 <= done <= total for done, total, _ in told)
