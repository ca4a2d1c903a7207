"""The time budget of a whole data set, and that of BORIS's sample project beside BORIS's own figures."""

import json
import statistics
import tempfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

from annotate.agreement.annotation_arrays import NamedKey
from annotate.interchange.annotation_files import read_file
from annotate.statistics.observations import CodedObservation
from annotate.statistics.study_observations import ObservationQuery, read_observations
from annotate.statistics.time_budget import BudgetRow, compute_time_budget
from annotate.statistics.transitions import count_transitions
from project.session.session import Session
from tools.bench.boris import VERSION, function, load_module, package
from tools.bench.measuring import RECORDINGS, SEGMENTS, SHARED, make_shrec_study, median_seconds
from tools.bench.row import Row

SAMPLE = SHARED / "data" / "interchange" / "boris_test.boris"
_ROUNDING = 0.0005 + 1e-9
"""BORIS rounds to three places."""
_KEYS = (NamedKey("observation", "Observation"), NamedKey("subject", "Subject"))


def run() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.greenroom"
        make_shrec_study(path)
        rows = [_speed(path)]
    return [*rows, *_against_boris()]


def _speed(path: Path) -> Row:
    with Session.open(path, read_only=True) as session:

        def count() -> None:
            read = read_observations(session, ObservationQuery(by=("annotator",)))
            compute_time_budget(read.keys, read.labels, read.observations)

        spent = median_seconds(count, 11)
    work = f"the time budget of {RECORDINGS} recordings and {SEGMENTS:,} segments, read and computed"
    return Row.judged(work, f"{spent:.3f} s", spent, "<= 0.3 s")


def _against_boris() -> Iterator[Row]:
    work = "the time budget of BORIS's sample project: count, total, mean, SD, share of each subject and behaviour"
    folder = package()
    if folder is None or not SAMPLE.is_file():
        yield Row(work, f"BORIS {VERSION} or its project cannot be had", target="equal")
        return
    peer = BorisBudget(folder, json.loads(SAMPLE.read_text("utf-8")))
    found = read_sample(SAMPLE, peer.observations)
    labels = [NamedKey(code, code) for code in peer.behaviors]
    budget = compute_time_budget(_KEYS, labels, found)
    differing, compared = peer.compare(budget.rows)
    yield Row(
        work,
        f"{compared} figures, {len(differing)} differ" + "".join(f"; {line}" for line in differing[:3]),
        f"BORIS {VERSION} `time_budget_analysis`",
        target="equal",
        ok=not differing and compared > 0,
    )
    table = count_transitions((), labels, [CodedObservation((), each.spans, each.marks) for each in found])
    same = [list(row) for row in table.matrices[0].counts] == peer.transitions(found)
    yield Row(
        "the transitions of the same project",
        f"{table.matrices[0].total} transitions, {'equal' if same else 'different'}",
        f"BORIS {VERSION} `observed_transitions_matrix`",
        target="equal",
        ok=same,
    )


def read_sample(path: Path, names: Collection[str]) -> list[CodedObservation]:
    """Return an observation for each observation and subject of a BORIS project, as our reader finds them.

    A queue of files is read as a recording for each file; their times are put one behind the other again.
    """
    marks: dict[tuple[str, str], list[tuple[str, int, int]]] = {}
    lengths = dict.fromkeys(names, 0)
    for part in read_file(path).recordings:
        name = max((name for name in names if part.name == name or part.name.startswith(f"{name} (")), key=len)
        start_us = lengths[name]
        for lane in (lane for lane in part.lanes if not lane.about_recording):
            marks.setdefault((name, lane.participant), []).extend(
                (entry.text, start_us + entry.start_us, start_us + entry.end_us) for entry in lane.entries
            )
        lengths[name] += part.duration_us
    for (name, _), spans in marks.items():
        lengths[name] = max(lengths[name], *(end for _, _, end in spans))
    return [
        CodedObservation(group, ((0, lengths[group[0]]),), tuple(sorted(spans, key=lambda mark: mark[1:])))
        for group, spans in marks.items()
    ]


class BorisBudget:
    """BORIS's own functions over one project; observations whose states are not paired are left out, as it does."""

    def __init__(self, folder: Path, project: dict[str, Any]) -> None:
        config = load_module(folder / "config.py")
        scope = {"cfg": config, "logger": MagicMock(), "math": __import__("math"), "statistics": statistics}
        scope["dec"] = __import__("decimal").Decimal
        event_type = function(folder / "project_functions.py", "event_type", scope)
        scope["project_functions"] = SimpleNamespace(event_type=event_type)
        scope["event_operations"] = SimpleNamespace(read_event_field=lambda *_: None)
        scope["sqlite3"] = __import__("sqlite3")
        self._load = function(folder / "db_functions.py", "load_events_in_db", scope)
        self._analyse = function(folder / "time_budget_functions.py", "time_budget_analysis", scope)
        self._length = function(folder / "observation_operations.py", "observation_total_length", scope)
        self._matrix = function(folder / "transitions.py", "observed_transitions_matrix", scope)
        self._config, self._project = config, project
        self.observations = tuple(project["observations"])
        self.behaviors = [behavior["code"] for behavior in project["behaviors_conf"].values()]

    def figures(self, observation: str, subject: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield each behaviour with BORIS's figures."""
        config = self._config
        subject = subject or config.NO_FOCAL_SUBJECT
        asked = {
            config.SELECTED_SUBJECTS: [subject],
            config.SELECTED_BEHAVIORS: self.behaviors,
            config.INCLUDE_MODIFIERS: False,
            config.EXCLUDE_BEHAVIORS: False,
            "start time": None,
            "end time": None,
        }
        cursor = self._load(self._project, [subject], [observation], self.behaviors)
        rows, _ = self._analyse(self._project["behaviors_conf"], cursor, [observation], asked)
        length = float(self._length(self._project["observations"][observation]))
        for row in rows:
            known = not isinstance(row["duration"], str)
            yield row["behavior"], row | {"share": row["duration"] / length if known and length else None}

    def compare(self, ours: Sequence[BudgetRow]) -> tuple[list[str], int]:
        """Return a line for each figure that differs, and how many were compared."""
        differing, compared = [], 0
        theirs = {
            (*group, behavior): row
            for group in dict.fromkeys(row.group for row in ours)
            for behavior, row in self.figures(*group)
        }
        for row in ours:
            peer = theirs[*row.group, row.label]
            if self._config.UNPAIRED in peer.values():
                continue
            figures = {
                "number": row.count,
                "duration": row.total_s,
                "duration_mean": row.mean_s,
                "duration_stdev": row.sd_s,
                "share": row.share,
            }
            for key, value in figures.items():
                expected = peer[key]
                if expected in (self._config.NA, None):
                    # Of a point BORIS gives no duration; ours is 0 in total, and none on average.
                    same = not value
                else:
                    same = value is not None and abs(value - float(expected)) <= _ROUNDING
                compared += 1
                if not same:
                    differing.append(f"{'/'.join(row.group)} {row.label} {key}: {value}, BORIS {expected}")
        return differing, compared

    def transitions(self, observations: Sequence[CodedObservation]) -> list[list[int]]:
        """Return BORIS's matrix of counts."""
        sequences = [[label for label, _, _ in observation.marks] for observation in observations]
        text = self._matrix(sequences, list(self.behaviors), "number")
        return [[int(cell) for cell in line.split("\t")[1:]] for line in str(text).strip().splitlines()[1:]]
