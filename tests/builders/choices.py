"""Items with five options, put into a study by hand."""

from project.entities.frozen_items import FrozenItem, ItemSet
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.entities.questions import LETTERS
from project.ids import new_id
from project.queries.item_set_rows import insert_set
from project.session.session import Session
from project.timebase import utc_now
from project.version import __version__


def choice_asked(session: Session, task: str, recording_id: str, word: str = "") -> str:
    """Freeze an error as an item of one of the tasks with options, a word in each of its texts; returns its key."""
    scheme, set_id, item_id = session.scheme, new_id(), new_id()
    kept = ItemSet(set_id, f"{task} {set_id}", task, 0, 1, {}, {}, "0" * 64, utc_now(), __version__)
    content = {
        "scheme": scheme.key,
        "track": scheme.tracks[0].key,
        "label": "error",
        "options": [f"{word} does this {number} times." for number in range(1, 6)],
        "place": 3,
        "facts": {"shown": f"{word}, is that so?"},
        "truth": {task: {task: LETTERS[3]}},
    }
    end = session.recording(recording_id).duration_us
    with session.study.run_transaction():
        insert_set(session.study, kept, [FrozenItem(item_id, set_id, 0, 0, "", recording_id, 0, end, content)])
    return JudgmentTarget(JudgmentTargetKind.ITEM, item_id).key
