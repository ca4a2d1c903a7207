"""The menu File: studies, recordings and what leaves them."""

from app.gui.actions.spec import EDITING, Need, Spec
from app.gui.recovering.recovering import recover_study
from app.gui.sealing import seal, unseal
from resources.translation import tr

FILE: tuple[Spec, ...] = (
    Spec("new", tr("&File"), tr("&New study…"), ("Ctrl+N",), lambda w: w.files.new(), icon="file-plus"),
    Spec("open", tr("&File"), tr("&Open study…"), ("Ctrl+Shift+O",), lambda w: w.files.open(), icon="folder-open"),
    Spec("recover", tr("&File"), tr("Recover a study…"), (), lambda w: recover_study(w)),
    Spec(
        "add",
        tr("&File"),
        tr("&Add recordings…"),
        ("Ctrl+O",),
        lambda w: w.files.add(),
        Need.STUDY | Need.WRITABLE,
        icon="plus",
        line=True,
    ),
    Spec(
        "details",
        tr("&File"),
        tr("Recording &details…"),
        ("Ctrl+I",),
        lambda w: w.details.open(),
        Need.RECORDING,
        icon="info",
    ),
    Spec("rename", tr("&File"), tr("Rena&me recording…"), ("F2",), lambda w: w.commands.rename_recording(), EDITING),
    Spec(
        "export",
        tr("&File"),
        tr("&Export anonymized…"),
        ("Ctrl+E",),
        lambda w: w.commands.ask_export(),
        EDITING,
        icon="download",
    ),
    Spec(
        "privacy",
        tr("&File"),
        tr("&Privacy of exports…"),
        ("Ctrl+Shift+P",),
        lambda w: w.windows.open("privacy"),
        Need.STUDY,
        icon="shield-check",
    ),
    Spec(
        "models",
        tr("&File"),
        tr("Model&s…"),
        ("Ctrl+Shift+M",),
        lambda w: w.windows.open("models"),
        Need.STUDY,
        icon="cpu",
    ),
    Spec(
        "import_annotations",
        tr("&File"),
        tr("&Import annotations…"),
        ("Ctrl+Shift+I",),
        lambda w: w.windows.open("import_annotations"),
        Need.STUDY | Need.WRITABLE,
        line=True,
    ),
    Spec(
        "export_annotations",
        tr("&File"),
        tr("E&xport annotations…"),
        ("Ctrl+Shift+E",),
        lambda w: w.windows.open("export_annotations"),
        Need.STUDY,
    ),
    Spec(
        "locate",
        tr("&File"),
        tr("&Locate missing media…"),
        (),
        lambda w: w.files.locate(),
        Need.STUDY | Need.WRITABLE,
        icon="search",
    ),
    Spec("seal", tr("&File"), tr("Sea&l study…"), (), lambda w: seal(w), Need.STUDY | Need.WRITABLE, "lock", line=True),
    Spec(
        "unseal", tr("&File"), tr("&Unseal study…"), (), lambda w: unseal(w), Need.STUDY | Need.WRITABLE | Need.SEALED
    ),
    Spec("close", tr("&File"), tr("&Close study"), ("Ctrl+W",), lambda w: w.close_study(), Need.STUDY, line=True),
    Spec("quit", tr("&File"), tr("&Quit"), ("Ctrl+Q",), lambda w: w.close()),
)
