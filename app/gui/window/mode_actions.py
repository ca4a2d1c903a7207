"""The actions of the menus Chains, Faces, Judges, Play, Speech and View."""

from collections.abc import Callable

from app.gui.pages.commands import (
    CHANGING,
    EDITING,
    ON_RECORDING,
    ON_SELECTION,
    ON_STUDY,
    Command,
    Requirement,
    in_menu,
)
from app.gui.window.page_registry import MODES
from app.gui.window.parts import WindowParts
from project.entities.causal_chains import NodeKind
from project.timebase import SECOND_US
from resources.translation import tr


def view_command(
    key: str, text: str, keys: str = "", *, icon: str = "", line: bool = False, keywords: str = ""
) -> Command[WindowParts]:
    """Return the command that opens a view of the study, of the same key."""
    return Command(key, text, keys, lambda w: w.open_view(key), ON_STUDY, icon=icon, line=line, keywords=keywords)


def _on_page(mode: str, what: str) -> Callable[[WindowParts], None]:
    """Return what shows the page of a mode and triggers one of its actions by name."""
    return lambda w: w.trigger_page_action(mode, what)


def _add_node(window: WindowParts, kind: NodeKind) -> None:
    window.set_mode("chains")
    window.chains.drawing.add(kind)


def _new_chain(window: WindowParts) -> None:
    window.set_mode("chains")
    window.chains.new_chain()


CHAINS: tuple[Command[WindowParts], ...] = in_menu(
    tr("&Chains"),
    Command("chain_new", tr("&New chain"), "Ctrl+Shift+N", _new_chain, icon="plus"),
    Command("chain_rename", tr("&Rename chain…"), "", lambda w: w.chains.rename(), icon="pencil"),
    Command("chain_delete", tr("&Delete chain"), "", lambda w: w.chains.delete(), icon="trash-2"),
    Command(
        "node_from_selected",
        tr("Node from the selected segment, utterance or &cue"),
        "Ctrl+Shift+A",
        lambda w: w.chains.drawing.add_from_selected(),
        line=True,
    ),
    Command("node_event", tr("New &event here"), "", lambda w: _add_node(w, NodeKind.EVENT), line=True),
    Command("node_belief", tr("New &belief here"), "", lambda w: _add_node(w, NodeKind.BELIEF)),
    Command("node_intent", tr("New &intent here"), "", lambda w: _add_node(w, NodeKind.INTENT)),
    Command("node_desire", tr("New de&sire here"), "", lambda w: _add_node(w, NodeKind.DESIRE)),
    Command("node_emotion", tr("New e&motion here"), "", lambda w: _add_node(w, NodeKind.EMOTION)),
    Command("node_reason", tr("Add a re&ason…"), "", _on_page("chains", "reason"), line=True),
    Command("node_result", tr("Add a res&ult…"), "", _on_page("chains", "result")),
    Command("node_join", tr("&Join the selected nodes"), "", lambda w: w.chains.drawing.connect_selected()),
    Command("chain_copy", tr("My own &version of this chain"), "", _on_page("chains", "copy"), line=True),
    Command("chain_agree", tr("Make it the a&greed version"), "", _on_page("chains", "agree_on")),
    Command(
        "chain_svg",
        tr("Save a &picture as SVG…"),
        "",
        lambda w: w.chains.files.save_picture(".svg"),
        ON_RECORDING,
        line=True,
    ),
    Command(
        "chain_png", tr("Save a picture as PN&G…"), "", lambda w: w.chains.files.save_picture(".png"), ON_RECORDING
    ),
    Command("chain_json", tr("Save as JS&ON…"), "", lambda w: w.chains.files.export_chain(".json"), ON_RECORDING),
    Command(
        "chain_graphml", tr("Save as Graph&ML…"), "", lambda w: w.chains.files.export_chain(".graphml"), ON_RECORDING
    ),
    Command("chain_import", tr("Read a chain from a &file…"), "", lambda w: w.chains.files.import_chains()),
    needs=EDITING,
)


