"""The keys of the window, as it has them where nobody changed them."""

from app.gui.chains.chains_mode import KEYS as CHAINS
from app.gui.faces.faces_mode import KEYS as FACES
from app.gui.pages.commands import key_sheet
from app.gui.questions.questions_mode import KEYS as QUESTIONS
from app.gui.review.review_page import KEYS as REVIEW
from app.gui.transcript.transcript_mode import KEYS as TRANSCRIPT
from app.gui.window.action_table import ACTIONS
from app.gui.window.page_registry import MODES
from docs.site.markdown import codes, table


def keys() -> str:
    """Return a table for each menu, with what it does and its keys, and one for each mode that has keys of its own."""
    modes = {mode.key: mode.name for mode in MODES}
    menus = list(dict.fromkeys(spec.menu for spec in ACTIONS))
    parts = ["## Modes\n", table(("Mode", "Keys"), ((mode.name, codes([mode.keys])) for mode in MODES))]
    for menu in menus:
        rows = (
            (_plain(spec.text), codes(spec.keys), modes.get(spec.mode, "")) for spec in ACTIONS if spec.menu == menu
        )
        parts += [f"## Menu {_plain(menu)}\n", table(("Action", "Keys", "Only in the mode"), rows)]
    for name, declared in (
        ("Faces", FACES),
        ("Review", REVIEW),
        ("Transcript", TRANSCRIPT),
        ("Chains", CHAINS),
        ("Questions", QUESTIONS),
    ):
        own = ((codes(listed), what) for listed, what in key_sheet(declared))
        parts += [f"## Only in {name}\n", table(("Keys", "What they do"), own)]
    return "\n".join(parts)


def _plain(text: str) -> str:
    return text.replace("&", "")
