"""What a user chooses in one window, while another is open."""

from dataclasses import replace

from pytestqt.qtbot import QtBot

from app.gui.study.study_controller import StudyController
from project.session.settings import load_settings


def test_two_windows_keep_what_was_chosen_in_each(qtbot: QtBot) -> None:
    study_controller, other = StudyController(), StudyController()
    study_controller.change_settings(lambda kept: replace(kept, annotator="Ada"))
    other.change_settings(lambda kept: replace(kept, volume=30))
    stored = load_settings()
    assert (stored.annotator, stored.volume) == ("Ada", 30)
    assert other.settings.annotator != "Ada", "edits of a window go on under the name that it began with"


def test_a_path_forgotten_in_one_window_is_not_written_again_by_the_other(qtbot: QtBot) -> None:
    study_controller = StudyController()
    study_controller.change_settings(
        lambda kept: replace(kept, recent=("/lab/ada.greenroom",), scheme_files={"id/a": "/ada.yaml"})
    )
    other = StudyController()
    assert other.settings.recent == ("/lab/ada.greenroom",)
    study_controller.change_settings(lambda kept: replace(kept, recent=(), scheme_files={}))
    other.change_settings(lambda kept: replace(kept, theme="dark"))
    for now in (load_settings(), other.settings):
        assert (now.recent, now.scheme_files, now.theme) == ((), {}, "dark")