FACES: tuple[Command[WindowParts], ...] = in_menu(
    tr("F&aces"),
    Command("track", tr("&Track faces"), "Ctrl+T", lambda w: w.faces.track(), icon="scan-face"),
    Command(
        "boxes", tr("Show &boxes over the picture"), "B", lambda w: w.faces.toggle_boxes(), ON_RECORDING, checkable=True
    ),
    Command("find_text", tr("Look for te&xt to mask"), "", lambda w: w.faces.text.find_text()),
    Command(
        "place_on",
        tr("&Next place to look at"),
        "N",
        lambda w: w.faces.places.step(1),
        ON_RECORDING,
        line=True,
        mode="faces",
    ),
    Command(
        "place_back",
        tr("&Previous place to look at"),
        "Shift+N",
        lambda w: w.faces.places.step(-1),
        ON_RECORDING,
        mode="faces",
    ),
    Command(
        "place_seen",
        tr("Checked, &OK: go to the next place"),
        "Y",
        lambda w: w.faces.deciding.mark_seen(),
        mode="faces",
    ),
    Command(
        "keyframe",
        tr("Set a &keyframe of the selected box"),
        "Q",
        lambda w: w.faces.drawing.set_keyframe(),
        line=True,
        mode="faces",
    ),
    Command(
        "keyframe_delete",
        tr("&Delete the keyframe here"),
        "Shift+Q",
        lambda w: w.faces.drawing.delete_keyframe(),
        mode="faces",
    ),
    needs=EDITING,
)


JUDGES: tuple[Command[WindowParts], ...] = in_menu(
    tr("&Judges"),
    Command(
        "ask_judges", tr("&Ask about this segment"), "Ctrl+J", _on_page("judges", "ask"), ON_SELECTION, icon="play"
    ),
    Command("what_is_sent", tr("&What is sent…"), "Ctrl+Shift+S", _on_page("judges", "inspect"), ON_SELECTION),
    Command("answer_yourself", tr("Answer &yourself…"), "Ctrl+Alt+J", _on_page("judges", "answer"), ON_SELECTION),
    Command("cancel_judges", tr("&Cancel all"), "", _on_page("judges", "cancel"), CHANGING),
    Command("add_judge", tr("A&dd judge…"), "", _on_page("judges", "add"), CHANGING, icon="plus", line=True),
    view_command("prompts", tr("&Prompts…")),
    view_command("revisions", tr("&Revisions after judges…"), line=True),
)


PLAY: tuple[Command[WindowParts], ...] = in_menu(
    tr("&Play"),
    Command("play", tr("&Play or pause"), "Space", lambda w: w.player.toggle(), icon="play"),
    Command(
        "play_segment",
        tr("Play selected &segment"),
        "Shift+Space",
        lambda w: w.playback.play_selected(),
        Requirement.RECORDING | Requirement.SELECTION,
    ),
    Command(
        "loop",
        tr("&Repeat selected segment"),
        "R",
        lambda w: w.playback.set_looping(not w.playback.looping),
        icon="repeat",
        checkable=True,
    ),
    Command("shuttle_back", tr("Play backward, faster at each press"), "J", lambda w: w.player.shuttle(-1), line=True),
    Command("shuttle_stop", tr("Pause"), "K", lambda w: w.player.shuttle(0)),
    Command("shuttle_on", tr("Play, faster at each press"), "L", lambda w: w.player.shuttle(1)),
    Command("slower", tr("Slower"), "<", lambda w: w.commands.change_rate(-1)),
    Command("faster", tr("Faster"), ">", lambda w: w.commands.change_rate(1)),
    Command(
        "step_back",
        tr("One frame &back"),
        "Left",
        lambda w: w.player.step(-1),
        repeats=True,
        icon="step-back",
        line=True,
    ),
    Command(
        "step_on", tr("One frame &forward"), "Right", lambda w: w.player.step(1), repeats=True, icon="step-forward"
    ),
    Command("second_back", tr("One second back"), "Shift+Left", lambda w: w.playback.skip(-SECOND_US), repeats=True),
    Command("second_on", tr("One second forward"), "Shift+Right", lambda w: w.playback.skip(SECOND_US), repeats=True),
    Command("start", tr("Go to the start"), "Home", lambda w: w.playback.go_to_start(), icon="skip-back"),
    Command("end", tr("Go to the end"), "End", lambda w: w.playback.go_to_end(), icon="skip-forward"),
    Command("jump", tr("Jump to a &time…"), "Ctrl+L", lambda w: w.transport.focus_time()),
    Command("mute", tr("Sound off or on"), "M", lambda w: w.playback.set_muted(not w.playback.muted), line=True),
    Command("sound", tr("Sound of the next &file"), "Shift+M", lambda w: w.views.select_next_sound()),
    Command("louder", tr("Louder"), "Ctrl+Up", lambda w: w.playback.change_volume(10), repeats=True),
    Command("quieter", tr("Quieter"), "Ctrl+Down", lambda w: w.playback.change_volume(-10), repeats=True),
    needs=ON_RECORDING,
)


