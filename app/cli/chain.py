"""The command about causal chains."""

import click

from app.cli.lazy import LazyGroup

_PLACES = {
    "add": "chain_drawing:add",
    "node": "chain_drawing:node",
    "edge": "chain_drawing:edge",
    "remove": "chain_drawing:remove",
    "delete": "chain_drawing:delete",
    "list": "chain_showing:list_chains",
    "show": "chain_showing:show",
    "check": "chain_showing:check",
    "statistics": "chain_showing:statistics",
    "import": "chain_files:import_file",
    "export": "chain_files:export_file",
    "review": "chain_review:review",
    "copy": "chain_review:copy",
    "consensus": "chain_review:consensus",
}
"""Subcommand -> the file of `app.cli` that it is in, and its function."""


@click.group(cls=LazyGroup, places=_PLACES)
def chain() -> None:
    """Draw, check, review, import and export causal chains."""
