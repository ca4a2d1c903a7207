"""The table of all actions of the window, from which menus, shortcuts and the shortcut sheet are built.

Defines the menus Edit, File, Help and Study.
"""

from annotate.team.assignments import hold_out, mark_done
from app.gui.files.encryption import decrypt_study, encrypt_study
from app.gui.files.recovery_dialog import recover_study
from app.gui.pages.commands import EDITING, MARKED, ON_SELECTION, Command, Requirement
from app.gui.window.mode_actions import CHAINS, FACES, JUDGES, PLAY, SPEECH, TRANSCRIPT, VIEW
from app.gui.window.parts import WindowParts
from project.queries.annotator_rows import is_completed
from project.queries.recording_rows import hold_outs
from resources.translation import tr

_FORMATS = tr("ELAN BORIS Praat CSV JSON")

EDIT: tuple[Command[WindowParts], ...] = (
    Command(
        "undo",
        tr("&Edit"),
        tr("&Undo"),
        ("Ctrl+Z",),
        lambda w: w.commands.undo(),
        Requirement.STUDY | Requirement.WRITABLE,
        icon="undo-2",
    ),
    Command(
        "redo",
        tr("&Edit"),
        tr("&Redo"),
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        lambda w: w.commands.redo(),
        Requirement.STUDY | Requirement.WRITABLE,
        icon="redo-2",
    ),
    Command(
        "copy",
        tr("&Edit"),
        tr("&Copy segments"),
        ("Ctrl+C",),
        lambda w: w.editing.copy(),
        Requirement.RECORDING | Requirement.SELECTION,
        line=True,
    ),
    Command("paste", tr("&Edit"), tr("&Paste at the playhead"), ("Ctrl+V",), lambda w: w.editing.paste(), EDITING),
    Command(
        "duplicate",
        tr("&Edit"),
        tr("D&uplicate behind the selection"),
        ("Shift+D",),
        lambda w: w.editing.duplicate(),
        ON_SELECTION,
    ),
    Command(
        "merge",
        tr("&Edit"),
        tr("Mer&ge selected neighbours"),
        ("Ctrl+M",),
        lambda w: w.editing.merge(),
        ON_SELECTION,
        keywords=tr("join segments"),
    ),
    Command("mark_in", tr("&Edit"), tr("Mark &start"), ("I",), lambda w: w.editing.mark_in(), EDITING, line=True),
    Command("mark_out", tr("&Edit"), tr("Mark &end"), ("O",), lambda w: w.editing.mark_out(), EDITING),
    Command(
        "make", tr("&Edit"), tr("&Make segment from marks"), ("A",), lambda w: w.editing.create_from_marks(), MARKED
    ),
    Command(
        "coding",
        tr("&Edit"),
        tr("&Code while playing: a label's key starts and ends"),
        ("Shift+C",),
        lambda w: w.coding.toggle(),
        EDITING,
        checkable=True,
    ),
    Command(
        "sampling",
        tr("&Edit"),
        tr("&Time sampling: a label's key answers a sample"),
        ("Shift+T",),
        lambda w: w.sampling.toggle(),
        EDITING,
        checkable=True,
    ),
    Command("next_sample", tr("&Edit"), tr("Next sample"), ("Ctrl+Right",), lambda w: w.sampling.step(1), EDITING),
    Command(
        "previous_sample", tr("&Edit"), tr("Previous sample"), ("Ctrl+Left",), lambda w: w.sampling.step(-1), EDITING
    ),
    Command(
        "next_track",
        tr("&Edit"),
        tr("Ne&xt track for new segments"),
        ("X",),
        lambda w: w.active.select_next_track(),
        EDITING,
    ),
    Command(
        "next_label",
        tr("&Edit"),
        tr("Next active la&bel for new segments"),
        ("Shift+X",),
        lambda w: w.active.select_next_label(),
        EDITING,
        keywords=tr("drag draw default"),
    ),
    Command(
        "trim_start",
        tr("&Edit"),
        tr("Start segment at the playhead"),
        ("[",),
        lambda w: w.editing.trim("start"),
        ON_SELECTION,
        line=True,
    ),
    Command(
        "trim_end",
        tr("&Edit"),
        tr("End segment at the playhead"),
        ("]",),
        lambda w: w.editing.trim("end"),
        ON_SELECTION,
    ),
    Command(
        "split",
        tr("&Edit"),
        tr("S&plit at the playhead"),
        ("S",),
        lambda w: w.editing.split(),
        ON_SELECTION,
        icon="scissors",
    ),
    Command(
        "nudge_back",
        tr("&Edit"),
        tr("Nudge one frame back"),
        (",",),
        lambda w: w.timeline.request_nudge(-1),
        ON_SELECTION,
        repeats=True,
    ),
    Command(
        "nudge_on",
        tr("&Edit"),
        tr("Nudge one frame forward"),
        (".",),
        lambda w: w.timeline.request_nudge(1),
        ON_SELECTION,
        repeats=True,
    ),
    Command(
        "delete",
        tr("&Edit"),
        tr("&Delete"),
        ("Del", "Backspace"),
        lambda w: w.editing.delete(),
        ON_SELECTION,
        icon="trash-2",
    ),
    Command(
        "select_all",
        tr("&Edit"),
        tr("Select all of your segments, or all in a list"),
        ("Ctrl+A",),
        lambda w: w.commands.select_all(),
        Requirement.RECORDING,
    ),
    Command(
        "clear",
        tr("&Edit"),
        tr("Clear selection and marks"),
        ("Esc",),
        lambda w: w.commands.clear_selection(),
        Requirement.STUDY,
    ),
    Command(
        "annotator",
        tr("&Edit"),
        tr("Annotator…"),
        (),
        lambda w: w.commands.ask_annotator(),
        Requirement.STUDY,
        line=True,
    ),
)


