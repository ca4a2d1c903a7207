"""The menu Faces: finding faces and reviewing them."""

from app.gui.actions.spec import EDITING, ON_RECORDING, Spec

FACES: tuple[Spec, ...] = (
    Spec("track", "F&aces", "&Track faces", ("Ctrl+T",), lambda w: w.faces.track(), EDITING, icon="scan-face"),
    Spec(
        "boxes",
        "F&aces",
        "Show &boxes over the picture",
        ("B",),
        lambda w: w.faces.toggle_boxes(),
        ON_RECORDING,
        checkable=True,
    ),
    Spec("find_text", "F&aces", "Look for te&xt to mask", (), lambda w: w.faces.text.look(), EDITING),
    Spec(
        "place_on",
        "F&aces",
        "&Next place to look at",
        ("N",),
        lambda w: w.faces.places.step(1),
        ON_RECORDING,
        line=True,
        mode="faces",
    ),
    Spec(
        "place_back",
        "F&aces",
        "&Previous place to look at",
        ("Shift+N",),
        lambda w: w.faces.places.step(-1),
        ON_RECORDING,
        mode="faces",
    ),
    Spec(
        "place_seen",
        "F&aces",
        "&Seen: no face is bare here, go on",
        ("Y",),
        lambda w: w.faces.deciding.seen(),
        EDITING,
        mode="faces",
    ),
    Spec(
        "keyframe",
        "F&aces",
        "Set a &keyframe of the selected box",
        ("Q",),
        lambda w: w.faces.drawing.set_keyframe(),
        EDITING,
        line=True,
        mode="faces",
    ),
    Spec(
        "keyframe_delete",
        "F&aces",
        "&Delete the keyframe here",
        ("Shift+Q",),
        lambda w: w.faces.drawing.delete_keyframe(),
        EDITING,
        mode="faces",
    ),
)
