"""The menu Speech: where somebody speaks, what is said and by whom."""

from app.gui.actions.spec import EDITING, ON_SELECTION, Need, Spec
from resources.translation import tr

SPEECH: tuple[Spec, ...] = (
    Spec("find_speech", tr("S&peech"), tr("&Find speech"), (), lambda w: w.listening.find(), EDITING),
    Spec("transcribe", tr("S&peech"), tr("&Transcribe…"), ("Ctrl+Shift+T",), lambda w: w.listening.ask(), EDITING),
    Spec("suggest_speakers", tr("S&peech"), tr("&Suggest speakers"), (), lambda w: w.speakers.suggest(), EDITING),
    Spec("add_cue", tr("S&peech"), tr("Add &cue…"), ("Ctrl+Shift+C",), lambda w: w.cues.ask(), EDITING, line=True),
    Spec("suggest_cues", tr("S&peech"), tr("Su&ggest cues"), (), lambda w: w.cues.suggest(), EDITING),
    Spec(
        "accept_cue",
        tr("S&peech"),
        tr("&Accept the pre-label"),
        ("F9",),
        lambda w: w.prelabels.accept(),
        ON_SELECTION,
    ),
    Spec(
        "reject_cue",
        tr("S&peech"),
        tr("&Reject the pre-label"),
        ("Shift+F9",),
        lambda w: w.prelabels.reject(),
        ON_SELECTION,
    ),
    Spec(
        "pii",
        tr("S&peech"),
        tr("&Personal information…"),
        ("F8",),
        lambda w: w.windows.open("pii"),
        Need.STUDY,
        icon="shield-check",
        line=True,
    ),
)
