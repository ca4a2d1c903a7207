"""The menu Faces: finding faces and reviewing them."""

from app.gui.actions.spec import EDITING, ON_RECORDING, Spec
from resources.translation import tr

FACES: tuple[Spec, ...] = (
    Spec("track", tr("F&aces"), tr("&Track faces"), ("Ctrl+T",), lambda w: w.faces.track(), EDITING, icon="scan-face"),
    Spec(
        "boxes",
        tr("F&aces"),
        tr("Show &boxes over the picture"),
        ("B",),
        lambda w: w.faces.toggle_boxes(),
        ON_RECORDING,
        checkable=True,
    ),
    Spec("find_text", tr("F&aces"), tr("Look for te&xt to mask"), (), lambda w: w.faces.text.look(), EDITING),
    Spec(
        "place_on",
        tr("F&aces"),
        tr("&Next place to look at"),
        ("N",),
        lambda w: w.faces.places.step(1),
        ON_RECORDING,
        line=True,
        mode="faces",
    ),
    Spec(
        "place_back",
        tr("F&aces"),
        tr("&Previous place to look at"),
        ("Shift+N",),
        lambda w: w.faces.places.step(-1),
        ON_RECORDING,
        mode="faces",
    ),
    Spec(
        "place_seen",
        tr("F&aces"),
        tr("&Seen: no face is bare here, go on"),
        ("Y",),
        lambda w: w.faces.deciding.seen(),
        EDITING,
        mode="faces",
    ),
    Spec(
        "keyframe",
        tr("F&aces"),
        tr("Set a &keyframe of the selected box"),
        ("Q",),
        lambda w: w.faces.drawing.set_keyframe(),
        EDITING,
        line=True,
        mode="faces",
    ),
    Spec(
        "keyframe_delete",
        tr("F&aces"),
        tr("&Delete the keyframe here"),
        ("Shift+Q",),
        lambda w: w.faces.drawing.delete_keyframe(),
        EDITING,
        mode="faces",
    ),
)
