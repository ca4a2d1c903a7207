"""The menu File: studies, recordings and what leaves them."""

from app.gui.actions.spec import EDITING, Need, Spec

FILE: tuple[Spec, ...] = (
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
    Spec("rename", "&File", "Rena&me recording…", ("F2",), lambda w: w.commands.rename_recording(), EDITING),
    Spec(
        "export",
        "&File",
        "&Export anonymized…",
        ("Ctrl+E",),
        lambda w: w.commands.ask_export(),
        EDITING,
        icon="download",
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
        "models",
        "&File",
        "Model&s…",
        ("Ctrl+Shift+M",),
        lambda w: w.windows.open("models"),
        Need.STUDY,
        icon="download",
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
)
