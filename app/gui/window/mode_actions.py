"""The actions of the menus Chains, Faces, Judges, Play, Speech and View."""

from collections.abc import Callable

from app.gui.pages.commands import EDITING, ON_RECORDING, ON_SELECTION, Command, Requirement
from app.gui.window.parts import WindowParts
from project.entities.causal_chains import NodeKind
from project.timebase import SECOND_US
from resources.translation import tr


def _trigger_chains_action(window: WindowParts, what: str) -> None:
    """Show the page Chains and trigger one of its actions by name."""
    window.set_mode("chains")
    window.pages.trigger_action(what)


def _add_node(window: WindowParts, kind: NodeKind) -> None:
    window.set_mode("chains")
    window.chains.drawing.add(kind)


def _new_chain(window: WindowParts) -> None:
    window.set_mode("chains")
    window.chains.new_chain()


CHAINS: tuple[Command[WindowParts], ...] = (
    Command("chain_new", tr("&Chains"), tr("&New chain"), ("Ctrl+Shift+N",), _new_chain, EDITING, icon="plus"),
    Command(
        "chain_rename", tr("&Chains"), tr("&Rename chain…"), (), lambda w: w.chains.rename(), EDITING, icon="pencil"
    ),
    Command(
        "chain_delete", tr("&Chains"), tr("&Delete chain"), (), lambda w: w.chains.delete(), EDITING, icon="trash-2"
    ),
    Command(
        "node_from_selected",
        tr("&Chains"),
        tr("Node from the selected segment, utterance or &cue"),
        ("Ctrl+Shift+A",),
        lambda w: w.chains.drawing.add_from_selected(),
        EDITING,
        line=True,
    ),
    Command(
        "node_event",
        tr("&Chains"),
        tr("New &event here"),
        (),
        lambda w: _add_node(w, NodeKind.EVENT),
        EDITING,
        line=True,
    ),
    Command("node_belief", tr("&Chains"), tr("New &belief here"), (), lambda w: _add_node(w, NodeKind.BELIEF), EDITING),
    Command("node_intent", tr("&Chains"), tr("New &intent here"), (), lambda w: _add_node(w, NodeKind.INTENT), EDITING),
    Command("node_desire", tr("&Chains"), tr("New de&sire here"), (), lambda w: _add_node(w, NodeKind.DESIRE), EDITING),
    Command(
        "node_emotion", tr("&Chains"), tr("New e&motion here"), (), lambda w: _add_node(w, NodeKind.EMOTION), EDITING
    ),
    Command(
        "node_reason",
        tr("&Chains"),
        tr("Add a re&ason…"),
        (),
        lambda w: _trigger_chains_action(w, "reason"),
        EDITING,
        line=True,
    ),
    Command(
        "node_result", tr("&Chains"), tr("Add a res&ult…"), (), lambda w: _trigger_chains_action(w, "result"), EDITING
    ),
    Command(
        "node_join",
        tr("&Chains"),
        tr("&Join the selected nodes"),
        (),
        lambda w: w.chains.drawing.connect_selected(),
        EDITING,
    ),
    Command(
        "chain_copy",
        tr("&Chains"),
        tr("My own &version of this chain"),
        (),
        lambda w: _trigger_chains_action(w, "copy"),
        EDITING,
        line=True,
    ),
    Command(
        "chain_agree",
        tr("&Chains"),
        tr("Make it the a&greed version"),
        (),
        lambda w: _trigger_chains_action(w, "agree_on"),
        EDITING,
    ),
    Command(
        "chain_svg",
        tr("&Chains"),
        tr("Save a &picture as SVG…"),
        (),
        lambda w: w.chains.files.save_picture(".svg"),
        ON_RECORDING,
        line=True,
    ),
    Command(
        "chain_png",
        tr("&Chains"),
        tr("Save a picture as PN&G…"),
        (),
        lambda w: w.chains.files.save_picture(".png"),
        ON_RECORDING,
    ),
    Command(
        "chain_json",
        tr("&Chains"),
        tr("Save as JS&ON…"),
        (),
        lambda w: w.chains.files.export_chain(".json"),
        ON_RECORDING,
    ),
    Command(
        "chain_graphml",
        tr("&Chains"),
        tr("Save as Graph&ML…"),
        (),
        lambda w: w.chains.files.export_chain(".graphml"),
        ON_RECORDING,
    ),
    Command(
        "chain_import",
        tr("&Chains"),
        tr("Read a chain from a &file…"),
        (),
        lambda w: w.chains.files.import_chains(),
        EDITING,
    ),
)


