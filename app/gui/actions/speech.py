"""The menu Speech: where somebody speaks, what is said and by whom."""

from app.gui.actions.spec import EDITING, Spec

SPEECH: tuple[Spec, ...] = (
    Spec("find_speech", "S&peech", "&Find speech", (), lambda w: w.listening.find(), EDITING),
    Spec("transcribe", "S&peech", "&Transcribe…", ("Ctrl+Shift+T",), lambda w: w.listening.ask(), EDITING),
    Spec("suggest_speakers", "S&peech", "&Suggest speakers", (), lambda w: w.speakers.suggest(), EDITING),
)
