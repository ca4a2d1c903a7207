"""Which words a study asks with: its own where it has some, else those that came with the program."""

from functools import lru_cache

from app.core.session import Session
from benchmark.prompts import Prompt, parse_prompt, shipped_prompt
from project.queries.judges import prompt_versions


def prompt_for(session: Session, key: str) -> Prompt:
    """Return the prompt that a study asks with: its newest version, unless that says to ask with the program's again.

    Raises:
        UserError: there is no prompt of that key, or the study's own is damaged.
    """
    shipped = shipped_prompt(key)
    kept = prompt_versions(session.study, key)
    newest = _parsed(kept[max(kept)], key) if kept else shipped
    return newest if newest.own else shipped


@lru_cache(maxsize=32)
def _parsed(text: str, key: str) -> Prompt:
    return parse_prompt(text, key)
