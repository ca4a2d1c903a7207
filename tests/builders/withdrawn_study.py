"""A study from which somebody withdraws, and what of them is left in a file."""

import tempfile
from functools import cache
from pathlib import Path

from project.erasure.erased_file import exclusive_access, load_into_memory, rewrite_file
from project.erasure.removal import ErasureCounts, erase_subject, record_withdrawal
from project.erasure.subject_scope import build_scope
from project.store.study import Study
from tests.builders.full_study import Full, fill, forms

AT = "2026-11-22T09:00:00.000+00:00"


def made(folder: Path) -> tuple[Path, Full]:
    path = folder / "study.greenroom"
    content, full = _filled()
    path.write_bytes(content)
    return path, full


def without(path: Path, full: Full, *, drop: bool = False) -> ErasureCounts:
    with exclusive_access(path):
        memory = load_into_memory(path)
        reach = build_scope(memory, [full.id("P01")], drop=drop)
        done = erase_subject(memory, reach)
        record_withdrawal(memory, reach, full.id("ada"), AT)
        rewrite_file(memory, path)
    return done


def left_in(path: Path, texts: list[str]) -> list[bytes]:
    content = path.read_bytes()
    return [form for form in forms(texts) if form in content]


@cache
def _filled() -> tuple[bytes, Full]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.greenroom"
        with Study.create(path, "A study") as study:
            full = fill(study)
        return path.read_bytes(), full
