"""The table of all actions of the window, from which menus, shortcuts and the shortcut sheet are built.

Defines the menus Edit, File, Help and Study.
"""

from annotate.team.assignments import hold_out, mark_done
from app.gui.files.encryption import decrypt_study, encrypt_study
from app.gui.files.recovery_dialog import recover_study
from app.gui.pages.commands import (
    CHANGING,
    EDITING,
    MARKED,
    ON_RECORDING,
    ON_SELECTION,
    ON_STUDY,
    Command,
    Requirement,
    in_menu,
)
from app.gui.window.mode_actions import CHAINS, FACES, JUDGES, PLAY, SPEECH, TRANSCRIPT, VIEW, view_command
from app.gui.window.page_registry import MODES, VIEW_TABS
from app.gui.window.parts import WindowParts
from project.queries.annotator_rows import is_completed
from project.queries.recording_rows import hold_outs
from resources.translation import tr

_FORMATS = tr("ELAN BORIS Praat CSV JSON")

EDIT: tuple[Command[WindowParts], ...] = in_menu(
    tr("&Edit"),
    Command("undo", tr("&Undo"), "Ctrl+Z", lambda w: w.commands.undo(), CHANGING, icon="undo-2"),
    Command("redo", tr("&Redo"), "Ctrl+Shift+Z Ctrl+Y", lambda w: w.commands.redo(), CHANGING, icon="redo-2"),
    Command(
        "copy",
        tr("&Copy segments"),
        "Ctrl+C",
        lambda w: w.editing.copy(),
        Requirement.RECORDING | Requirement.SELECTION,
        line=True,
    ),
    Command("paste", tr("&Paste at the playhead"), "Ctrl+V", lambda w: w.editing.paste(), EDITING),
    Command("duplicate", tr("D&uplicate behind the selection"), "Shift+D", lambda w: w.editing.duplicate()),
    Command(
        "merge", tr("Mer&ge selected neighbours"), "Ctrl+M", lambda w: w.editing.merge(), keywords=tr("join segments")
    ),
    Command("mark_in", tr("Mark &start"), "I", lambda w: w.editing.mark_in(), EDITING, line=True),
    Command("mark_out", tr("Mark &end"), "O", lambda w: w.editing.mark_out(), EDITING),
    Command("make", tr("&Make segment from marks"), "A", lambda w: w.editing.create_from_marks(), MARKED),
    Command(
        "coding",
        tr("&Code while playing: a label's key starts and ends"),
        "Shift+C",
        lambda w: w.coding.toggle(),
        EDITING,
        checkable=True,
    ),
    Command(
        "sampling",
        tr("&Time sampling: a label's key answers a sample"),
        "Shift+T",
        lambda w: w.sampling.toggle(),
        EDITING,
        checkable=True,
    ),
    Command("next_sample", tr("Next sample"), "Ctrl+Right", lambda w: w.sampling.step(1), EDITING),
    Command("previous_sample", tr("Previous sample"), "Ctrl+Left", lambda w: w.sampling.step(-1), EDITING),
    Command("next_track", tr("Ne&xt track for new segments"), "X", lambda w: w.active.select_next_track(), EDITING),
    Command(
        "next_label",
        tr("Next active la&bel for new segments"),
        "Shift+X",
        lambda w: w.active.select_next_label(),
        EDITING,
        keywords=tr("drag draw default"),
    ),
    Command("trim_start", tr("Start segment at the playhead"), "[", lambda w: w.editing.trim("start"), line=True),
    Command("trim_end", tr("End segment at the playhead"), "]", lambda w: w.editing.trim("end")),
    Command("split", tr("S&plit at the playhead"), "S", lambda w: w.editing.split(), icon="scissors"),
    Command("nudge_back", tr("Nudge one frame back"), ",", lambda w: w.timeline.request_nudge(-1), repeats=True),
    Command("nudge_on", tr("Nudge one frame forward"), ".", lambda w: w.timeline.request_nudge(1), repeats=True),
    Command("delete", tr("&Delete"), "Del Backspace", lambda w: w.editing.delete(), icon="trash-2"),
    Command(
        "select_all",
        tr("Select all of your segments, or all in a list"),
        "Ctrl+A",
        lambda w: w.commands.select_all(),
        Requirement.RECORDING,
    ),
    Command("clear", tr("Clear selection and marks"), "Esc", lambda w: w.commands.clear_selection(), ON_STUDY),
    Command("annotator", tr("Annotator…"), "", lambda w: w.commands.ask_annotator(), ON_STUDY, line=True),
    needs=ON_SELECTION,
)