SPEECH: tuple[Command[WindowParts], ...] = in_menu(
    tr("S&peech"),
    Command("find_speech", tr("&Find speech"), "", lambda w: w.listening.find_speech()),
    Command("transcribe", tr("&Transcribe…"), "Ctrl+Shift+T", lambda w: w.listening.open_dialog()),
    Command("suggest_speakers", tr("&Suggest speakers"), "", lambda w: w.speakers.suggest()),
    Command("add_cue", tr("Add &cue…"), "Ctrl+Shift+C", lambda w: w.cues.open_form(), line=True),
    Command("suggest_cues", tr("Su&ggest cues"), "", lambda w: w.cues.suggest_cues()),
    Command("accept_cue", tr("&Accept the pre-label"), "F9", lambda w: w.prelabels.accept(), ON_SELECTION),
    Command("reject_cue", tr("&Reject the pre-label"), "Shift+F9", lambda w: w.prelabels.reject(), ON_SELECTION),
    view_command("pii", tr("&Personal information…"), "F8", icon="shield-check", line=True),
    needs=EDITING,
)


def _show_mode(mode: str) -> Callable[[WindowParts], object]:
    return lambda w: w.set_mode(mode)


def _pan_picture(right: int, down: int) -> Callable[[WindowParts], object]:
    return lambda w: w.picture.pan(right, down)