FACES: tuple[Command[WindowParts], ...] = (
    Command(
        "track", tr("F&aces"), tr("&Track faces"), ("Ctrl+T",), lambda w: w.faces.track(), EDITING, icon="scan-face"
    ),
    Command(
        "boxes",
        tr("F&aces"),
        tr("Show &boxes over the picture"),
        ("B",),
        lambda w: w.faces.toggle_boxes(),
        ON_RECORDING,
        checkable=True,
    ),
    Command("find_text", tr("F&aces"), tr("Look for te&xt to mask"), (), lambda w: w.faces.text.find_text(), EDITING),
    Command(
        "place_on",
        tr("F&aces"),
        tr("&Next place to look at"),
        ("N",),
        lambda w: w.faces.places.step(1),
        ON_RECORDING,
        line=True,
        mode="faces",
    ),
    Command(
        "place_back",
        tr("F&aces"),
        tr("&Previous place to look at"),
        ("Shift+N",),
        lambda w: w.faces.places.step(-1),
        ON_RECORDING,
        mode="faces",
    ),
    Command(
        "place_seen",
        tr("F&aces"),
        tr("Checked, &OK: go to the next place"),
        ("Y",),
        lambda w: w.faces.deciding.mark_seen(),
        EDITING,
        mode="faces",
    ),
    Command(
        "keyframe",
        tr("F&aces"),
        tr("Set a &keyframe of the selected box"),
        ("Q",),
        lambda w: w.faces.drawing.set_keyframe(),
        EDITING,
        line=True,
        mode="faces",
    ),
    Command(
        "keyframe_delete",
        tr("F&aces"),
        tr("&Delete the keyframe here"),
        ("Shift+Q",),
        lambda w: w.faces.drawing.delete_keyframe(),
        EDITING,
        mode="faces",
    ),
)


def _trigger_judges_action(window: WindowParts, what: str) -> None:
    """Show the page Judges and trigger one of its actions by name."""
    window.open_view("judges")
    window.pages.trigger_action(what)


JUDGES: tuple[Command[WindowParts], ...] = (
    Command(
        "ask_judges",
        tr("&Judges"),
        tr("&Ask about this segment"),
        ("Ctrl+J",),
        lambda w: _trigger_judges_action(w, "ask"),
        ON_SELECTION,
        icon="play",
    ),
    Command(
        "what_is_sent",
        tr("&Judges"),
        tr("&What is sent…"),
        ("Ctrl+Shift+S",),
        lambda w: _trigger_judges_action(w, "inspect"),
        ON_SELECTION,
    ),
    Command(
        "answer_yourself",
        tr("&Judges"),
        tr("Answer &yourself…"),
        ("Ctrl+Alt+J",),
        lambda w: _trigger_judges_action(w, "answer"),
        ON_SELECTION,
    ),
    Command(
        "cancel_judges",
        tr("&Judges"),
        tr("&Cancel all"),
        (),
        lambda w: _trigger_judges_action(w, "cancel"),
        Requirement.STUDY | Requirement.WRITABLE,
    ),
    Command(
        "add_judge",
        tr("&Judges"),
        tr("A&dd judge…"),
        (),
        lambda w: _trigger_judges_action(w, "add"),
        Requirement.STUDY | Requirement.WRITABLE,
        icon="plus",
        line=True,
    ),
    Command("prompts", tr("&Judges"), tr("&Prompts…"), (), lambda w: w.open_view("prompts"), Requirement.STUDY),
    Command(
        "revisions",
        tr("&Judges"),
        tr("&Revisions after judges…"),
        (),
        lambda w: w.open_view("revisions"),
        Requirement.STUDY,
        line=True,
    ),
)


