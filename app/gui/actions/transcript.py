"""Entries of the menu Speech about the transcript: looking through it, dropping what does not belong in it."""

from app.gui.actions.spec import EDITING, ON_RECORDING, Spec
from app.gui.transcript.asking import ask
from resources.translation import tr

TRANSCRIPT: tuple[Spec, ...] = (
    Spec(
        "find_words",
        tr("S&peech"),
        tr("Fi&nd in the transcript"),
        (),
        lambda w: ask(w, "find"),
        ON_RECORDING,
        icon="search",
        line=True,
    ),
    Spec("replace_words", tr("S&peech"), tr("Find and &replace"), (), lambda w: ask(w, "replace"), EDITING),
    Spec("add_utterance", tr("S&peech"), tr("&Add utterance"), (), lambda w: ask(w, "add"), EDITING, icon="plus"),
    Spec(
        "drop_silent",
        tr("S&peech"),
        tr("Delete utterances &without speech"),
        (),
        lambda w: ask(w, "drop_without_speech"),
        EDITING,
        line=True,
    ),
    Spec(
        "drop_speaker",
        tr("S&peech"),
        tr("Delete all utterances of this s&peaker"),
        (),
        lambda w: ask(w, "drop_speaker"),
        EDITING,
    ),
)