_SEVERAL = Requirement.RECORDING | Requirement.SEVERAL_VIEWS
VIEW: tuple[Command[WindowParts], ...] = in_menu(
    tr("&View"),
    Command(
        "zoom_in", tr("Zoom &in"), "+ =", lambda w: w.timeline.zoom_in(), ON_RECORDING, icon="zoom-in", repeats=True
    ),
    Command(
        "zoom_out", tr("Zoom &out"), "-", lambda w: w.timeline.zoom_out(), ON_RECORDING, icon="zoom-out", repeats=True
    ),
    Command("zoom_fit", tr("Show the &whole recording"), "0", lambda w: w.timeline.zoom_to_fit(), ON_RECORDING),
    Command(
        "zoom_selection", tr("Zoom to the &selection"), "Z", lambda w: w.timeline.zoom_to_selection(), ON_RECORDING
    ),
    Command(
        "full",
        tr("&Full-screen picture"),
        "F F11",
        lambda w: w.commands.toggle_full_screen(),
        ON_RECORDING,
        icon="maximize",
        line=True,
    ),
    Command(
        "magnify",
        tr("&Magnify the picture"),
        "Alt++ Alt+=",
        lambda w: w.picture.magnify(1),
        ON_RECORDING,
        repeats=True,
        keywords=tr("zoom magnifier"),
    ),
    Command(
        "magnify_less",
        tr("Magnify the picture &less"),
        "Alt+-",
        lambda w: w.picture.magnify(-1),
        ON_RECORDING,
        repeats=True,
        keywords=tr("zoom magnifier"),
    ),
    Command(
        "whole_picture",
        tr("&Whole picture"),
        "Ctrl+0",
        lambda w: w.workspace.views.reset_magnification(),
        ON_RECORDING,
        keywords=tr("reset zoom magnifier"),
    ),
    *(
        Command(f"pan_{key.lower()}", text, f"Ctrl+Shift+{key}", _pan_picture(*by), ON_RECORDING, repeats=True)
        for key, by, text in (
            ("Left", (-1, 0), tr("Magnified picture: move left")),
            ("Right", (1, 0), tr("Magnified picture: move right")),
            ("Up", (0, -1), tr("Magnified picture: move up")),
            ("Down", (0, 1), tr("Magnified picture: move down")),
        )
    ),
    Command(
        "brightness",
        tr("&Brightness and contrast…"),
        "Ctrl+B",
        lambda w: w.picture.open_brightness(),
        ON_RECORDING,
        icon="contrast",
    ),
    Command(
        "layout",
        tr("Next layout of the &pictures"),
        "Shift+P",
        lambda w: w.workspace.views.next_layout(),
        _SEVERAL,
        icon="columns-2",
        line=True,
    ),
    Command("large", tr("Next picture &large"), "Shift+U", lambda w: w.workspace.views.next_large(), _SEVERAL),
    Command(
        "inset_larger",
        tr("Small picture larger"),
        "Ctrl++ Ctrl+=",
        lambda w: w.workspace.views.resize_insets(1),
        _SEVERAL,
        repeats=True,
    ),
    Command(
        "inset_smaller",
        tr("Small picture smaller"),
        "Ctrl+-",
        lambda w: w.workspace.views.resize_insets(-1),
        _SEVERAL,
        repeats=True,
    ),
    Command(
        "inset_corner",
        tr("Small picture to the next corner"),
        "Shift+K",
        lambda w: w.workspace.views.next_corner(),
        _SEVERAL,
    ),
    Command("follow", tr("Timeline follows the &playhead"), "", lambda w: w.commands.toggle_follow(), checkable=True),
    Command(
        "click_seeks",
        tr("A click on a segment &goes to its start"),
        "",
        lambda w: w.playback.toggle_click_seeks(),
        is_ticked=lambda w: w.studio.settings.click_seeks,
        keywords=tr("timeline jump playhead"),
    ),
    Command(
        "guidelines",
        tr("&Guidelines beside the form"),
        "F3 ?",
        lambda w: w.guidelines.toggle(),
        ON_STUDY,
        icon="info",
        checkable=True,
    ),
    *(
        Command(
            f"mode_{mode.key}",
            f"&{mode.name}",
            mode.keys,
            _show_mode(mode.key),
            ON_STUDY,
            line=mode is MODES[0],
        )
        for mode in MODES
    ),
    Command("strip", tr("&Disagreement strip"), "", lambda w: w.strip.toggle(), ON_STUDY, line=True, checkable=True),
    Command(
        "verdicts", tr("&What judges say, on the timeline"), "", lambda w: w.verdicts.toggle(), ON_STUDY, checkable=True
    ),
    Command(
        "subtitles", tr("&Subtitles in the picture"), "U", lambda w: w.subtitles.toggle(), ON_RECORDING, checkable=True
    ),
    Command("subtitles_larger", tr("Larger subtitles"), "", lambda w: w.subtitles.change_size(1), ON_RECORDING),
    Command("subtitles_smaller", tr("Smaller subtitles"), "", lambda w: w.subtitles.change_size(-1), ON_RECORDING),
    Command("disagreement_on", tr("Next disagreement"), "Alt+Right", lambda w: w.strip.step(1), ON_RECORDING),
    Command("disagreement_back", tr("Previous disagreement"), "Alt+Left", lambda w: w.strip.step(-1), ON_RECORDING),
    Command(
        "previous",
        tr("Previous recording"),
        "Ctrl+PgUp",
        lambda w: w.recordings.select_relative(-1),
        ON_STUDY,
        line=True,
    ),
    Command("next", tr("Next recording"), "Ctrl+PgDown", lambda w: w.recordings.select_relative(1), ON_STUDY),
    Command(
        "search", tr("Search recordings"), "Ctrl+F", lambda w: w.recordings.search.setFocus(), ON_STUDY, icon="search"
    ),
    Command(
        "arrange",
        tr("Sort and filter recordings…"),
        "Ctrl+Alt+F",
        lambda w: w.recordings.open_arrangement(),
        ON_STUDY,
        icon="funnel",
        keywords=tr("order done held out participant"),
    ),
    Command("jobs", tr("&Jobs"), "Ctrl+Shift+J", lambda w: w.commands.show_jobs(), icon="list-checks"),
    Command("interrupted", tr("Interrupted &jobs…"), "", lambda w: w.interrupted.show_list(), CHANGING),
)


TRANSCRIPT: tuple[Command[WindowParts], ...] = in_menu(
    tr("S&peech"),
    Command(
        "find_words",
        tr("Fi&nd in the transcript"),
        "",
        _on_page("transcript", "find"),
        ON_RECORDING,
        icon="search",
        line=True,
    ),
    Command("replace_words", tr("Find and &replace"), "", _on_page("transcript", "replace")),
    Command("add_utterance", tr("&Add utterance"), "", _on_page("transcript", "add"), icon="plus"),
    Command(
        "drop_silent",
        tr("Delete utterances &without speech"),
        "",
        _on_page("transcript", "drop_without_speech"),
        line=True,
    ),
    Command("drop_speaker", tr("Delete all utterances of this s&peaker"), "", _on_page("transcript", "drop_speaker")),
    needs=EDITING,
)
