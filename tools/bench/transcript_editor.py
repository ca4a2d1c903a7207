"""How quickly the transcript repaints while a word a frame is lit, opens, and takes typing, with 10,000 words.

Run with `python -m tools.bench.transcript_editor`; `make bench` collects `run()`.
"""

import os
import tempfile
from pathlib import Path

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("GREENROOM_AOUT", "dummy")

from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.gui.files.study_files import make_sample_study
from app.gui.transcript.transcript_page import TranscriptPage
from app.gui.transcript.utterance_list import WordsEditor
from app.gui.window.application import ModulePreloader
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Participant, ParticipantRole, Utterance
from project.entities.transcript import Word, estimate_word_times
from project.ids import new_id
from project.queries.recording_rows import all_recordings, insert_participant, update_recording
from project.queries.transcript_rows import insert_utterances
from project.session.session import Session
from tools.bench.measuring import dark_application, frame_row, step_ms
from tools.bench.row import Row

WORDS = 10_000
EACH = 12
HOUR_US = 3_600_000_000
FRAMES = 600
RUNS = 5
_VOCABULARY = (
    "so we said that the robot will bring coffee to whoever asks first and then it waits for an answer from them "
    "while somebody else speaks about what happened yesterday in the greenroom before anyone had arrived there"
)


def transcript(recording_id: str, speakers: list[str], words: int = WORDS) -> list[Utterance]:
    """Invent utterances of twelve words each over an hour."""
    rng = np.random.default_rng(11)
    count = -(-words // EACH)
    step = HOUR_US // count
    made = []
    for number in range(count):
        text = " ".join(rng.choice(_VOCABULARY.split(), EACH))
        start, end = number * step, number * step + step * 9 // 10
        timed = tuple(
            Word(word.text, word.start_us, word.end_us, float(sure))
            for word, sure in zip(estimate_word_times(text, start, end), rng.uniform(0.3, 1, EACH), strict=True)
        )
        who = speakers[number % len(speakers)]
        made.append(Utterance(new_id(), recording_id, start, end, text, who, timed, number % 3 == 0, number % 5 == 0))
    return made


def study(folder: Path) -> Path:
    """Make a study whose recording has the transcript."""
    path = make_sample_study(folder)
    with Session.open(path, "Ada") as session:
        (recording,) = all_recordings(session.study)
        people = [Participant(new_id(), f"P{number}", ParticipantRole.USER) for number in range(3)]
        with session.step("Fill in"):
            update_recording(session.study, type(recording)(*_with_duration(recording)))
            for person in people:
                insert_participant(session.study, person)
            insert_utterances(session.study, transcript(recording.id, [person.id for person in people]))
    return path


def _with_duration(recording: object) -> tuple[object, ...]:
    return (*(getattr(recording, name) for name in ("id", "collection_id", "number", "name")), HOUR_US)


def opening(window: MainWindow) -> float:
    """Return the milliseconds until the page is read and painted for the first time."""
    QApplication.processEvents()
    (took,) = step_ms([lambda: window.set_mode("transcript")], QApplication.processEvents)
    return took


def playing(window: MainWindow, page: TranscriptPage) -> list[float]:
    """Play word after word, one a frame; returns the milliseconds of each frame of the whole window.

    A frame is what the tick of the player costs: finding the word, lighting it, keeping list and timeline along
    with it, and painting all that this changed.
    """
    ticks = [lambda word=word: _tick(window, page, *word) for word in _words(page)]
    return step_ms(ticks, QApplication.processEvents)


def painted_whole(window: MainWindow, page: TranscriptPage, target: QImage) -> list[float]:
    """Play likewise, but paint the whole list each frame, and nothing else."""
    took: list[float] = []
    for word in _words(page):
        took += step_ms([lambda word=word: _tick(window, page, *word)], lambda: page.view.viewport().render(target))
        QApplication.processEvents()
    return took


def _words(page: TranscriptPage) -> list[tuple[str, int]]:
    lines = page.model.lines[40 : 40 + FRAMES // EACH]
    return [(line.utterance.id, word.start_us) for line in lines for word in line.timed_words]


def _tick(window: MainWindow, page: TranscriptPage, line: str, time_us: int) -> None:
    window.player.clock.set_position(time_us)
    window.player.position_changed.emit(time_us)
    if line != page.view.current():
        window.studio.select_utterances([line])


def typing(window: MainWindow, page: TranscriptPage) -> list[float]:
    """Type in an utterance in the middle; returns the milliseconds of each key, painted."""
    page.view.edit_text(page.model.lines[400].utterance.id, 0)
    QApplication.processEvents()
    field = QApplication.focusWidget()
    if not isinstance(field, WordsEditor):
        field = page.view.findChild(WordsEditor)
    letters = "what was said in the greenroom yesterday " * 5
    return step_ms(
        [lambda letter=letter: QTest.keyClick(field, letter) for letter in letters], QApplication.processEvents
    )


def keeping(page: TranscriptPage) -> list[float]:
    """Keep what was typed, as a pause does; returns the milliseconds until the study has it and all is painted."""
    took = []
    for _ in range(20):
        QTest.keyClick(page.view.findChild(WordsEditor), "x")
        QApplication.processEvents()
        took += step_ms([page.view.autosave], QApplication.processEvents)
    return took


def run() -> list[Row]:
    """Measure the page in the real window."""
    dark_application()
    with tempfile.TemporaryDirectory() as folder:
        window = MainWindow()
        window.resize(1600, 1000)
        window.show()
        assert window.open_study(study(Path(folder)))
        # As in the program, pages are imported before anybody asks for one.
        preloader = ModulePreloader(window)
        while not preloader.done or window.player.times is None or window.background.busy:
            QTest.qWait(100)
        opened = opening(window)
        (page,) = window.workspace.pages.findChildren(TranscriptPage)
        words = sum(len(line.utterance.words) for line in page.model.lines)
        target = QImage(page.view.viewport().size(), QImage.Format.Format_RGB32)
        lit = np.median([playing(window, page) for _ in range(RUNS)], axis=0)
        whole = np.median([painted_whole(window, page, target) for _ in range(RUNS)], axis=0)
        typed = np.array(typing(window, page))
        kept = np.array(keeping(page))
        window.close()
    name = f"transcript editor, {words:,} words"
    rows = [
        frame_row(f"{name}, a word lit each frame while it plays, whole window", lit),
        frame_row(f"{name}, the same, the whole list painted each frame", whole),
        frame_row(f"{name}, a key typed in an utterance, painted", typed),
    ]
    return [
        *rows,
        Row(f"{name}, what was typed kept in the study", f"{np.percentile(kept, 95):.1f} ms (p95)"),
        Row(f"{name}, from another mode to the page, painted", f"{opened:.0f} ms"),
    ]


if __name__ == "__main__":
    from tools.bench.row import table

    print(table(run()))
