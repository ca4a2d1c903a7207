"""The agreement figures of a whole data set, and Cohen's kappa of two long observations against BORIS."""

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from annotate.agreement.agreement_report import compute_report
from annotate.agreement.annotator_lanes import find_disagreements
from annotate.agreement.coefficients import kappa_of_codes
from annotate.agreement.span_matching import SpanArray, sample_time_grid
from annotate.agreement.study_agreement import read_agreement_input
from project.entities.study_records import Segment
from project.session.session import Session
from tools.bench.agreement_reference import differences
from tools.bench.boris import VERSION, boris_kappa, events_of, package
from tools.bench.measuring import RECORDINGS, SEGMENTS, make_shrec_study, median_seconds
from tools.bench.row import Row

EVENTS, SECONDS = 10_000, 7200
STEP_S = 1
_PROGRAM = "import sys; from app.cli.main import run; sys.exit(run(sys.argv[1:]))"


def run() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.greenroom"
        make_shrec_study(path)
        rows = [_all_figures(path), _equality(path)]
    return [*rows, _strip(), _against_boris()]


def _all_figures(path: Path) -> Row:
    command = [sys.executable, "-c", _PROGRAM, "team", "agreement", str(path), "--json"]
    told = ""

    def ask() -> None:
        nonlocal told
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    spent = median_seconds(ask, 5)
    samples = json.loads(told)["settings"]["options"]["samples"]
    work = (
        f"every agreement figure of {RECORDINGS} recordings, {SEGMENTS:,} segments and 2 annotators, with intervals of "
        f"{samples:,} samples: the whole command"
    )
    return Row.judged(work, f"{spent:.2f} s", spent, "< 5 s")


def _equality(path: Path) -> Row:
    with Session.open(path, read_only=True) as session:
        reading = read_agreement_input(session)
    options = replace(reading.settings.options, step_us=1_000_000)
    report = compute_report(replace(reading, settings=replace(reading.settings, options=options)))
    found = dict(differences(reading.material, options, report))
    worst = max(found, key=lambda key: found[key])
    return Row(
        f"the same study: {len(found)} of its figures, and those of ratings drawn for it",
        f"{found[worst]:.1e} apart at most ({worst})",
        "scikit-learn, krippendorff, statsmodels, scipy; a fitted table, dense assignment",
        target="equal to 1e-9",
        ok=found[worst] <= 1e-9,
    )


def _strip() -> Row:
    lanes = _lanes(500, 3600)
    segments = [
        Segment(f"{who}{at}", "r", who, str(lane.label[at]), int(lane.start_us[at]), int(lane.end_us[at]))
        for who, lane in zip("AB", lanes, strict=True)
        for at in range(len(lane))
    ]
    spent = median_seconds(lambda: find_disagreements(segments, "AB", "shrec", "segments"), 31)
    work = f"the stretches of disagreement among {len(segments):,} segments of a recording"
    return Row.judged(work, f"{1000 * spent:.2f} ms", 1000 * spent, "< 5 ms")


def _against_boris() -> Row:
    work = f"Cohen's kappa of 2 x {EVENTS:,} events over two hours on a grid of {STEP_S} s"
    folder = package()
    if folder is None:
        return Row(work, f"BORIS {VERSION} cannot be had", target=">= 500x faster, equal to 0.001")
    lanes = _lanes(EVENTS, SECONDS)
    # BORIS looks from the first event to the last one's end.
    start = int(min(lane.start_us.min() for lane in lanes))
    end = np.array([max(lane.end_us.max() for lane in lanes) + 1])

    def ours() -> float:
        grid = sample_time_grid([*lanes], end, STEP_S * 1_000_000, start_us=start)
        return kappa_of_codes(grid.states, len(grid.names), grid.instants)

    spent = median_seconds(ours, 21)
    cursor = events_of(lanes)
    started = time.perf_counter()
    theirs = boris_kappa(folder, cursor, STEP_S)
    peer = time.perf_counter() - started
    same = abs(ours() - theirs) <= 0.001
    return Row(
        work,
        f"{1000 * spent:.1f} ms, kappa {ours():.4f}",
        f"BORIS {VERSION} `irr.cohen_kappa`, {peer:.0f} s, kappa {theirs:.3f}",
        f"1 : {peer / spent:,.0f}",
        ">= 500x faster, equal to 0.001",
        same and peer >= 500 * spent,
    )


def _lanes(events: int, seconds: int) -> tuple[SpanArray, SpanArray]:
    """Draw events with gaps between them, and a second look at them: a little off, and one in ten named otherwise."""
    draw = np.random.default_rng(0)
    edges = np.sort(draw.choice(seconds * 1_000_000, 2 * events, replace=False))
    labels = draw.integers(0, 5, events)
    moved = np.sort(np.abs(edges + draw.integers(-80_000, 80_000, 2 * events)))
    moved += np.arange(2 * events)
    renamed = np.where(draw.random(events) < 0.1, draw.integers(0, 5, events), labels)
    axis = np.zeros(events, np.int64)
    return SpanArray(axis, edges[::2], edges[1::2], labels), SpanArray(axis, moved[::2], moved[1::2], renamed)
