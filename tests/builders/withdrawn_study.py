"""A study from which somebody withdraws, and what of them is left in a file."""

from pathlib import Path

from project.erasure.erased_file import exclusive_access, load_into_memory, rewrite_file
from project.erasure.removal import ErasureCounts, erase_subject, record_withdrawal
from project.erasure.subject_scope import build_scope
from tests.builders.full_study import Full, forms

AT = "2026-11-22T09:00:00.000+00:00"


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