PLAY: tuple[Command[WindowParts], ...] = (
    Command(
        "play", tr("&Play"), tr("&Play or pause"), ("Space",), lambda w: w.player.toggle(), ON_RECORDING, icon="play"
    ),
    Command(
        "play_segment",
        tr("&Play"),
        tr("Play selected &segment"),
        ("Shift+Space",),
        lambda w: w.playback.play_selected(),
        Requirement.RECORDING | Requirement.SELECTION,
    ),
    Command(
        "loop",
        tr("&Play"),
        tr("&Repeat selected segment"),
        ("R",),
        lambda w: w.playback.set_looping(not w.playback.looping),
        ON_RECORDING,
        icon="repeat",
        checkable=True,
    ),
    Command(
        "shuttle_back",
        tr("&Play"),
        tr("Play backward, faster at each press"),
        ("J",),
        lambda w: w.player.shuttle(-1),
        ON_RECORDING,
        line=True,
    ),
    Command("shuttle_stop", tr("&Play"), tr("Pause"), ("K",), lambda w: w.player.shuttle(0), ON_RECORDING),
    Command(
        "shuttle_on", tr("&Play"), tr("Play, faster at each press"), ("L",), lambda w: w.player.shuttle(1), ON_RECORDING
    ),
    Command("slower", tr("&Play"), tr("Slower"), ("<",), lambda w: w.commands.change_rate(-1), ON_RECORDING),
    Command("faster", tr("&Play"), tr("Faster"), (">",), lambda w: w.commands.change_rate(1), ON_RECORDING),
    Command(
        "step_back",
        tr("&Play"),
        tr("One frame &back"),
        ("Left",),
        lambda w: w.player.step(-1),
        ON_RECORDING,
        repeats=True,
        icon="step-back",
        line=True,
    ),
    Command(
        "step_on",
        tr("&Play"),
        tr("One frame &forward"),
        ("Right",),
        lambda w: w.player.step(1),
        ON_RECORDING,
        repeats=True,
        icon="step-forward",
    ),
    Command(
        "second_back",
        tr("&Play"),
        tr("One second back"),
        ("Shift+Left",),
        lambda w: w.playback.skip(-SECOND_US),
        ON_RECORDING,
        repeats=True,
    ),
    Command(
        "second_on",
        tr("&Play"),
        tr("One second forward"),
        ("Shift+Right",),
        lambda w: w.playback.skip(SECOND_US),
        ON_RECORDING,
        repeats=True,
    ),
    Command(
        "start",
        tr("&Play"),
        tr("Go to the start"),
        ("Home",),
        lambda w: w.playback.go_to_start(),
        ON_RECORDING,
        icon="skip-back",
    ),
    Command(
        "end",
        tr("&Play"),
        tr("Go to the end"),
        ("End",),
        lambda w: w.playback.go_to_end(),
        ON_RECORDING,
        icon="skip-forward",
    ),
    Command("jump", tr("&Play"), tr("Jump to a &time…"), ("Ctrl+L",), lambda w: w.transport.focus_time(), ON_RECORDING),
    Command(
        "mute",
        tr("&Play"),
        tr("Sound off or on"),
        ("M",),
        lambda w: w.playback.set_muted(not w.playback.muted),
        ON_RECORDING,
        line=True,
    ),
    Command(
        "sound",
        tr("&Play"),
        tr("Sound of the next &file"),
        ("Shift+M",),
        lambda w: w.views.select_next_sound(),
        ON_RECORDING,
    ),
    Command(
        "louder",
        tr("&Play"),
        tr("Louder"),
        ("Ctrl+Up",),
        lambda w: w.playback.change_volume(10),
        ON_RECORDING,
        repeats=True,
    ),
    Command(
        "quieter",
        tr("&Play"),
        tr("Quieter"),
        ("Ctrl+Down",),
        lambda w: w.playback.change_volume(-10),
        ON_RECORDING,
        repeats=True,
    ),
)