FILE: tuple[Command[WindowParts], ...] = in_menu(
    tr("&File"),
    Command("new", tr("&New study…"), "Ctrl+N", lambda w: w.files.new_study(), icon="file-plus"),
    Command("open", tr("&Open study…"), "Ctrl+Shift+O", lambda w: w.files.open_study(), icon="folder-open"),
    Command("recover", tr("Recover a study…"), "", lambda w: recover_study(w.context)),
    Command(
        "add", tr("&Add recordings…"), "Ctrl+O", lambda w: w.files.add_recordings(), CHANGING, icon="plus", line=True
    ),
    Command("details", tr("Recording &details…"), "Ctrl+I", lambda w: w.details.open(), ON_RECORDING, icon="info"),
    Command("rename", tr("Rena&me recording…"), "F2", lambda w: w.commands.rename_recording(), EDITING),
    Command(
        "export",
        tr("&Export anonymized…"),
        "Ctrl+E",
        lambda w: w.commands.ask_export(),
        EDITING,
        icon="download",
        keywords=tr("blur pixelate solid hide faces voices clip"),
    ),
    view_command("privacy", tr("&Privacy of exports…"), "Ctrl+Shift+P", icon="shield-check"),
    view_command("models", tr("Model&s…"), "Ctrl+Shift+M", icon="cpu"),
    Command(
        "import_annotations",
        tr("&Import annotations…"),
        "Ctrl+Shift+I",
        lambda w: w.open_view("import_annotations"),
        CHANGING,
        line=True,
        keywords=_FORMATS,
    ),
    view_command("export_annotations", tr("E&xport annotations…"), "Ctrl+Shift+E", keywords=_FORMATS),
    Command("locate", tr("&Locate missing media…"), "", lambda w: w.files.locate_missing(), CHANGING, icon="search"),
    Command("encrypt", tr("Enc&rypt study…"), "", lambda w: encrypt_study(w.context), CHANGING, icon="lock", line=True),
    Command("decrypt", tr("Decr&ypt study…"), "", lambda w: decrypt_study(w.context), CHANGING | Requirement.ENCRYPTED),
    Command("close", tr("&Close study"), "Ctrl+W", lambda w: w.close_study(), ON_STUDY, line=True),
    Command("quit", tr("&Quit"), "Ctrl+Q", lambda w: w.close()),
)


HELP: tuple[Command[WindowParts], ...] = in_menu(
    tr("&Help"),
    Command("documentation", tr("&Documentation"), "F1", lambda w: w.help.open_for_context(), icon="book-open"),
    Command("tutorial", tr("&Tutorial"), "", lambda w: w.help.open_tutorial()),
    Command(
        "shortcuts",
        tr("&Keyboard shortcuts"),
        "Ctrl+F1",
        lambda w: w.commands.show_shortcuts(),
        icon="keyboard",
        line=True,
    ),
    Command(
        "palette",
        tr("&Find a command…"),
        "Ctrl+K",
        lambda w: w.command_palette.open_palette(),
        Requirement.SIGHT,
        icon="search",
    ),
    Command(
        "edit_shortcuts", tr("&Change keyboard shortcuts…"), "", lambda w: w.shortcuts.open_editor(), icon="pencil"
    ),
    Command("about", tr("&About Greenroom"), "", lambda w: w.commands.show_about(), icon="info"),
)


def open_what_if(window: WindowParts) -> None:
    """Open the window of episodes on the form for the selected segment."""
    from app.gui.episodes.episodes_window import EpisodesWindow

    if window.studio.selected:
        opened = window.open_view("episodes")
        assert isinstance(opened, EpisodesWindow)
        opened.start_from_segment(window.studio.selected[0])


def share_annotations(window: WindowParts) -> None:
    """Make a copy that holds annotations alone."""
    from app.gui.files.withdrawal_dialog import share_annotations_only

    share_annotations_only(window.context)


def open_withdrawal(window: WindowParts) -> None:
    """Take a participant out of the study."""
    from app.gui.files.withdrawal_dialog import withdraw_participant

    withdraw_participant(window.context)


def is_done(window: WindowParts) -> bool:
    """Whether the current annotator marked the recording that is shown as done."""
    session, shown = window.studio.session, window.studio.recording
    if session is None or shown is None:
        return False
    who = session.annotator()
    return who is not None and is_completed(session.study, shown.id, who.id)


