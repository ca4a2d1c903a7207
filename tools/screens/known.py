"""Which windows the program has, read off its source, and in which picture each of them is."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_ASKED_OF_QT = frozenset({"QInputDialog.getText", "QMessageBox.about"})
"""Functions that open a dialog of Qt's; those that choose files are the desktop's."""
_FLAGS = frozenset({"Dialog", "Popup", "Tool", "Window"})
PICTURES: dict[str, str] = {
    "AgreeDialog": "31-share",
    "ChoiceDialog": "31-leave-jobs",
    "CueForm": "30-dialog-add_cue",
    "EntryDialog": "30-dialog-add_judge",
    "ExportDialog": "30-dialog-export",
    "ExportResult": "31-export-result",
    "HelpWindow": "30-dialog-documentation",
    "InterruptedJobsDialog": "31-interrupted-jobs",
    "JobsPanel": "41-jobs",
    "MainWindow": "10-mode",
    "PassphraseDialog": "30-dialog-encrypt",
    "PersonForm": "30-dialog-answer_yourself",
    "QMenu": "42-columns",
    "QMessageBox": "30-dialog-about",
    "RawView": "31-raw",
    "RecordingDialog": "30-dialog-details",
    "RecoverDialog": "51-recover",
    "ReportDialog": "51-recovered",
    "SentView": "30-dialog-what_is_sent",
    "ShortcutEditor": "30-dialog-edit_shortcuts",
    "ShortcutSheet": "30-dialog-shortcuts",
    "SplitDialog": "31-split",
    "StartDialog": "31-start",
    "TextDialog": "30-dialog-annotator",
    "TranscribeDialog": "30-dialog-transcribe",
    "WithdrawalDialog": "30-dialog-withdraw",
    "_Large": "31-large-frame",
    "_Saying": "31-apart",
}
"""Class of a window -> how the name of a picture of it begins; the windows about the study have a picture each."""


def windows_of_source() -> dict[str, str]:
    """Return the classes of dialogs and of all else that floats, and the file that says so of each."""
    found: dict[str, str] = {}
    for folder in ("app/gui", "widgets"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            where = str(path.relative_to(ROOT))
            tree = ast.parse(path.read_text("utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef) and any(map(_is_window, node.bases)) and node.name != "WindowParts":
                    found[node.name] = where
                elif isinstance(node, ast.ClassDef) and node.name not in {"BlindMode", "StudyWindows", "WindowParts"}:
                    found.update((text, where) for text in _floating(node))
                elif isinstance(node, ast.Attribute) and ast.unparse(node) in _ASKED_OF_QT:
                    found[ast.unparse(node).partition(".")[0]] = where
    return found


def widgets_of_source() -> set[str]:
    """Return the classes of all widgets that the program makes itself."""
    bases: dict[str, set[str]] = {}
    for folder in ("app/gui", "widgets"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef):
                    bases[node.name] = {base.id for base in node.bases if isinstance(base, ast.Name)}
    found: set[str] = set()
    while True:
        more = {name for name, of in bases.items() if name not in found and (of & found or of & _QT_WIDGETS)}
        if not more:
            return found
        found |= more


_QT_WIDGETS = {
    *("QWidget", "QFrame", "QLabel", "QDialog", "QMainWindow", "QSplitter", "QScrollArea", "QTabWidget", "QMenu"),
    *("QTableView", "QTreeView", "QListView", "QListWidget", "QTreeWidget", "QTableWidget"),
    *("QPushButton", "QToolButton", "QLineEdit", "QPlainTextEdit"),
}


def _is_window(base: ast.expr) -> bool:
    return isinstance(base, ast.Name) and base.id in {"OwnDialog", "QMainWindow", "WindowParts"}


def _floating(made: ast.ClassDef) -> list[str]:
    """Return what a class makes float by a flag: itself, or one of its parts."""
    found: list[str] = []
    for call in ast.walk(made):
        if isinstance(call, ast.Call) and ast.unparse(call).startswith("attach(self"):
            found.append(made.name)
        if not isinstance(call, ast.Call) or not any(_is_flag(node) for node in ast.walk(call)):
            continue
        called = call.func
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Call):
            found.append(made.name)
        elif isinstance(called, ast.Attribute) and isinstance(called.value, ast.Attribute | ast.Name):
            part = called.value.attr if isinstance(called.value, ast.Attribute) else called.value.id
            found.append(made.name if part == "self" else PARTS.get(part, part))
    return found


def _is_flag(node: ast.AST) -> bool:
    named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute)
    return named and node.value.attr == "WindowType" and node.attr in _FLAGS  # type: ignore[attr-defined]


PARTS = {"jobs_panel": "JobsPanel", "menu": "QMenu"}
"""Name of a part that floats -> its class."""