SPEECH: tuple[Command[WindowParts], ...] = (
    Command("find_speech", tr("S&peech"), tr("&Find speech"), (), lambda w: w.listening.find_speech(), EDITING),
    Command(
        "transcribe", tr("S&peech"), tr("&Transcribe…"), ("Ctrl+Shift+T",), lambda w: w.listening.open_dialog(), EDITING
    ),
    Command("suggest_speakers", tr("S&peech"), tr("&Suggest speakers"), (), lambda w: w.speakers.suggest(), EDITING),
    Command(
        "add_cue", tr("S&peech"), tr("Add &cue…"), ("Ctrl+Shift+C",), lambda w: w.cues.open_form(), EDITING, line=True
    ),
    Command("suggest_cues", tr("S&peech"), tr("Su&ggest cues"), (), lambda w: w.cues.suggest_cues(), EDITING),
    Command(
        "accept_cue",
        tr("S&peech"),
        tr("&Accept the pre-label"),
        ("F9",),
        lambda w: w.prelabels.accept(),
        ON_SELECTION,
    ),
    Command(
        "reject_cue",
        tr("S&peech"),
        tr("&Reject the pre-label"),
        ("Shift+F9",),
        lambda w: w.prelabels.reject(),
        ON_SELECTION,
    ),
    Command(
        "pii",
        tr("S&peech"),
        tr("&Personal information…"),
        ("F8",),
        lambda w: w.open_view("pii"),
        Requirement.STUDY,
        icon="shield-check",
        line=True,
    ),
)


def _pan_picture(right: int, down: int) -> Callable[[WindowParts], object]:
    return lambda w: w.picture.pan(right, down)


