"""The menu Help: keys and what this is."""

from app.gui.actions.spec import Spec

HELP: tuple[Spec, ...] = (
    Spec("shortcuts", "&Help", "&Keyboard shortcuts", ("F1",), lambda w: w.commands.show_shortcuts(), icon="keyboard"),
    Spec("edit_shortcuts", "&Help", "&Change keyboard shortcuts…", (), lambda w: w.shortcuts.edit(), icon="pencil"),
    Spec("about", "&Help", "&About Greenroom", (), lambda w: w.commands.show_about(), icon="info"),
)
