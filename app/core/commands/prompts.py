"""Edits of what judges are asked: a study's own words, version after version."""

from app.core.judging.seeing.prompt_versions import prompt_for
from app.core.session import Session
from benchmark.prompts import Prompt, parse_prompt, shipped_prompt, shipped_text, with_version
from project.errors import UserError
from project.queries.judges import prompt_versions, put_prompt_version
from project.types import Changes

_LAST = 2**63 - 1
"""The largest number that a file takes."""


def edit_prompt(session: Session, key: str, text: str) -> Changes:
    """Ask with other words from now on; earlier versions are kept, so that judgments can be understood.

    Args:
        session: of the study.
        key: of the prompt, which is that of its task.
        text: TOML as in `resources/prompts`; its version is set to the next one.

    Raises:
        UserError: there is no such prompt, or the text is not one: a slot is missing, not known or in a wrong place.
    """
    version = _next(session, key)
    new = with_version(text, version, own=True)
    parse_prompt(new, key)
    before = _present(session, key)
    if before is not None and with_version(before.source, version, own=True) == new:
        return Changes()
    with session.step(f"Edit prompt {key}") as step:
        put_prompt_version(session.study, key, version, new)
    return step.changes


def restore_prompt(session: Session, key: str) -> Changes:
    """Ask with the program's words again, and with what comes with its newer versions.

    Raises:
        UserError: there is no such prompt.
    """
    before = _present(session, key)
    if before is not None and not before.own:
        return Changes()
    version = _next(session, key)
    with session.step(f"Restore prompt {key}") as step:
        put_prompt_version(session.study, key, version, with_version(shipped_text(key), version, own=False))
    return step.changes


def _present(session: Session, key: str) -> Prompt | None:
    """Return what the study asks with; None where that is damaged, which another version mends."""
    shipped_prompt(key)
    try:
        return prompt_for(session, key)
    except UserError:
        return None


def _next(session: Session, key: str) -> int:
    newest = max([shipped_prompt(key).version, *prompt_versions(session.study, key)])
    if newest >= _LAST:
        raise UserError(
            f"After version {newest} of the prompt “{key}” there is no other.", "Undo what brought it here."
        )
    return newest + 1