_SEVERAL = Requirement.RECORDING | Requirement.SEVERAL_VIEWS
VIEW: tuple[Command[WindowParts], ...] = (
    Command(
        "zoom_in",
        tr("&View"),
        tr("Zoom &in"),
        ("+", "="),
        lambda w: w.timeline.zoom_in(),
        ON_RECORDING,
        icon="zoom-in",
        repeats=True,
    ),
    Command(
        "zoom_out",
        tr("&View"),
        tr("Zoom &out"),
        ("-",),
        lambda w: w.timeline.zoom_out(),
        ON_RECORDING,
        icon="zoom-out",
        repeats=True,
    ),
    Command(
        "zoom_fit",
        tr("&View"),
        tr("Show the &whole recording"),
        ("0",),
        lambda w: w.timeline.zoom_to_fit(),
        ON_RECORDING,
    ),
    Command(
        "zoom_selection",
        tr("&View"),
        tr("Zoom to the &selection"),
        ("Z",),
        lambda w: w.timeline.zoom_to_selection(),
        ON_RECORDING,
    ),
    Command(
        "full",
        tr("&View"),
        tr("&Full-screen picture"),
        ("F", "F11"),
        lambda w: w.commands.toggle_full_screen(),
        ON_RECORDING,
        icon="maximize",
        line=True,
    ),
    Command(
        "magnify",
        tr("&View"),
        tr("&Magnify the picture"),
        ("Alt++", "Alt+="),
        lambda w: w.picture.magnify(1),
        ON_RECORDING,
        repeats=True,
        keywords=tr("zoom magnifier"),
    ),
    Command(
        "magnify_less",
        tr("&View"),
        tr("Magnify the picture &less"),
        ("Alt+-",),
        lambda w: w.picture.magnify(-1),
        ON_RECORDING,
        repeats=True,
        keywords=tr("zoom magnifier"),
    ),
    Command(
        "whole_picture",
        tr("&View"),
        tr("&Whole picture"),
        ("Ctrl+0",),
        lambda w: w.workspace.views.reset_magnification(),
        ON_RECORDING,
        keywords=tr("reset zoom magnifier"),
    ),
    *(
        Command(
            f"pan_{key.lower()}",
            tr("&View"),
            text,
            (f"Ctrl+Shift+{key}",),
            _pan_picture(*by),
            ON_RECORDING,
            repeats=True,
        )
        for key, by, text in (
            ("Left", (-1, 0), tr("Magnified picture: move left")),
            ("Right", (1, 0), tr("Magnified picture: move right")),
            ("Up", (0, -1), tr("Magnified picture: move up")),
            ("Down", (0, 1), tr("Magnified picture: move down")),
        )
    ),
    Command(
        "brightness",
        tr("&View"),
        tr("&Brightness and contrast…"),
        ("Ctrl+B",),
        lambda w: w.picture.open_brightness(),
        ON_RECORDING,
        icon="contrast",
    ),
    Command(
        "layout",
        tr("&View"),
        tr("Next layout of the &pictures"),
        ("Shift+P",),
        lambda w: w.workspace.views.next_layout(),
        _SEVERAL,
        icon="columns-2",
        line=True,
    ),
    Command(
        "large",
        tr("&View"),
        tr("Next picture &large"),
        ("Shift+U",),
        lambda w: w.workspace.views.next_large(),
        _SEVERAL,
    ),
    Command(
        "inset_larger",
        tr("&View"),
        tr("Small picture larger"),
        ("Ctrl++", "Ctrl+="),
        lambda w: w.workspace.views.resize_insets(1),
        _SEVERAL,
        repeats=True,
    ),
    Command(
        "inset_smaller",
        tr("&View"),
        tr("Small picture smaller"),
        ("Ctrl+-",),
        lambda w: w.workspace.views.resize_insets(-1),
        _SEVERAL,
        repeats=True,
    ),
    Command(
        "inset_corner",
        tr("&View"),
        tr("Small picture to the next corner"),
        ("Shift+K",),
        lambda w: w.workspace.views.next_corner(),
        _SEVERAL,
    ),
    Command(
        "follow",
        tr("&View"),
        tr("Timeline follows the &playhead"),
        (),
        lambda w: w.commands.toggle_follow(),
        checkable=True,
    ),
    Command(
        "click_seeks",
        tr("&View"),
        tr("A click on a segment &goes to its start"),
        (),
        lambda w: w.playback.toggle_click_seeks(),
        is_ticked=lambda w: w.studio.settings.click_seeks,
        keywords=tr("timeline jump playhead"),
    ),
    Command(
        "guidelines",
        tr("&View"),
        tr("&Guidelines beside the form"),
        ("F3", "?"),
        lambda w: w.guidelines.toggle(),
        Requirement.STUDY,
        icon="info",
        checkable=True,
    ),
    Command(
        "mode_annotate",
        tr("&View"),
        tr("&Annotate"),
        ("Ctrl+1",),
        lambda w: w.set_mode("annotate"),
        Requirement.STUDY,
        line=True,
    ),
    Command("mode_faces", tr("&View"), tr("&Faces"), ("Ctrl+2",), lambda w: w.set_mode("faces"), Requirement.STUDY),
    Command("mode_review", tr("&View"), tr("&Review"), ("Ctrl+3",), lambda w: w.set_mode("review"), Requirement.STUDY),
    Command(
        "mode_transcript",
        tr("&View"),
        tr("&Transcript"),
        ("Ctrl+4",),
        lambda w: w.set_mode("transcript"),
        Requirement.STUDY,
    ),
    Command("mode_judges", tr("&View"), tr("&Judges"), ("Ctrl+5",), lambda w: w.set_mode("judges"), Requirement.STUDY),
    Command("mode_chains", tr("&View"), tr("&Chains"), ("Ctrl+6",), lambda w: w.set_mode("chains"), Requirement.STUDY),
    Command(
        "mode_questions",
        tr("&View"),
        tr("&Questions"),
        ("Ctrl+7",),
        lambda w: w.set_mode("questions"),
        Requirement.STUDY,
    ),
    Command(
        "mode_benchmark",
        tr("&View"),
        tr("&Benchmark"),
        ("Ctrl+8",),
        lambda w: w.set_mode("benchmark"),
        Requirement.STUDY,
    ),
    Command(
        "strip",
        tr("&View"),
        tr("&Disagreement strip"),
        (),
        lambda w: w.strip.toggle(),
        Requirement.STUDY,
        line=True,
        checkable=True,
    ),
    Command(
        "verdicts",
        tr("&View"),
        tr("&What judges say, on the timeline"),
        (),
        lambda w: w.verdicts.toggle(),
        Requirement.STUDY,
        checkable=True,
    ),
    Command(
        "subtitles",
        tr("&View"),
        tr("&Subtitles in the picture"),
        ("U",),
        lambda w: w.subtitles.toggle(),
        ON_RECORDING,
        checkable=True,
    ),
    Command(
        "subtitles_larger",
        tr("&View"),
        tr("Larger subtitles"),
        (),
        lambda w: w.subtitles.change_size(1),
        ON_RECORDING,
    ),
    Command(
        "subtitles_smaller",
        tr("&View"),
        tr("Smaller subtitles"),
        (),
        lambda w: w.subtitles.change_size(-1),
        ON_RECORDING,
    ),
    Command(
        "disagreement_on", tr("&View"), tr("Next disagreement"), ("Alt+Right",), lambda w: w.strip.step(1), ON_RECORDING
    ),
    Command(
        "disagreement_back",
        tr("&View"),
        tr("Previous disagreement"),
        ("Alt+Left",),
        lambda w: w.strip.step(-1),
        ON_RECORDING,
    ),
    Command(
        "previous",
        tr("&View"),
        tr("Previous recording"),
        ("Ctrl+PgUp",),
        lambda w: w.recordings.select_relative(-1),
        Requirement.STUDY,
        line=True,
    ),
    Command(
        "next",
        tr("&View"),
        tr("Next recording"),
        ("Ctrl+PgDown",),
        lambda w: w.recordings.select_relative(1),
        Requirement.STUDY,
    ),
    Command(
        "search",
        tr("&View"),
        tr("Search recordings"),
        ("Ctrl+F",),
        lambda w: w.recordings.search.setFocus(),
        Requirement.STUDY,
        icon="search",
    ),
    Command(
        "arrange",
        tr("&View"),
        tr("Sort and filter recordings…"),
        ("Ctrl+Alt+F",),
        lambda w: w.recordings.open_arrangement(),
        Requirement.STUDY,
        icon="funnel",
        keywords=tr("order done held out participant"),
    ),
    Command("jobs", tr("&View"), tr("&Jobs"), ("Ctrl+Shift+J",), lambda w: w.commands.show_jobs(), icon="list-checks"),
    Command(
        "interrupted",
        tr("&View"),
        tr("Interrupted &jobs…"),
        (),
        lambda w: w.interrupted.show_list(),
        Requirement.STUDY | Requirement.WRITABLE,
    ),
)