FILE: tuple[Command[WindowParts], ...] = (
    Command("new", tr("&File"), tr("&New study…"), ("Ctrl+N",), lambda w: w.files.new_study(), icon="file-plus"),
    Command(
        "open", tr("&File"), tr("&Open study…"), ("Ctrl+Shift+O",), lambda w: w.files.open_study(), icon="folder-open"
    ),
    Command("recover", tr("&File"), tr("Recover a study…"), (), lambda w: recover_study(w.context)),
    Command(
        "add",
        tr("&File"),
        tr("&Add recordings…"),
        ("Ctrl+O",),
        lambda w: w.files.add_recordings(),
        Requirement.STUDY | Requirement.WRITABLE,
        icon="plus",
        line=True,
    ),
    Command(
        "details",
        tr("&File"),
        tr("Recording &details…"),
        ("Ctrl+I",),
        lambda w: w.details.open(),
        Requirement.RECORDING,
        icon="info",
    ),
    Command("rename", tr("&File"), tr("Rena&me recording…"), ("F2",), lambda w: w.commands.rename_recording(), EDITING),
    Command(
        "export",
        tr("&File"),
        tr("&Export anonymized…"),
        ("Ctrl+E",),
        lambda w: w.commands.ask_export(),
        EDITING,
        icon="download",
        keywords=tr("blur pixelate solid hide faces voices clip"),
    ),
    Command(
        "privacy",
        tr("&File"),
        tr("&Privacy of exports…"),
        ("Ctrl+Shift+P",),
        lambda w: w.open_view("privacy"),
        Requirement.STUDY,
        icon="shield-check",
    ),
    Command(
        "models",
        tr("&File"),
        tr("Model&s…"),
        ("Ctrl+Shift+M",),
        lambda w: w.open_view("models"),
        Requirement.STUDY,
        icon="cpu",
    ),
    Command(
        "import_annotations",
        tr("&File"),
        tr("&Import annotations…"),
        ("Ctrl+Shift+I",),
        lambda w: w.open_view("import_annotations"),
        Requirement.STUDY | Requirement.WRITABLE,
        line=True,
        keywords=_FORMATS,
    ),
    Command(
        "export_annotations",
        tr("&File"),
        tr("E&xport annotations…"),
        ("Ctrl+Shift+E",),
        lambda w: w.open_view("export_annotations"),
        Requirement.STUDY,
        keywords=_FORMATS,
    ),
    Command(
        "locate",
        tr("&File"),
        tr("&Locate missing media…"),
        (),
        lambda w: w.files.locate_missing(),
        Requirement.STUDY | Requirement.WRITABLE,
        icon="search",
    ),
    Command(
        "encrypt",
        tr("&File"),
        tr("Enc&rypt study…"),
        (),
        lambda w: encrypt_study(w.context),
        Requirement.STUDY | Requirement.WRITABLE,
        "lock",
        line=True,
    ),
    Command(
        "decrypt",
        tr("&File"),
        tr("Decr&ypt study…"),
        (),
        lambda w: decrypt_study(w.context),
        Requirement.STUDY | Requirement.WRITABLE | Requirement.ENCRYPTED,
    ),
    Command(
        "close", tr("&File"), tr("&Close study"), ("Ctrl+W",), lambda w: w.close_study(), Requirement.STUDY, line=True
    ),
    Command("quit", tr("&File"), tr("&Quit"), ("Ctrl+Q",), lambda w: w.close()),
)


