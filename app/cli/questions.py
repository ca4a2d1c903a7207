"""The command about questions: make them, filter them, verify them, export them."""

import click

from app.cli.lazy import LazyGroup

_PLACES: dict[str, str] = {
    "make": "questions_make:make",
    "esi": "questions_esi:esi",
    "list": "questions_list:list_questions",
    "filter": "questions_filter:filter_questions",
    "verify": "questions_verify:verify",
    "queue": "questions_verify:queue",
    "ask": "questions_ask:ask",
    "standing": "questions_verify:standing",
    "texts": "questions_texts:texts",
    "export": "questions_export:export",
    "write": "questions_write:write",
    "try": "questions_write:attempt",
}
"""Subcommand -> the file of `app.cli` that it is in, and its function."""


@click.group(cls=LazyGroup, places=_PLACES)
def questions() -> None:
    """Make, filter, verify and export questions."""
