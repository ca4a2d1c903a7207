"""The menu Speech: where somebody speaks, what is said and by whom."""

from app.gui.actions.spec import EDITING, ON_SELECTION, Need, Spec

SPEECH: tuple[Spec, ...] = (
    Spec("find_speech", "S&peech", "&Find speech", (), lambda w: w.listening.find(), EDITING),
    Spec("transcribe", "S&peech", "&Transcribe…", ("Ctrl+Shift+T",), lambda w: w.listening.ask(), EDITING),
    Spec("suggest_speakers", "S&peech", "&Suggest speakers", (), lambda w: w.speakers.suggest(), EDITING),
    Spec("add_cue", "S&peech", "Add &cue…", ("Ctrl+Shift+C",), lambda w: w.cues.ask(), EDITING, line=True),
    Spec("suggest_cues", "S&peech", "Su&ggest cues", (), lambda w: w.cues.suggest(), EDITING),
    Spec(
        "accept_cue",
        "S&peech",
        "&Accept the pre-label",
        ("F9",),
        lambda w: w.prelabels.accept(),
        ON_SELECTION,
    ),
    Spec(
        "reject_cue",
        "S&peech",
        "&Reject the pre-label",
        ("Shift+F9",),
        lambda w: w.prelabels.reject(),
        ON_SELECTION,
    ),
    Spec(
        "pii",
        "S&peech",
        "&Personal information…",
        ("F8",),
        lambda w: w.windows.open("pii"),
        Need.STUDY,
        icon="shield-check",
        line=True,
    ),
)