def toggle_done(window: WindowParts) -> None:
    """Mark the recording that is shown as done by the current annotator, or as not done."""
    session, shown, done = window.studio.session, window.studio.recording, is_done(window)
    if session is None or shown is None:
        return
    if window.studio.edit(lambda session: mark_done(session, shown.id, not done)):
        window.studio.message.emit(
            tr("Recording {number} is {words} by {annotator_name}.").format(
                number=shown.number, words=tr("not done") if done else "done", annotator_name=session.annotator_name
            )
        )


def is_held_out(window: WindowParts) -> bool:
    """Whether the recording that is shown is held out."""
    session, shown = window.studio.session, window.studio.recording
    return session is not None and shown is not None and shown.id in hold_outs(session.study)


def toggle_hold_out(window: WindowParts) -> None:
    """Hold the recording that is shown out, or no longer."""
    shown, held = window.studio.recording, is_held_out(window)
    if shown is not None and window.studio.edit(lambda session: hold_out(session, shown.id, not held)):
        state = tr("no longer held out") if held else tr("held out: it is never exported")
        window.studio.message.emit(tr("Recording {number} is {state}.").format(number=shown.number, state=state))


STUDY: tuple[Command[WindowParts], ...] = in_menu(
    tr("&Study"),
    view_command(
        "schemes", tr("&Schemes…"), "F4", icon="tag", keywords=tr("code book codes labels ethogram vocabulary template")
    ),
    view_command("segments", tr("&All segments…"), "Ctrl+Shift+F", icon="search"),
    view_command("checklist", tr("&Checklist…"), "Ctrl+Shift+L", icon="list-checks"),
    view_command(
        "agreement",
        tr("A&greement and statistics…"),
        "F7",
        icon="chart-column",
        keywords=tr("kappa alpha reliability inter-rater"),
    ),
    view_command(
        "time_budget",
        tr("Time &budget…"),
        icon="chart-column",
        keywords=tr("statistics rate duration share latency csv"),
    ),
    view_command("transitions", tr("Trans&itions…"), icon="chart-column", keywords=tr("statistics sequence matrix")),
    view_command("adjudicate", tr("Ad&judicated lane…"), icon="gavel"),
    view_command("team", tr("&Team…"), "F6", icon="users"),
    view_command("training", tr("Trai&ning…"), "Shift+F6", icon="graduation-cap"),
    Command("done", tr("Recording &done"), "Ctrl+D", toggle_done, EDITING, line=True, is_ticked=is_done),
    Command("hold_out", tr("&Hold out recording"), "", toggle_hold_out, EDITING, is_ticked=is_held_out),
    view_command("meta", tr("Meta &information…"), "Shift+F4", icon="film", line=True),
    view_command("question_filter", tr("&Filter questions…"), "Shift+F7", icon="funnel"),
    view_command("measures", tr("What &judges understand…"), "Shift+F8", icon="lightbulb"),
    view_command("episodes", tr("&Episodes…"), "Shift+F3", icon="drama"),
    view_command("benchmark_report", tr("Report of the &benchmark…"), "Shift+F5", icon="file-chart-column"),
    Command("what_if", tr("What &if…"), "Ctrl+Alt+W", open_what_if, ON_SELECTION, icon="split"),
    view_command("activity", tr("Active &minutes…"), icon="timer", line=True),
    view_command("release", tr("&Release…"), "Ctrl+Shift+R", icon="package", line=True),
    view_command("question_set", tr("E&xport questions as a data set…"), "Ctrl+Shift+D", icon="database"),
    view_command("policy", tr("&What leaves this machine…"), "Ctrl+Shift+W", icon="shield-check"),
    Command(
        "share_annotations",
        tr("Share annotations &only…"),
        "Ctrl+Alt+S",
        share_annotations,
        ON_STUDY,
        icon="share-2",
        line=True,
    ),
    Command("withdraw", tr("Withdraw a &participant…"), "Ctrl+Alt+P", open_withdrawal, CHANGING, icon="user-minus"),
)


_DECLARED = (*FILE, *EDIT, *PLAY, *VIEW, *FACES, *SPEECH, *TRANSCRIPT, *JUDGES, *CHAINS, *STUDY, *HELP)
_REACHED = {command.key for command in _DECLARED} | {mode.key for mode in MODES}
ACTIONS: tuple[Command[WindowParts], ...] = (
    *_DECLARED,
    *in_menu(
        tr("&Study"),
        *(view_command(tab.key, f"{tab.name}…", line=True) for tab in VIEW_TABS if tab.key not in _REACHED),
    ),
)
"""Those declared above, and one for each view that has none of its own."""
