"""The command about role-played episodes: bring them in, play them, rate them, give them away."""

import click

from app.cli.lazy import LazyGroup

_PLACES: dict[str, str] = {
    "characters": "episode_stock:characters",
    "add-character": "episode_stock:add_character",
    "scenarios": "episode_stock:scenarios",
    "add-scenario": "episode_stock:add_scenario",
    "play": "episode_play:play",
    "from-segment": "episode_play:from_segment",
    "list": "episode_list:list_episodes",
    "show": "episode_list:show",
    "rate": "episode_rate:rate",
    "figures": "episode_rate:figures",
    "import": "episode_files:import_episodes",
    "export": "episode_files:export",
}
"""Subcommand -> the file of `app.cli` that it is in, and its function."""


@click.group(cls=LazyGroup, places=_PLACES)
def episode() -> None:
    """Play, import, rate and export role-played episodes."""
