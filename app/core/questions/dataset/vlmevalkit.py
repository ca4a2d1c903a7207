"""Questions as the table that VLMEvalKit reads: tab-separated, one question a row, read there by `pandas.read_csv`.

Its custom multiple-choice data sets want `index` (a whole number, unique), `question`, a column a letter for the
options, `answer` (a letter) and, where pictures are shown, `image_path`: a path, or a list of paths as Python writes
it, never an empty cell. Its video data sets want `video`, the path of a clip without `.mp4`. `category` and `split` are
what its figures are told by.
"""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from app.core.chains.drawing import one_line
from app.core.questions.dataset.gathering import Item
from app.core.questions.dataset.media import Shown
from project.questions import LETTERS
from project.timebase import SECOND

_NOTHING = frozenset(
    {"#n/a", "#n/a n/a", "#na", "-1.#ind", "-1.#qnan", "-nan", "1.#ind", "1.#qnan", "<na>", "n/a", "na", "nan", "none"}
    | {"null"}
)
"""Words that pandas reads as an empty cell, in small letters."""


def write_table(path: Path, items: Sequence[Item], splits: Mapping[str, str], shown: Mapping[str, Shown]) -> int:
    """Write questions as a table; returns how many. Where any has pictures, those without are left out.

    Args:
        path: of the file.
        items: the questions.
        splits: code of a recording -> its split.
        shown: code of a recording -> what shows it; where it is empty, the table has no columns for pictures and clips,
            and VLMEvalKit asks the questions as texts.
    """
    pictures = [shown.get(one.recording, Shown()).during(one.start_us, one.end_us) for one in items]
    some = any(pictures)
    rows = [at for at in range(len(items)) if pictures[at] or not some]
    clips = [shown.get(items[at].recording, Shown()).clip.removesuffix(".mp4") for at in rows]
    most = max(len(items[at].options) for at in rows)
    columns = ["index", "question", *LETTERS[:most], "answer", "category", "l2-category", "split"]
    columns += ["question_id", "recording", "start", "end"]
    columns += ["video"] if all(clips) else []
    columns += ["image_path"] if some else []
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\n")
        table.writerow(columns)
        for at, clip in zip(rows, clips, strict=True):
            one = items[at]
            options = [cell(each) for each in one.options] + [""] * (most - len(one.options))
            row = [str(at), cell(one.text), *options, one.letter, one.kind, one.aspect or one.kind]
            row += [splits[one.recording], one.id, one.recording]
            row += [f"{one.start_us / SECOND:.3f}", f"{one.end_us / SECOND:.3f}"]
            row += [clip] if all(clips) else []
            table.writerow(row + ([repr(pictures[at])] if some else []))
    return len(rows)


def cell(text: str) -> str:
    """Return a text on one line, never empty for whoever reads it: “None” would be read as no option at all."""
    plain = one_line(text)
    return f"{plain}." if plain.casefold() in _NOTHING else plain
