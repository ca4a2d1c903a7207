"""A study from which somebody withdraws, and what of them is left in a file."""

from contextlib import closing
from pathlib import Path
from typing import Any

from project.erasure.erased_file import exclusive_access
from project.erasure.erasure import prepare_erasure
from project.erasure.removal import ErasureCounts
from project.store.study import Study
from tests.builders.full_study import forms

AT = "2026-11-22T09:00:00.000+00:00"


def without(path: Path, pseudonym: str = "P01", words: tuple[str, ...] = (), **options: Any) -> ErasureCounts:
    """Take somebody out of a study; `options` as in `prepare_erasure`."""
    with (
        exclusive_access(path),
        closing(prepare_erasure(path, pseudonym, words, **options)) as made,
        made.prepare_rewrite("Ada", AT) as rewritten,
    ):
        rewritten.publish()
    return made.removed


def left_in(path: Path, texts: list[str]) -> list[bytes]:
    content = path.read_bytes()
    return [form for form in forms(texts) if form in content]


def study_with(folder: Path, theirs: list[str], others: list[str], words: tuple[str, ...] = ("Zebediah Quux",)) -> Path:
    """Make a study of two recordings: P01 says some texts in the first, P02 others in the second."""
    path = folder / "study.greenroom"
    with Study.create(path, "A study") as study, study.step("Add"):
        study.write("INSERT INTO collection VALUES ('c', 'c', '')", ())
        study.write("INSERT INTO annotator VALUES ('a', 'Ada', 'person')", ())
        for number, who, texts in ((1, "P01", theirs), (2, "P02", others)):
            study.write("INSERT INTO recording VALUES (?, 'c', ?, ?, 60000000)", (f"r{number}", number, f"r{number}"))
            study.write("INSERT INTO participant VALUES (?, ?, 'user', '')", (who, who))
            study.write("INSERT INTO appearance VALUES (?, ?)", (f"r{number}", who))
            for at, text in enumerate(texts):
                row = (f"u{number}-{at}", f"r{number}", who, at * 10, at * 10 + 9, text)
                study.write("INSERT INTO utterance VALUES (?, ?, ?, ?, ?, ?, '[]', 1, 0)", row)
        for word in words:
            study.write("INSERT INTO private_word VALUES (?, 'P01', 'person', 'P01')", (word,))
    return path
