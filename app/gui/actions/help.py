"""The menu Help: the documentation, keys and what this is."""

from app.gui.actions.spec import Need, Spec
from resources.translation import tr

HELP: tuple[Spec, ...] = (
    Spec(
        "documentation",
        tr("&Help"),
        tr("&Documentation"),
        ("F1",),
        lambda w: w.help.open_here(),
        icon="book-open",
    ),
    Spec("tutorial", tr("&Help"), tr("&Tutorial"), (), lambda w: w.help.open_tutorial()),
    Spec(
        "shortcuts",
        tr("&Help"),
        tr("&Keyboard shortcuts"),
        ("Ctrl+F1",),
        lambda w: w.commands.show_shortcuts(),
        icon="keyboard",
        line=True,
    ),
    Spec(
        "palette",
        tr("&Help"),
        tr("&Find a command…"),
        ("Ctrl+K",),
        lambda w: w.command_palette.open(),
        Need.SIGHT,
        "search",
    ),
    Spec(
        "edit_shortcuts",
        tr("&Help"),
        tr("&Change keyboard shortcuts…"),
        (),
        lambda w: w.shortcuts.edit(),
        icon="pencil",
    ),
    Spec("about", tr("&Help"), tr("&About Greenroom"), (), lambda w: w.commands.show_about(), icon="info"),
)
