"""The export dialog: several methods and recordings, options of every kind, weights that are missing, a preview."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QSpinBox
from pytestqt.qtbot import QtBot

from anonymize.export.preview_job import Preview, PreviewParameters
from anonymize.methods import face_methods as registry
from anonymize.methods.face_methods import METHODS, recommended_method
from anonymize.methods.solid import Solid
from app.gui.export.export_dialog import ExportDialog
from app.gui.export.export_preview import PreviewFeed
from project.errors import UserError
from project.plugins.option_limits import check_limits, choice_field, limited_field
from project.session.jobs import JobSpec
from tests.builders.mouse_and_keys import click
from tests.builders.shown_texts import shown_texts

TALLEST = 720


@dataclass(frozen=True, slots=True)
class Options:
    """One of each kind."""

    steps: int = limited_field(4, 1, 9, "Steps", "How many.")
    look: str = choice_field("calm", ("calm", "bright"), "Look", "Which.")
    keep_hats: bool = field(default=False, metadata={"title": "Keep hats", "description": "They stay."})

    def __post_init__(self) -> None:
        check_limits(self)


class Painted(Solid):
    """A method with options of every kind, and weights that nobody has."""

    kind: ClassVar[Any] = "face"
    name: ClassVar[str] = "painted"
    title: ClassVar[str] = "Painted"
    options_type: ClassVar[type[Any]] = Options
    needs: ClassVar[tuple[str, ...]] = ()


@pytest.fixture(autouse=True)
def painted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.METHODS, "painted", f"{__name__}:Painted")
    monkeypatch.setattr(Painted, "needs", ())


def make(qtbot: QtBot, folder: Path, **more: Any) -> ExportDialog:
    recordings = [(f"r{n}", f"{n}. walk {n}") for n in range(1, 4)]
    dialog = ExportDialog(recordings, "r2", more.pop("span", None), folder, time_us=40_000, **more)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    return dialog


def test_every_method_can_be_ticked_and_the_recommended_one_is(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = make(qtbot, tmp_path)
    assert dialog.methods.tree.keys() == list(METHODS)
    assert list(dialog.request().methods) == [recommended_method()]
    for key in METHODS:
        dialog.methods.tree.select_row(key)
        assert dialog.height() <= TALLEST
        assert dialog.minimumSizeHint().height() <= TALLEST


def test_a_click_on_the_box_of_a_method_describes_that_method(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = make(qtbot, tmp_path)
    tree = dialog.methods.tree
    row = tree.visualItemRect(tree.topLevelItem(tree.keys().index("blur")))
    click(tree.viewport(), QPointF(row.left() + 14, row.center().y()))
    assert "blur" in dialog.request().methods
    assert any("Reversible by attacks" in text for text in shown_texts(dialog.methods))


def test_options_come_from_the_dataclass_and_are_kept_for_each_method(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = make(qtbot, tmp_path)
    dialog.methods.tree.set_ticked("painted")
    dialog.methods.tree.select_row("painted")
    form = dialog.methods.form
    steps: QSpinBox = form.inputs["steps"]
    look: QComboBox = form.inputs["look"]
    hats: QCheckBox = form.inputs["keep_hats"]
    assert (steps.minimum(), steps.maximum()) == (1, 9)
    steps.setValue(7)
    look.setCurrentText("Bright")
    hats.setChecked(True)
    dialog.methods.tree.select_row("blur")
    dialog.methods.tree.set_ticked("blur")
    methods = dialog.request().methods
    assert methods["painted"] == {"steps": 7, "look": "bright", "keep_hats": True}
    assert methods["blur"] == {"strength": 0.3}
    registry.create_method("painted", **methods["painted"])


def test_a_method_without_weights_cannot_be_ticked_and_says_how_to_get_them(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Painted, "needs", ("yunet",))
    dialog = make(qtbot, tmp_path)
    item = dialog.methods.tree.topLevelItem(list(METHODS).index("painted"))
    assert not item.flags() & Qt.ItemFlag.ItemIsUserCheckable
    dialog.methods.tree.select_row("painted")
    assert "It needs the model yunet. Get them here." in shown_texts(dialog.methods)
    assert "model first" in dialog.pane.pictures.text()
    with qtbot.waitSignal(dialog.fetch_requested) as asked:
        dialog.methods.get.click()
    assert asked.args == [["yunet"]]
    monkeypatch.setattr(Painted, "needs", ())
    dialog.refresh()
    assert not dialog.methods.get.isVisible()
    dialog.methods.tree.set_ticked("painted")
    assert "painted" in dialog.request().methods


def test_recordings_are_one_a_part_all_or_several(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = make(qtbot, tmp_path, span=(0, 2_000_000))
    assert (dialog.request().recordings, dialog.request().span) == (("r2",), (0, 2_000_000))
    dialog.what.setCurrentIndex(dialog.what.findData("all"))
    assert (dialog.request().recordings, dialog.request().span) == (("r1", "r2", "r3"), None)
    dialog.what.setCurrentIndex(dialog.what.findData("several"))
    assert dialog.several.isVisible()
    dialog.several.set_ticked("r3")
    dialog.methods.tree.set_ticked("blur")
    assert dialog.request().recordings == ("r2", "r3")
    assert dialog.export.text() == f"Export {2 * len(dialog.request().methods)} clips"
    for key in METHODS:
        dialog.methods.tree.set_ticked(key, False)
    assert not dialog.export.isEnabled()


def test_a_preview_is_asked_for_once_for_each_change(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = make(qtbot, tmp_path)
    asked: list[tuple[Any, ...]] = []
    dialog.preview_requested.connect(lambda *wanted: asked.append(wanted))
    dialog.start_preview()
    dialog.methods.tree.select_row("pixelate")
    dialog.methods.tree.set_ticked("pixelate")
    cells: QSpinBox = dialog.methods.form.inputs["cells"]
    cells.setValue(4)
    assert [(row[0], row[1]) for row in asked] == [
        (recommended_method(), {}),
        ("pixelate", {"cells": registry.create_method("pixelate").options.cells}),
        ("pixelate", {"cells": 4}),
    ]
    assert {row[2] for row in asked} == {40_000}


def test_it_says_when_no_face_is_in_the_frame_and_goes_to_one(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = make(qtbot, tmp_path)
    dialog.start_preview()
    picture = np.zeros((90, 160, 3), np.uint8)
    dialog.show_preview(Preview(picture, picture, 40_000, 0, False, 3_000_000))
    assert dialog.pane.status.text() == "Frame at 0:00:00.040: no face in this frame."
    with qtbot.waitSignal(dialog.preview_requested) as asked:
        dialog.pane.go.click()
    assert asked.args[2] == 3_000_000
    dialog.show_preview(Preview(picture, picture, 3_000_000, 2, False, None))
    assert dialog.pane.status.text() == "Frame at 0:00:03.000: 2 faces hidden."
    assert not dialog.pane.go.isVisible()
    dialog.show_problem(UserError("The faces have not been tracked yet.", "Track them first."))
    assert dialog.pane.pictures.text() == "The faces have not been tracked yet. Track them first."


WORKER = """
import json, sys, time
import numpy as np
request = json.loads(sys.stdin.readline())
parameters = request["parameters"]
if parameters["method"] == "hangs":
    sys.stdin.readline()
    print(json.dumps({"cancelled": True}))
    sys.exit()
