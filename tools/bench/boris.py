"""BORIS's own save, undo copy and Cohen's kappa, run from its released package without its window.

BORIS is GPL software: it is fetched for the measurement only and is no part of the program.
"""

import ast
import copy
import decimal
import importlib.util
import json
import logging
import sqlite3
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np

from annotate.agreement.span_matching import SpanArray
from tools.bench.measuring import KEPT

VERSION = "10.0.2"


def package() -> Path | None:
    """Return the folder of BORIS's modules, fetched once into `.bench`; None where it cannot be had."""
    target = KEPT / f"boris-{VERSION}"
    if not (target / "boris").is_dir():
        fetch = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--ignore-requires-python"]
        done = subprocess.run(
            [*fetch, "--target", str(target), f"boris-behav-obs=={VERSION}"], capture_output=True, check=False
        )
        if done.returncode:
            return None
    return target / "boris"


class Boris:
    """A project of `events` events in one observation, with the two methods that are measured."""

    def __init__(self, folder: Path, events: int) -> None:
        config = load_module(folder / "config.py")
        surroundings = {
            "cfg": config,
            "copy": copy,
            "json": json,
            "logger": logging.getLogger("boris"),
            "menu_options": MagicMock(),
            "QMessageBox": MagicMock(),
            "util": SimpleNamespace(
                decimal_default=function(folder / "utilities.py", "decimal_default", {"dec": decimal.Decimal})
            ),
        }
        self._save = function(folder / "core.py", "save_project_json", surroundings)
        self._remember = function(folder / "event_operations.py", "fill_events_undo_list", surroundings)
        rows = [
            [decimal.Decimal(i * 350) / 1000, "robot", "error", "emotions|norms", "It did not answer her.", i]
            for i in range(events)
        ]
        observation = {config.TYPE: config.MEDIA, config.EVENTS: rows}
        self._window = SimpleNamespace(
            pj={config.OBSERVATIONS: {"1": observation}},
            observationId="1",
            config_param=config.INIT_PARAM,
            save_project_json_started=False,
            undo_queue=deque(),
            undo_description=deque(),
            actionUndo=MagicMock(),
        )

    def save(self, path: Path) -> None:
        """Write the whole project, as after each edit."""
        assert self._save(self._window, str(path)) == 0

    def remember(self) -> None:
        """Copy the events, as before each edit that can be undone."""
        self._remember(self._window, "edit")


def load_module(path: Path) -> ModuleType:
    """Return a module of BORIS that needs none of its others."""
    spec = importlib.util.spec_from_file_location(f"boris_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def function(path: Path, name: str, surroundings: dict[str, Any]) -> Callable[..., Any]:
    """Return one function of a file of BORIS; `surroundings` is all else that it sees."""
    tree = ast.parse(path.read_text("utf-8"))
    found = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name)
    scope = dict(surroundings)
    exec(compile(ast.Module([found], []), str(path), "exec"), scope)
    made = scope[name]
    assert callable(made)
    return made


_TABLE = """CREATE TABLE aggregated_events (
  id INTEGER PRIMARY KEY ASC, observation TEXT, subject TEXT, behavior TEXT, type TEXT, modifiers TEXT,
  start FLOAT, stop FLOAT
)"""
_INDEXES = ("observation", "subject", "behavior", "modifiers")


def boris_kappa(folder: Path, cursor: sqlite3.Cursor, step_s: int) -> float:
    """Return what `irr.cohen_kappa` says of two observations of one subject, rounded to three places as it does."""
    surroundings = {"dec": Decimal, "logging": logging.getLogger("boris"), "np": np}
    surroundings["subj_behav_modif"] = function(folder / "irr.py", "subj_behav_modif", surroundings)
    kappa, _ = function(folder / "irr.py", "cohen_kappa", surroundings)(
        cursor, "0", "1", Decimal(step_s), ["robot"], False
    )
    return float(kappa)


def events_of(lanes: tuple[SpanArray, SpanArray]) -> sqlite3.Cursor:
    """Return a cursor on the events as BORIS's `load_aggregated_events_in_db` keeps them, with its indexes."""
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    cursor = connection.cursor()
    cursor.execute(_TABLE)
    for column in _INDEXES:
        cursor.execute(f"CREATE INDEX {column}_idx ON aggregated_events({column})")
    for observation, lane in enumerate(lanes):
        rows = zip(lane.label.tolist(), lane.start_us.tolist(), lane.end_us.tolist(), strict=True)
        cursor.executemany(
            "INSERT INTO aggregated_events (observation, subject, behavior, type, modifiers, start, stop) "
            "VALUES (?, 'robot', ?, 'STATE', '', ?, ?)",
            [(str(observation), f"behavior {label}", start / 1e6, end / 1e6) for label, start, end in rows],
        )
    return cursor
