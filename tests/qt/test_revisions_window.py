"""What was taken over from judges stands in the form, and who revised toward them in a window."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.blinding.reveals import adopt, is_blind_first, reveal
from annotate.segments import segment_edits as commands
from app.gui.judges.judges_mode import RevisionsWindow
from app.gui.window.main_window import MainWindow
from tests.builders.judgments import judged
from tests.builders.marked_study import WALK, mark, open_study

Open = Callable[..., MainWindow]
WHOLE = {"attributes": ["norms"], "channel": "verbal", "rationale": "It waits."}


@pytest.fixture
def made(tmp_path: Path) -> dict[str, str]:
    with open_study(tmp_path) as session:
        done = mark(session, "Ada", 10, 40, "competence", **WHOLE)
        said = judged(session, done, "Left", label="error", rationale="It listens.")
        reveal(session, done)
        return {"study": str(session.study.path), "done": done, "said": said.id}


def open_walk(open_window: Open, made: dict[str, str]) -> MainWindow:
    window = open_window(Path(made["study"]), "Ada")
    window.choose_recording(WALK)
    return window


def test_the_form_says_what_was_taken_over_and_that_it_was_changed(open_window: Open, made: dict[str, str]) -> None:
    window = open_walk(open_window, made)
    window.studio.select([made["done"]])
    note = window.inspector.form._notes["rationale"]
    assert not note.isVisible()
    assert window.studio.edit(lambda session: adopt(session, made["said"], "rationale"))
    assert note.isVisible()
    assert note.text().startswith("Taken over from Left on ")
    window.inspector.value_changed.emit(made["done"], "rationale", "It listens to me.")
    assert note.text().endswith(", then changed.")
    window.studio.undo()
    window.studio.undo()
    assert not note.isVisible()


def test_the_window_follows_revisions_and_sets_whether_judges_are_hidden(
    qtbot: QtBot, open_window: Open, made: dict[str, str]
) -> None:
    window = open_walk(open_window, made)
    found = window.windows.open_window("revisions")
    assert isinstance(found, RevisionsWindow)
    qtbot.waitExposed(found)
    assert found.rows.texts() == []
    assert found.people.text() == "Ada saw judges on 1 segment and revised 0."
    window.studio.edit(lambda session: commands.set_label(session, [made["done"]], "error"))
    ((who, place, part, before, after, toward, at),) = found.rows.texts()
    assert (who, place, part, before, after, toward) == (
        "Ada",
        "1  0:00:10.000",
        "Label",
        "Competence",
        "Error",
        "Left",
    )
    assert at
    assert window.studio.session is not None
    assert found.switch.isChecked()
    found.switch.click()
    assert not is_blind_first(window.studio.session)
    window.studio.undo()
    assert found.switch.isChecked()