HELP: tuple[Command[WindowParts], ...] = (
    Command(
        "documentation",
        tr("&Help"),
        tr("&Documentation"),
        ("F1",),
        lambda w: w.help.open_for_context(),
        icon="book-open",
    ),
    Command("tutorial", tr("&Help"), tr("&Tutorial"), (), lambda w: w.help.open_tutorial()),
    Command(
        "shortcuts",
        tr("&Help"),
        tr("&Keyboard shortcuts"),
        ("Ctrl+F1",),
        lambda w: w.commands.show_shortcuts(),
        icon="keyboard",
        line=True,
    ),
    Command(
        "palette",
        tr("&Help"),
        tr("&Find a command…"),
        ("Ctrl+K",),
        lambda w: w.command_palette.open_palette(),
        Requirement.SIGHT,
        "search",
    ),
    Command(
        "edit_shortcuts",
        tr("&Help"),
        tr("&Change keyboard shortcuts…"),
        (),
        lambda w: w.shortcuts.open_editor(),
        icon="pencil",
    ),
    Command("about", tr("&Help"), tr("&About Greenroom"), (), lambda w: w.commands.show_about(), icon="info"),
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


STUDY: tuple[Command[WindowParts], ...] = (
    Command(
        "schemes",
        tr("&Study"),
        tr("&Schemes…"),
        ("F4",),
        lambda w: w.open_view("schemes"),
        Requirement.STUDY,
        icon="tag",
        keywords=tr("code book codes labels ethogram vocabulary template"),
    ),
    Command(
        "segments",
        tr("&Study"),
        tr("&All segments…"),
        ("Ctrl+Shift+F",),
        lambda w: w.open_view("segments"),
        Requirement.STUDY,
        icon="search",
    ),
    Command(
        "checklist",
        tr("&Study"),
        tr("&Checklist…"),
        ("Ctrl+Shift+L",),
        lambda w: w.open_view("checklist"),
        Requirement.STUDY,
        icon="list-checks",
    ),
    Command(
        "agreement",
        tr("&Study"),
        tr("A&greement and statistics…"),
        ("F7",),
        lambda w: w.open_view("agreement"),
        Requirement.STUDY,
        icon="chart-column",
        keywords=tr("kappa alpha reliability inter-rater"),
    ),
    Command(
        "time_budget",
        tr("&Study"),
        tr("Time &budget…"),
        (),
        lambda w: w.open_view("time_budget"),
        Requirement.STUDY,
        icon="chart-column",
        keywords=tr("statistics rate duration share latency csv"),
    ),
    Command(
        "transitions",
        tr("&Study"),
        tr("Trans&itions…"),
        (),
        lambda w: w.open_view("transitions"),
        Requirement.STUDY,
        icon="chart-column",
        keywords=tr("statistics sequence matrix"),
    ),
    Command(
        "adjudicate",
        tr("&Study"),
        tr("Ad&judicated lane…"),
        (),
        lambda w: w.open_view("adjudicate"),
        Requirement.STUDY,
        icon="gavel",
    ),
    Command(
        "team",
        tr("&Study"),
        tr("&Team…"),
        ("F6",),
        lambda w: w.open_view("team"),
        Requirement.STUDY,
        icon="users",
    ),
    Command(
        "training",
        tr("&Study"),
        tr("Trai&ning…"),
        ("Shift+F6",),
        lambda w: w.open_view("training"),
        Requirement.STUDY,
        icon="graduation-cap",
    ),
    Command(
        "done",
        tr("&Study"),
        tr("Recording &done"),
        ("Ctrl+D",),
        lambda w: toggle_done(w),
        EDITING,
        line=True,
        is_ticked=is_done,
    ),
    Command(
        "hold_out",
        tr("&Study"),
        tr("&Hold out recording"),
        (),
        lambda w: toggle_hold_out(w),
        EDITING,
        is_ticked=is_held_out,
    ),
    Command(
        "meta",
        tr("&Study"),
        tr("Meta &information…"),
        ("Shift+F4",),
        lambda w: w.open_view("meta"),
        Requirement.STUDY,
        icon="film",
        line=True,
    ),
    Command(
        "question_filter",
        tr("&Study"),
        tr("&Filter questions…"),
        ("Shift+F7",),
        lambda w: w.open_view("question_filter"),
        Requirement.STUDY,
        icon="funnel",
    ),
    Command(
        "measures",
        tr("&Study"),
        tr("What &judges understand…"),
        ("Shift+F8",),
        lambda w: w.open_view("measures"),
        Requirement.STUDY,
        icon="lightbulb",
    ),
    Command(
        "episodes",
        tr("&Study"),
        tr("&Episodes…"),
        ("Shift+F3",),
        lambda w: w.open_view("episodes"),
        Requirement.STUDY,
        icon="drama",
    ),
    Command(
        "benchmark_report",
        tr("&Study"),
        tr("Report of the &benchmark…"),
        ("Shift+F5",),
        lambda w: w.open_view("benchmark_report"),
        Requirement.STUDY,
        icon="file-chart-column",
    ),
    Command(
        "what_if", tr("&Study"), tr("What &if…"), ("Ctrl+Alt+W",), lambda w: open_what_if(w), ON_SELECTION, icon="split"
    ),
    Command(
        "activity",
        tr("&Study"),
        tr("Active &minutes…"),
        (),
        lambda w: w.open_view("activity"),
        Requirement.STUDY,
        icon="timer",
        line=True,
    ),
    Command(
        "release",
        tr("&Study"),
        tr("&Release…"),
        ("Ctrl+Shift+R",),
        lambda w: w.open_view("release"),
        Requirement.STUDY,
        icon="package",
        line=True,
    ),
    Command(
        "question_set",
        tr("&Study"),
        tr("E&xport questions as a data set…"),
        ("Ctrl+Shift+D",),
        lambda w: w.open_view("question_set"),
        Requirement.STUDY,
        icon="database",
    ),
    Command(
        "policy",
        tr("&Study"),
        tr("&What leaves this machine…"),
        ("Ctrl+Shift+W",),
        lambda w: w.open_view("policy"),
        Requirement.STUDY,
        icon="shield-check",
    ),
    Command(
        "share_annotations",
        tr("&Study"),
        tr("Share annotations &only…"),
        ("Ctrl+Alt+S",),
        lambda w: share_annotations(w),
        Requirement.STUDY,
        icon="share-2",
        line=True,
    ),
    Command(
        "withdraw",
        tr("&Study"),
        tr("Withdraw a &participant…"),
        ("Ctrl+Alt+P",),
        lambda w: open_withdrawal(w),
        Requirement.STUDY | Requirement.WRITABLE,
        icon="user-minus",
    ),
)


ACTIONS: tuple[Command[WindowParts], ...] = (
    *FILE,
    *EDIT,
    *PLAY,
    *VIEW,
    *FACES,
    *SPEECH,
    *TRANSCRIPT,
    *JUDGES,
    *CHAINS,
    *STUDY,
    *HELP,
)