picture = np.full((4, 6, 3), parameters["time_us"], np.uint8)
np.savez(parameters["path"], before=picture, after=picture)
print(json.dumps({"progress": [1, 2, "Drawing"]}))
told = {"file": parameters["path"], "time_us": 0, "faces": 1, "undrawn": False, "nearest_us": None}
print(json.dumps({"result": told}))
"""


@pytest.fixture
def feed(tmp_path: Path) -> Iterator[PreviewFeed]:
    program = tmp_path / "worker.py"
    program.write_text(WORKER)
    made = PreviewFeed(None, (sys.executable, str(program)))
    yield made
    made.close()


def test_of_many_previews_the_latest_is_made_also_while_one_takes_long(
    qtbot: QtBot, feed: PreviewFeed, tmp_path: Path
) -> None:
    made: list[int] = []

    def prepare(shade: int, method: str = "solid") -> JobSpec:
        made.append(shade)
        parameters = PreviewParameters(
            path=tmp_path / f"{shade}.npz",
            fingerprint="",
            track=0,
            tracks=tmp_path / "tracks",
            tracks_sha256="",
            times_sha256="",
            faces_run="",
            tracked_by="",
            detector="",
            witness="",
            mask_state="",
            source_sha256="",
            frames=1,
            damaged_frames=(),
            ends_early_s=0.0,
            cuts=(),
            method=method,
            time_us=shade,
        )
        return JobSpec("preview", f"Preview {shade}", "r", parameters)

    with qtbot.waitSignal(feed.ready) as ready:
        for shade in (1, 2, 3):
            feed.request(lambda shade=shade: prepare(shade))
    assert ready.args[0].after[0, 0, 0] == 3
    assert made == [3]
    assert list(tmp_path.glob("*.npz")) == [], "its file is gone"
    feed.request(lambda: prepare(4, "hangs"))
    qtbot.waitUntil(lambda: feed._runner.running_job is not None)
    with qtbot.waitSignal(feed.ready) as ready:
        feed.request(lambda: prepare(5))
    assert ready.args[0].after[0, 0, 0] == 5
