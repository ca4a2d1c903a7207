"""The page docs/benchmarks.md: the figures that a reader looks for, and plots beside peers. The record has all rows."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tools.bench import gpu_table
from tools.bench.record import VersionRecord
from tools.bench.row import Row, figure_of, table

HEADLINES = {
    "exact frame at 200 random times": "exact frame, 200 random times",
    "next-frame step": "next frame, 720p30",
    "saving one edit at 100,000": "save an edit among 100,000 segments",
    "undo of one edit at 100,000": "undo an edit among 100,000 segments",
    "open a study of 403 recordings and 10,353 segments to a usable": "start with a study of 10,353 segments",
    "window usable after start": "start without a study",
    "timeline paint, 100,000 segments overlapping": "paint a timeline of 100,000 segments",
    "longest standstill": "operations of the window that stand still for more than 50 ms",
    "first 50 results of a search": "search in 10,353 segments",
    "Import of an .eaf of 10,000": "import an .eaf of 10,000 annotations",
    "merging two copies": "merge two copies with 10,353 new segments",
    "every agreement figure": "all agreement figures of 10,353 segments",
    "Cohen's kappa of 2 x 10,000": "Cohen's kappa of 2 x 10,000 events",
    "face tracking + blur export, 720p, CenterFace + YuNet": "track and blur faces, 720p",
    "CenterFace + YuNet: hits of YuNet at 0.6 covered": "faces covered, 720p",
    "blur export, faces known": "blur known faces, 720p",
    "re-identification, FAR 1e-2, 40 stills, 80 pairs of one person, blur": "blurred faces recognised, 80 pairs",
    "synthetic face, re-identified, expressions_hand": "drawn faces recognised, 252 faces",
    "names found in 146 held-out sentences (53), by rules": "names found in 146 sentences",
    "recognition of ten minutes of speech, whisper-tiny.en": "transcribe ten minutes, whisper-tiny.en",
    "input of a 20-second segment": "frames of a 20-second segment for a judge",
    "200 text-only items, 8 at once, 50 ms answers, journal": "ask a server 200 questions",
    "llama-cpp judge, long answers": "ask a local model",
    "Run a benchmark of 10,000": "benchmark of 10,000 items, a judge that answers at once",
    "60 items, a judge that takes 0.5 s: 2 Dask workers": "benchmark of 60 items on two Dask workers",
}
"""How the work of a row begins -> what the page calls it, in the order of the page."""
_SHARE = re.compile(r"([\d.]+)%|\b(0\.\d{3}|1\.000)\b(?! s)")
STANDSTILL = "longest standstill of the window: "
INTRODUCTION = """\
# Benchmarks

Each figure was taken in one run with its peer, on the machine named below: the median of several repetitions, but
for face tracking beside deface, which ran once. *Falls short* means that the target was missed. All {rows} rows, with
each operation of the window and each clip, are in the record, `tools/bench/records/{version}.json`.
"""
PLOT = "benchmarks.svg"
NOTES = """
![Speed beside peers, and shares found or covered beside peers](benchmarks.svg)

What falls short, and why:

- *Merge*: copying the file takes a twentieth of the time; each row is held against what is there, and journalled.
- *Drawn faces among other people*: in one clip, 2 of 59 drawn faces pass the threshold that two strangers set; none
  of 780 passes that of 700 pairs of stills.
- *Who speaks*: with two to four synthetic voices, 9 to 14 % of the time goes to the wrong speaker, and the number of
  speakers was right in 6 of 12 conversations. Give the number where you know it, and check the result.
"""


def page(record: VersionRecord) -> str:
    """Return the text of the page."""
    rows = [row for found in record.rows.values() for row in found]
    text = INTRODUCTION.format(rows=len(rows), version=record.version)
    text += f"\nMeasured on {record.date}: {record.machine}.\n\n{table(headline_rows(record.rows))}\n"
    return text + NOTES + gpu_table.section()


def headline_rows(rows: Mapping[str, Sequence[Row]]) -> list[Row]:
    """Return the rows of the page, each with its short name."""
    found = [row for of_bench in rows.values() for row in of_bench]
    standstills = [row for row in found if row.work.startswith(STANDSTILL)]
    lines = []
    for start, name in HEADLINES.items():
        row = next((row for row in found if row.work.startswith(start)), None)
        if row is None:
            continue
        if row in standstills:
            late = sum(row.ok is False for row in standstills)
            row = Row(name, f"{late} of {len(standstills)}", target="0", ok=not late)
        lines.append(Row(name, row.ours, row.peer, row.ratio, row.target, row.ok))
    return lines


def draw_peers(record: VersionRecord, path: Path) -> None:
    """Draw the figures that have a peer as SVG: how many times as fast, and shares in per cent."""
    rows = [row for row in headline_rows(record.rows) if row.peer]
    speeds = [
        (row, 1 / figure.ratio if figure.smaller_is_better else figure.ratio)
        for row in rows
        if (figure := figure_of(row)) and not _shares(row)
    ]
    shares = [(row, pair) for row in rows if (pair := _shares(row))]
    plot = Figure(figsize=(8, 0.3 * (len(speeds) + 2 * len(shares)) + 1.6), layout="constrained")
    above, below = plot.subplots(2, 1, height_ratios=[len(speeds) + 1, 2 * len(shares) + 1])
    _draw_speeds(above, speeds)
    _draw_shares(below, shares)
    # Text as text: of letters as paths, Qt finds no path for the space, and warns in the help window.
    with rc_context({"svg.hashsalt": "greenroom", "svg.fonttype": "none"}):
        plot.savefig(path, metadata={"Date": None})


def _shares(row: Row) -> tuple[float, float] | None:
    """Return the shares of Greenroom and its best peer in per cent, where both say shares."""
    ours, peers = (
        [float(percent) if percent else 100 * float(share) for percent, share in _SHARE.findall(text)]
        for text in (row.ours, row.peer)
    )
    return (ours[0], max(peers)) if ours and peers else None


def _draw_speeds(axes: Axes, speeds: Sequence[tuple[Row, float]]) -> None:
    names = [f"{row.work}\nbeside {_peer_name(row)}" for row, _ in speeds]
    axes.barh(names, [speed - 1 for _, speed in speeds], left=1, color="#3b7dd8")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _place: f"{value:,g}")
    axes.axvline(1, color="#888888", linewidth=0.8)
    axes.invert_yaxis()
    axes.set_title("Speed of Greenroom, as a multiple of its peer's", loc="left", fontsize=9)
    axes.tick_params(labelsize=7)


def _draw_shares(axes: Axes, shares: Sequence[tuple[Row, tuple[float, float]]]) -> None:
    places = range(len(shares))
    axes.barh(
        [place - 0.2 for place in places], [ours for _, (ours, _) in shares], 0.4, label="Greenroom", color="#3b7dd8"
    )
    axes.barh(
        [place + 0.2 for place in places],
        [peer for _, (_, peer) in shares],
        0.4,
        label="the peer or source",
        color="#b8b8b8",
    )
    axes.set_yticks(list(places), [f"{row.work}\nbeside {_peer_name(row)}" for row, _ in shares])
    axes.invert_yaxis()
    axes.set_title("Shares, in per cent", loc="left", fontsize=9)
    axes.legend(fontsize=7, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    axes.tick_params(labelsize=7)


def _peer_name(row: Row) -> str:
    """Return a peer without its figure."""
    return re.split(r",? (?=[\d.]+ ?(?:%|s\b|ms\b|tokens))|: |,", row.peer)[0].replace("`", "")
