"""Everything the window can do, in one table: it feeds the menus, the keys and the sheet on F1."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto
from typing import TYPE_CHECKING

from app.gui.team.marking import toggle_done, toggle_hold_out
from project.timebase import SECOND

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow

Handler = Callable[["MainWindow"], object]


class Need(Flag):
    """What must be there for an action to make sense."""

    NOTHING = 0
    STUDY = auto()
    RECORDING = auto()
    WRITABLE = auto()
    SELECTION = auto()
    NO_SELECTION = auto()
    SEVERAL_VIEWS = auto()


@dataclass(frozen=True, slots=True)
class Spec:
    """One action.

    Attributes:
        menu: the menu it is in and its heading in the sheet.
        keys: shortcuts in Qt's portable writing; the first one is shown in the menu.
        text: in the menu; a menu shows a line above an entry whose `line` is set.
        repeats: whether holding the key down repeats it.
        mode: key of the only mode in which its keys hold; elsewhere they mean what they mean without it.
    """

    key: str
    menu: str
    text: str
    keys: tuple[str, ...]
    handler: Handler
    needs: Need = Need.NOTHING
    icon: str = ""
    line: bool = False
    repeats: bool = False
    checkable: bool = False
    mode: str = ""


_PLAY = Need.RECORDING
_VIEWS = Need.RECORDING | Need.SEVERAL_VIEWS
_EDIT = Need.RECORDING | Need.WRITABLE
_SELECTED = Need.RECORDING | Need.WRITABLE | Need.SELECTION
MARKED = Need.RECORDING | Need.WRITABLE | Need.NO_SELECTION

ACTIONS: tuple[Spec, ...] = (
    Spec("new", "&File", "&New study…", ("Ctrl+N",), lambda w: w.files.new(), icon="file-plus"),
    Spec("open", "&File", "&Open study…", ("Ctrl+Shift+O",), lambda w: w.files.open(), icon="folder-open"),
    Spec(
        "add",
        "&File",
        "&Add recordings…",
        ("Ctrl+O",),
        lambda w: w.files.add(),
        Need.STUDY | Need.WRITABLE,
        icon="plus",
        line=True,
    ),
    Spec(
        "details", "&File", "Recording &details…", ("Ctrl+I",), lambda w: w.details.open(), Need.RECORDING, icon="info"
    ),
    Spec("rename", "&File", "Rena&me recording…", ("F2",), lambda w: w.commands.rename_recording(), _EDIT),
    Spec(
        "export", "&File", "&Export anonymized…", ("Ctrl+E",), lambda w: w.commands.ask_export(), _EDIT, icon="download"
    ),
    Spec(
        "privacy",
        "&File",
        "&Privacy of exports…",
        ("Ctrl+Shift+P",),
        lambda w: w.windows.open("privacy"),
        Need.STUDY,
        icon="shield-check",
    ),
    Spec(
        "import_annotations",
        "&File",
        "&Import annotations…",
        ("Ctrl+Shift+I",),
        lambda w: w.windows.open("import_annotations"),
        Need.STUDY | Need.WRITABLE,
        line=True,
    ),
    Spec(
        "export_annotations",
        "&File",
        "E&xport annotations…",
        ("Ctrl+Shift+E",),
        lambda w: w.windows.open("export_annotations"),
        Need.STUDY,
    ),
    Spec(
        "locate",
        "&File",
        "&Locate missing media…",
        (),
        lambda w: w.files.locate(),
        Need.STUDY | Need.WRITABLE,
        icon="search",
    ),
    Spec("close", "&File", "&Close study", ("Ctrl+W",), lambda w: w.close_study(), Need.STUDY, line=True),
    Spec("quit", "&File", "&Quit", ("Ctrl+Q",), lambda w: w.close()),
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
    Spec("mark_in", "&Edit", "Mark &start", ("I",), lambda w: w.editing.mark_in(), _EDIT, line=True),
    Spec("mark_out", "&Edit", "Mark &end", ("O",), lambda w: w.editing.mark_out(), _EDIT),
    Spec("make", "&Edit", "&Make segment from marks", ("A",), lambda w: w.editing.from_marks(), MARKED),
    Spec(
        "coding",
        "&Edit",
        "&Code while playing: a label's key starts and ends",
        ("Shift+C",),
        lambda w: w.coding.toggle(),
        _EDIT,
        checkable=True,
    ),
    Spec("next_track", "&Edit", "Ne&xt track for new segments", ("X",), lambda w: w.active.choose_next(), _EDIT),
    Spec(
        "trim_start",
        "&Edit",
        "Start segment at the playhead",
        ("[",),
        lambda w: w.editing.trim("start"),
        _SELECTED,
        line=True,
    ),
    Spec("trim_end", "&Edit", "End segment at the playhead", ("]",), lambda w: w.editing.trim("end"), _SELECTED),
    Spec("split", "&Edit", "S&plit at the playhead", ("S",), lambda w: w.editing.split(), _SELECTED, icon="scissors"),
    Spec(
        "nudge_back",
        "&Edit",
        "Nudge one frame back",
        (",",),
        lambda w: w.timeline.request_nudge(-1),
        _SELECTED,
        repeats=True,
    ),
    Spec(
        "nudge_on",
        "&Edit",
        "Nudge one frame forward",
        (".",),
        lambda w: w.timeline.request_nudge(1),
        _SELECTED,
        repeats=True,
    ),
    Spec("delete", "&Edit", "&Delete", ("Del", "Backspace"), lambda w: w.editing.delete(), _SELECTED, icon="trash-2"),
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
    Spec("play", "&Play", "&Play or pause", ("Space",), lambda w: w.player.toggle(), _PLAY, icon="play"),
    Spec(
        "play_segment",
        "&Play",
        "Play selected &segment",
        ("Shift+Space",),
        lambda w: w.playback.play_selected(),
        Need.RECORDING | Need.SELECTION,
    ),
    Spec(
        "loop",
        "&Play",
        "&Repeat selected segment",
        ("R",),
        lambda w: w.playback.set_looping(not w.playback.looping),
        _PLAY,
        icon="repeat",
        checkable=True,
    ),
    Spec(
        "shuttle_back",
        "&Play",
        "Play backward, faster at each press",
        ("J",),
        lambda w: w.player.shuttle(-1),
        _PLAY,
        line=True,
    ),
    Spec("shuttle_stop", "&Play", "Pause", ("K",), lambda w: w.player.shuttle(0), _PLAY),
    Spec("shuttle_on", "&Play", "Play, faster at each press", ("L",), lambda w: w.player.shuttle(1), _PLAY),
    Spec("slower", "&Play", "Slower", ("<",), lambda w: w.commands.change_rate(-1), _PLAY),
    Spec("faster", "&Play", "Faster", (">",), lambda w: w.commands.change_rate(1), _PLAY),
    Spec(
        "step_back",
        "&Play",
        "One frame &back",
        ("Left",),
        lambda w: w.player.step(-1),
        _PLAY,
        repeats=True,
        icon="step-back",
        line=True,
    ),
    Spec(
        "step_on",
        "&Play",
        "One frame &forward",
        ("Right",),
        lambda w: w.player.step(1),
        _PLAY,
        repeats=True,
        icon="step-forward",
    ),
    Spec(
        "second_back",
        "&Play",
        "One second back",
        ("Shift+Left",),
        lambda w: w.playback.skip(-SECOND),
        _PLAY,
        repeats=True,
    ),
    Spec(
        "second_on",
        "&Play",
        "One second forward",
        ("Shift+Right",),
        lambda w: w.playback.skip(SECOND),
        _PLAY,
        repeats=True,
    ),
    Spec("start", "&Play", "Go to the start", ("Home",), lambda w: w.playback.go_to_start(), _PLAY, icon="skip-back"),
    Spec("end", "&Play", "Go to the end", ("End",), lambda w: w.playback.go_to_end(), _PLAY, icon="skip-forward"),
    Spec("jump", "&Play", "Jump to a &time…", ("Ctrl+L",), lambda w: w.transport.focus_time(), _PLAY),
    Spec(
        "mute",
        "&Play",
        "Sound off or on",
        ("M",),
        lambda w: w.playback.set_muted(not w.playback.muted),
        _PLAY,
        line=True,
    ),
    Spec("sound", "&Play", "Sound of the next &file", ("Shift+M",), lambda w: w.views.hear_next(), _PLAY),
    Spec("louder", "&Play", "Louder", ("Ctrl+Up",), lambda w: w.playback.change_volume(10), _PLAY, repeats=True),
    Spec("quieter", "&Play", "Quieter", ("Ctrl+Down",), lambda w: w.playback.change_volume(-10), _PLAY, repeats=True),
    Spec(
        "zoom_in", "&View", "Zoom &in", ("+", "="), lambda w: w.timeline.zoom_in(), _PLAY, icon="zoom-in", repeats=True
    ),
    Spec(
        "zoom_out", "&View", "Zoom &out", ("-",), lambda w: w.timeline.zoom_out(), _PLAY, icon="zoom-out", repeats=True
    ),
    Spec("zoom_fit", "&View", "Show the &whole recording", ("0",), lambda w: w.timeline.zoom_to_fit(), _PLAY),
    Spec("zoom_selection", "&View", "Zoom to the &selection", ("Z",), lambda w: w.timeline.zoom_to_selection(), _PLAY),
    Spec(
        "full",
        "&View",
        "&Full-screen picture",
        ("F", "F11"),
        lambda w: w.commands.toggle_full_screen(),
        _PLAY,
        icon="maximize",
        line=True,
    ),
    Spec(
        "layout",
        "&View",
        "Next layout of the &pictures",
        ("Shift+P",),
        lambda w: w.workspace.views.next_layout(),
        _VIEWS,
        icon="columns-2",
        line=True,
    ),
    Spec("large", "&View", "Next picture &large", ("Shift+U",), lambda w: w.workspace.views.next_large(), _VIEWS),
    Spec(
        "inset_larger",
        "&View",
        "Small picture larger",
        ("Ctrl++", "Ctrl+="),
        lambda w: w.workspace.views.grow(1),
        _VIEWS,
        repeats=True,
    ),
    Spec(
        "inset_smaller",
        "&View",
        "Small picture smaller",
        ("Ctrl+-",),
        lambda w: w.workspace.views.grow(-1),
        _VIEWS,
        repeats=True,
    ),
    Spec(
        "inset_corner",
        "&View",
        "Small picture to the next corner",
        ("Shift+K",),
        lambda w: w.workspace.views.next_corner(),
        _VIEWS,
    ),
    Spec("follow", "&View", "Timeline follows the &playhead", (), lambda w: w.commands.follow(), checkable=True),
    Spec(
        "guidelines",
        "&View",
        "&Guidelines beside the form",
        ("F3", "?"),
        lambda w: w.guidelines.toggle(),
        Need.STUDY,
        icon="info",
        checkable=True,
    ),
    Spec("mode_annotate", "&View", "&Annotate", ("Ctrl+1",), lambda w: w.set_mode("annotate"), Need.STUDY, line=True),
    Spec("mode_faces", "&View", "&Faces", ("Ctrl+2",), lambda w: w.set_mode("faces"), Need.STUDY),
    Spec("mode_review", "&View", "&Review", ("Ctrl+3",), lambda w: w.set_mode("review"), Need.STUDY),
    Spec(
        "strip",
        "&View",
        "&Disagreement strip",
        (),
        lambda w: w.strip.toggle(),
        Need.STUDY,
        line=True,
        checkable=True,
    ),
    Spec(
        "subtitles",
        "&View",
        "What is &said, in the picture",
        ("U",),
        lambda w: w.subtitles.toggle(),
        _PLAY,
        checkable=True,
    ),
    Spec("disagreement_on", "&View", "Next disagreement", ("Alt+Right",), lambda w: w.strip.go(1), _PLAY),
    Spec("disagreement_back", "&View", "Previous disagreement", ("Alt+Left",), lambda w: w.strip.go(-1), _PLAY),
    Spec(
        "previous", "&View", "Previous recording", ("Ctrl+PgUp",), lambda w: w.recordings.go(-1), Need.STUDY, line=True
    ),
    Spec("next", "&View", "Next recording", ("Ctrl+PgDown",), lambda w: w.recordings.go(1), Need.STUDY),
    Spec(
        "search",
        "&View",
        "Search recordings",
        ("Ctrl+F",),
        lambda w: w.recordings.search.setFocus(),
        Need.STUDY,
        icon="search",
    ),
    Spec("jobs", "&View", "&Jobs", ("Ctrl+Shift+J",), lambda w: w.commands.show_jobs(), icon="list-checks"),
    Spec("track", "F&aces", "&Track faces", ("Ctrl+T",), lambda w: w.faces.track(), _EDIT, icon="scan-face"),
    Spec(
        "boxes",
        "F&aces",
        "Show &boxes over the picture",
        ("B",),
        lambda w: w.faces.toggle_boxes(),
        _PLAY,
        checkable=True,
    ),
    Spec("find_text", "F&aces", "Look for te&xt to mask", (), lambda w: w.faces.text.look(), _EDIT),
    Spec(
        "place_on",
        "F&aces",
        "&Next place to look at",
        ("N",),
        lambda w: w.faces.places.step(1),
        _PLAY,
        line=True,
        mode="faces",
    ),
    Spec(
        "place_back",
        "F&aces",
        "&Previous place to look at",
        ("Shift+N",),
        lambda w: w.faces.places.step(-1),
        _PLAY,
        mode="faces",
    ),
    Spec(
        "place_seen",
        "F&aces",
        "&Seen: no face is bare here, go on",
        ("Y",),
        lambda w: w.faces.deciding.seen(),
        _EDIT,
        mode="faces",
    ),
    Spec(
        "keyframe",
        "F&aces",
        "Set a &keyframe of the selected box",
        ("Q",),
        lambda w: w.faces.drawing.set_keyframe(),
        _EDIT,
        line=True,
        mode="faces",
    ),
    Spec(
        "keyframe_delete",
        "F&aces",
        "&Delete the keyframe here",
        ("Shift+Q",),
        lambda w: w.faces.drawing.delete_keyframe(),
        _EDIT,
        mode="faces",
    ),
    Spec(
        "schemes",
        "&Study",
        "&Schemes…",
        ("F4",),
        lambda w: w.windows.open("schemes"),
        Need.STUDY,
        icon="tag",
    ),
    Spec(
        "segments",
        "&Study",
        "&All segments…",
        ("Ctrl+Shift+F",),
        lambda w: w.windows.open("segments"),
        Need.STUDY,
        icon="search",
    ),
    Spec(
        "checklist",
        "&Study",
        "&Checklist…",
        ("Ctrl+Shift+L",),
        lambda w: w.windows.open("checklist"),
        Need.STUDY,
        icon="list-checks",
    ),
    Spec(
        "agreement",
        "&Study",
        "A&greement and statistics…",
        ("F7",),
        lambda w: w.windows.open("agreement"),
        Need.STUDY,
        icon="info",
    ),
    Spec("adjudicate", "&Study", "Ad&judicated lane…", (), lambda w: w.windows.open("adjudicate"), Need.STUDY),
    Spec("team", "&Study", "&Team…", ("F6",), lambda w: w.windows.open("team"), Need.STUDY, icon="list-checks"),
    Spec(
        "training",
        "&Study",
        "Trai&ning…",
        ("Shift+F6",),
        lambda w: w.windows.open("training"),
        Need.STUDY,
        icon="circle-check",
    ),
    Spec(
        "done",
        "&Study",
        "Mark recording as &done, or not",
        ("Ctrl+D",),
        lambda w: toggle_done(w),
        _EDIT,
        icon="circle-check",
        line=True,
    ),
    Spec("hold_out", "&Study", "&Hold out recording, or not", (), lambda w: toggle_hold_out(w), _EDIT, "lock"),
    Spec("activity", "&Study", "Active &minutes…", (), lambda w: w.windows.open("activity"), Need.STUDY, line=True),
    Spec(
        "release",
        "&Study",
        "&Release…",
        ("Ctrl+Shift+R",),
        lambda w: w.windows.open("release"),
        Need.STUDY,
        icon="lock",
        line=True,
    ),
    Spec("shortcuts", "&Help", "&Keyboard shortcuts", ("F1",), lambda w: w.commands.show_shortcuts(), icon="keyboard"),
    Spec("edit_shortcuts", "&Help", "&Change keyboard shortcuts…", (), lambda w: w.shortcuts.edit(), icon="pencil"),
    Spec("about", "&Help", "&About Greenroom", (), lambda w: w.commands.show_about(), icon="info"),
)