def trigger_transcript_action(window: WindowParts, what: str) -> None:
    """Show the page Transcript and trigger one of its actions by name."""
    window.set_mode("transcript")
    window.pages.trigger_action(what)


TRANSCRIPT: tuple[Command[WindowParts], ...] = (
    Command(
        "find_words",
        tr("S&peech"),
        tr("Fi&nd in the transcript"),
        (),
        lambda w: trigger_transcript_action(w, "find"),
        ON_RECORDING,
        icon="search",
        line=True,
    ),
    Command(
        "replace_words",
        tr("S&peech"),
        tr("Find and &replace"),
        (),
        lambda w: trigger_transcript_action(w, "replace"),
        EDITING,
    ),
    Command(
        "add_utterance",
        tr("S&peech"),
        tr("&Add utterance"),
        (),
        lambda w: trigger_transcript_action(w, "add"),
        EDITING,
        icon="plus",
    ),
    Command(
        "drop_silent",
        tr("S&peech"),
        tr("Delete utterances &without speech"),
        (),
        lambda w: trigger_transcript_action(w, "drop_without_speech"),
        EDITING,
        line=True,
    ),
    Command(
        "drop_speaker",
        tr("S&peech"),
        tr("Delete all utterances of this s&peaker"),
        (),
        lambda w: trigger_transcript_action(w, "drop_speaker"),
        EDITING,
    ),
)
