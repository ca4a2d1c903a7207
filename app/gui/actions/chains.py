"""The menu Chains: drawing how events and states of mind cause one another."""

from typing import TYPE_CHECKING

from app.gui.actions.spec import EDITING, ON_RECORDING, Spec
from project.chains import NodeKind
from resources.translation import tr

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow


def _do(window: "MainWindow", what: str) -> None:
    """Show the page, and let it do something that it offers by name."""
    window.set_mode("chains")
    window.pages.ask(what)


def _add(window: "MainWindow", kind: NodeKind) -> None:
    window.set_mode("chains")
    window.chains.drawing.add(kind)


def _begin(window: "MainWindow") -> None:
    window.set_mode("chains")
    window.chains.begin()


CHAINS: tuple[Spec, ...] = (
    Spec("chain_new", tr("&Chains"), tr("&New chain"), ("Ctrl+Shift+N",), _begin, EDITING, icon="plus"),
    Spec("chain_rename", tr("&Chains"), tr("&Rename chain…"), (), lambda w: w.chains.rename(), EDITING, icon="pencil"),
    Spec("chain_delete", tr("&Chains"), tr("&Delete chain"), (), lambda w: w.chains.delete(), EDITING, icon="trash-2"),
    Spec(
        "node_from_selected",
        tr("&Chains"),
        tr("Node from the selected segment, utterance or &cue"),
        ("Ctrl+Shift+A",),
        lambda w: w.chains.drawing.add_from_selected(),
        EDITING,
        line=True,
    ),
    Spec("node_event", tr("&Chains"), tr("New &event here"), (), lambda w: _add(w, NodeKind.EVENT), EDITING, line=True),
    Spec("node_belief", tr("&Chains"), tr("New &belief here"), (), lambda w: _add(w, NodeKind.BELIEF), EDITING),
    Spec("node_intent", tr("&Chains"), tr("New &intent here"), (), lambda w: _add(w, NodeKind.INTENT), EDITING),
    Spec("node_desire", tr("&Chains"), tr("New de&sire here"), (), lambda w: _add(w, NodeKind.DESIRE), EDITING),
    Spec("node_emotion", tr("&Chains"), tr("New e&motion here"), (), lambda w: _add(w, NodeKind.EMOTION), EDITING),
    Spec("node_reason", tr("&Chains"), tr("Add a re&ason…"), (), lambda w: _do(w, "reason"), EDITING, line=True),
    Spec("node_result", tr("&Chains"), tr("Add a res&ult…"), (), lambda w: _do(w, "result"), EDITING),
    Spec(
        "node_join",
        tr("&Chains"),
        tr("&Join the selected nodes"),
        (),
        lambda w: w.chains.drawing.join_selected(),
        EDITING,
    ),
    Spec(
        "chain_copy",
        tr("&Chains"),
        tr("My own &version of this chain"),
        (),
        lambda w: _do(w, "copy"),
        EDITING,
        line=True,
    ),
    Spec("chain_agree", tr("&Chains"), tr("Make it the a&greed version"), (), lambda w: _do(w, "agree_on"), EDITING),
    Spec(
        "chain_svg",
        tr("&Chains"),
        tr("Save a &picture as SVG…"),
        (),
        lambda w: w.chains.files.save_picture(".svg"),
        ON_RECORDING,
        line=True,
    ),
    Spec(
        "chain_png",
        tr("&Chains"),
        tr("Save a picture as PN&G…"),
        (),
        lambda w: w.chains.files.save_picture(".png"),
        ON_RECORDING,
    ),
    Spec("chain_json", tr("&Chains"), tr("Save as JS&ON…"), (), lambda w: w.chains.files.export(".json"), ON_RECORDING),
    Spec(
        "chain_graphml",
        tr("&Chains"),
        tr("Save as Graph&ML…"),
        (),
        lambda w: w.chains.files.export(".graphml"),
        ON_RECORDING,
    ),
    Spec("chain_import", tr("&Chains"), tr("Read a chain from a &file…"), (), lambda w: w.chains.files.read(), EDITING),
)
