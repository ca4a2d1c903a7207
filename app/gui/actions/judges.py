"""The menu Judges: asking models about the selected segment."""

from typing import TYPE_CHECKING

from app.gui.actions.spec import ON_SELECTION, Need, Spec
from resources.translation import tr

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow


def _do(window: "MainWindow", what: str) -> None:
    """Show the page, and let it do something that it offers by name."""
    window.set_mode("judges")
    window.pages.ask(what)


JUDGES: tuple[Spec, ...] = (
    Spec(
        "ask_judges",
        tr("&Judges"),
        tr("&Ask about this segment"),
        ("Ctrl+J",),
        lambda w: _do(w, "ask"),
        ON_SELECTION,
        icon="play",
    ),
    Spec(
        "what_is_sent",
        tr("&Judges"),
        tr("&What is sent…"),
        ("Ctrl+Shift+S",),
        lambda w: _do(w, "inspect"),
        ON_SELECTION,
    ),
    Spec(
        "answer_yourself",
        tr("&Judges"),
        tr("Answer &yourself…"),
        ("Ctrl+Alt+J",),
        lambda w: _do(w, "answer"),
        ON_SELECTION,
    ),
    Spec("cancel_judges", tr("&Judges"), tr("&Cancel all"), (), lambda w: _do(w, "cancel"), Need.STUDY | Need.WRITABLE),
    Spec(
        "add_judge",
        tr("&Judges"),
        tr("A&dd judge…"),
        (),
        lambda w: _do(w, "add"),
        Need.STUDY | Need.WRITABLE,
        icon="plus",
        line=True,
    ),
    Spec("prompts", tr("&Judges"), tr("&Prompts…"), (), lambda w: w.windows.open("prompts"), Need.STUDY),
    Spec(
        "revisions",
        tr("&Judges"),
        tr("&Revisions after judges…"),
        (),
        lambda w: w.windows.open("revisions"),
        Need.STUDY,
        line=True,
    ),
)
