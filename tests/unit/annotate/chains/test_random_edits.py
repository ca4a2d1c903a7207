"""Whatever is edited, no circle and no loose end is left, and undo brings back every row as it was."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings

from annotate.chains.chain_checks import is_sound
from annotate.study.recording_edits import redo, undo
from project.integrity.integrity_check import check_study
from project.queries.chain_rows import all_chains, read_graphs
from project.session.session import Session
from tests.builders.chain_histories import EDITS, begun, play, rows


@settings(max_examples=settings.default.max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
@given(edits=EDITS)
def test_edits_leave_sound_chains_and_undo_takes_them_back(edits: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "home.greenroom"
        path.write_bytes(begun())
        with Session.open(path, "Ada") as session:
            before = rows(session)
            # Who was introduced stays introduced.
            known = session.study.row("SELECT coalesce(max(id), 0) FROM journal_step")
        play(path, [edit for edit in edits if edit[0] != "undo"], "new")
        with Session.open(path, "Ada") as session:
            assert all(is_sound(graph) for graph in read_graphs(session.study, all_chains(session.study)))
            after, steps = rows(session), 0
            made = session.study.row("SELECT count(*) FROM journal_step WHERE id > ?", known or (0,))
            for _ in range(made[0]):
                undo(session)
                steps += 1
            assert rows(session) == before
            for _ in range(steps):
                redo(session)
            assert rows(session) == after
        assert check_study(path) == []
