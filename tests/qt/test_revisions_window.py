"""What was taken over from judges stands in the form, and who revised toward them in a window."""

import pytest

from annotate.blinding.reveals import adopt, is_blind_first, reveal
from annotate.segments import segment_edits as commands
from app.gui.judges.judges_mode import RevisionsTab
from app.gui.window.main_window import MainWindow
from project.session.session import Session
from tests.builders.judgments import judged
from tests.builders.marked_study import WALK, mark
from tests.qt.conftest import OpenWindow

WHOLE = {"attributes": ["norms"], "channel": "verbal", "rationale": "It waits."}


@pytest.fixture
def done(session: Session) -> str:
    return mark(session, "Ada", 10, 40, "competence", **WHOLE)


@pytest.fixture
def said(session: Session, done: str) -> str:
    made = judged(session, done, "Left", label="error", rationale="It listens.")
    reveal(session, done)
    return made.id


@pytest.fixture
def window(open_window: OpenWindow, session: Session, said: str) -> MainWindow:
    session.close()
    window = open_window(session.study.path, "Ada")
    window.choose_recording(WALK)
    return window


def test_the_form_says_what_was_taken_over_and_that_it_was_changed(window: MainWindow, done: str, said: str) -> None:
    window.studio.select([done])
    note = window.inspector.form._notes["rationale"]
    assert not note.isVisible()
    assert window.studio.edit(lambda session: adopt(session, said, "rationale"))
    assert note.isVisible()
    assert note.text().startswith("Taken over from Left on ")
    window.inspector.value_changed.emit(done, "rationale", "It listens to me.")
    assert note.text().endswith(", then changed.")
    window.studio.undo()
    window.studio.undo()
    assert not note.isVisible()


def test_the_window_follows_revisions_and_sets_whether_judges_are_hidden(window: MainWindow, done: str) -> None:
    found: RevisionsTab = window.open_view("revisions")
    assert found.rows.texts() == []
    assert found.people.text() == "Ada saw judges on 1 segment and revised 0."
    window.studio.edit(lambda session: commands.set_label(session, [done], "error"))
    ((*row, at),) = found.rows.texts()
    assert row == ["Ada", "1  0:00:10.000", "Label", "Competence", "Error", "Left"]
    assert at
    assert found.switch.isChecked()
    found.switch.click()
    assert not is_blind_first(window.studio.session)
    window.studio.undo()
    assert found.switch.isChecked()
