"""BORIS's own Cohen's kappa, run from its released package without its window, on the table that it makes of events."""

import logging
import sqlite3
from decimal import Decimal
from pathlib import Path

import numpy as np

from annotate.agreement.span_matching import SpanArray
from tools.bench.boris import function

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
