"""The menu Edit: segments, marks and history."""

from app.gui.actions.spec import EDITING, MARKED, ON_SELECTION, Need, Spec

EDIT: tuple[Spec, ...] = (
    Spec("undo", "&Edit", "&Undo", ("Ctrl+Z",), lambda w: w.commands.undo(), Need.STUDY | Need.WRITABLE, icon="undo-2"),
    Spec(
        "redo",
        "&Edit",
        "&Redo",
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        lambda w: w.commands.redo(),
        Need.STUDY | Need.WRITABLE,
        icon="redo-2",
    ),
    Spec("mark_in", "&Edit", "Mark &start", ("I",), lambda w: w.editing.mark_in(), EDITING, line=True),
    Spec("mark_out", "&Edit", "Mark &end", ("O",), lambda w: w.editing.mark_out(), EDITING),
    Spec("make", "&Edit", "&Make segment from marks", ("A",), lambda w: w.editing.from_marks(), MARKED),
    Spec(
        "coding",
        "&Edit",
        "&Code while playing: a label's key starts and ends",
        ("Shift+C",),
        lambda w: w.coding.toggle(),
        EDITING,
        checkable=True,
    ),
    Spec("next_track", "&Edit", "Ne&xt track for new segments", ("X",), lambda w: w.active.choose_next(), EDITING),
    Spec(
        "trim_start",
        "&Edit",
        "Start segment at the playhead",
        ("[",),
        lambda w: w.editing.trim("start"),
        ON_SELECTION,
        line=True,
    ),
    Spec("trim_end", "&Edit", "End segment at the playhead", ("]",), lambda w: w.editing.trim("end"), ON_SELECTION),
    Spec(
        "split", "&Edit", "S&plit at the playhead", ("S",), lambda w: w.editing.split(), ON_SELECTION, icon="scissors"
    ),
    Spec(
        "nudge_back",
        "&Edit",
        "Nudge one frame back",
        (",",),
        lambda w: w.timeline.request_nudge(-1),
        ON_SELECTION,
        repeats=True,
    ),
    Spec(
        "nudge_on",
        "&Edit",
        "Nudge one frame forward",
        (".",),
        lambda w: w.timeline.request_nudge(1),
        ON_SELECTION,
        repeats=True,
    ),
    Spec(
        "delete", "&Edit", "&Delete", ("Del", "Backspace"), lambda w: w.editing.delete(), ON_SELECTION, icon="trash-2"
    ),
    Spec(
        "select_all",
        "&Edit",
        "Select all of your segments",
        ("Ctrl+A",),
        lambda w: w.feed.select_own(),
        Need.RECORDING,
    ),
    Spec("clear", "&Edit", "Clear selection and marks", ("Esc",), lambda w: w.commands.clear(), Need.STUDY),
    Spec("annotator", "&Edit", "Annotator…", (), lambda w: w.commands.ask_annotator(), Need.STUDY, line=True),
)
