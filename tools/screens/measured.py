"""The window about privacy once exports were measured: one that is well, some that are not, one that waits."""

import math
import shutil
from itertools import pairwise

from anonymize.measures.privacy_report import (
    NAIVE,
    PARROT,
    RAW,
    Attack,
    MeasuredValue,
    PrivacyReport,
    Scores,
    TrackReport,
)
from anonymize.privacy.exported_clips import KIND
from project.codec import dump
from project.entities.study_records import Run
from project.ids import new_id
from project.queries.history_rows import insert_run
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from tools.screens.filled import ANNOTATOR
from tools.screens.taking import WindowCamera, scene

_BINS, _FACES, _LOOKS, _WIDTH = 40, 1104, 552, 0.14
_METHODS: tuple[tuple[str, float, float, float, int, float | None, float | None], ...] = (
    # Method, re-identified by a naive and a parrot attacker, still detected, leaks, mouth and eyes that are kept.
    ("solid", 0.0, 0.012, 0.0, 0, None, None),
    ("blur", 0.184, 0.731, 0.442, 3, 0.71, 0.34),
    ("pixelate", 0.027, 0.402, 0.093, 0, 0.52, 0.18),
    ("synthetic", 0.008, 0.041, 1.0, 0, 0.93, 0.81),
)


@scene("53-privacy-measured")
def _privacy(camera: WindowCamera) -> None:
    path = camera.session.study.path
    measured = path.with_name("measured.greenroom")
    shutil.copyfile(path, measured)
    with Session.open(measured, ANNOTATOR) as session:
        here = all_recordings(session.study)[-1].id
        with session.study.run_transaction():
            for day, found in enumerate(_METHODS, 1):
                method = found[0]
                at = f"2026-11-{day:02}T10:00:00Z"
                run = Run(new_id(), here, "anonymize", method, {}, {"output": f"sample, {method}.mp4"}, at, "0")
                report = dump(_report(*found))
                insert_run(session.study, run)
                insert_run(session.study, Run(new_id(), here, KIND, method, {"export": run.id}, report, at, "0"))
    camera.window.open_study(measured)
    shown = camera.window.windows.open_window("privacy")
    camera.settle(0.5)
    row = next(at for at, cells in enumerate(shown.table.texts()) if cells[1] == "blur")  # type: ignore[attr-defined]
    shown.table.selectRow(row)  # type: ignore[attr-defined]
    camera.tabs("53-privacy-measured", shown)
    shown.window().close()
    camera.window.open_study(path)


def _report(
    method: str, naive: float, parrot: float, detected: float, leaks: int, mouth: float | None, eye: float | None
) -> PrivacyReport:
    def kept(value: float | None) -> MeasuredValue:
        return MeasuredValue(value, _LOOKS, "" if value is not None else "No landmarks were found.")

    signals = {"mouth": kept(mouth), "eye": kept(eye), "brow": kept(mouth and mouth - 0.2), "iris_x": kept(None)}
    lasting = {"nme": kept(mouth and 0.081), "warp": MeasuredValue(1.2, _LOOKS)}
    own = {"detected": MeasuredValue(detected, _LOOKS), "coverage": MeasuredValue(0.997, _LOOKS), **signals, **lasting}
    figures = {
        **own,
        "detected_in_source": MeasuredValue(0.994, _FACES),
        "leak_frames": MeasuredValue(float(leaks), _LOOKS),
        "leak_longest_s": MeasuredValue(0.033 * leaks, _LOOKS),
    }
    tracks = tuple(
        TrackReport(track, name, _LOOKS, {**own, "reidentified": MeasuredValue(rate, _LOOKS)}, 3_100_000)
        for track, name, rate in (("0196f3c1", "P99", naive * 1.6), ("0196f3c2", "0196f3c2", naive * 0.4))
    )
    return PrivacyReport(
        method=method,
        replaces=method == "synthetic",
        frames=1200,
        looks=_LOOKS,
        stride=2,
        faces=_FACES,
        tools={"detector": "rfb320", "embedder": "mobilefacenet"},
        independent=True,
        figures=figures,
        attacks=tuple(_attack(*pair) for pair in ((RAW, 0.973), (NAIVE, naive), (PARROT, parrot))),
        tracks=tracks,
        scores=_scores(0.05 + 0.9 * naive),
        notes=("Faces below 40 pixels were left out.",),
        worst_us=3_100_000,
        leaks_us=tuple(3_100_000 + 33_000 * at for at in range(leaks)),
        seconds=41.0,
    )


def _attack(kind: str, rate: float) -> Attack:
    return Attack(
        kind,
        "mobilefacenet",
        (MeasuredValue(0.31, 4200), MeasuredValue(0.42, 4200)),
        (MeasuredValue(rate, _FACES), MeasuredValue(rate / 3, _FACES)),
        MeasuredValue(0.01, _FACES),
        MeasuredValue(min(1.0, rate * 1.6), _LOOKS),
        MeasuredValue(0.01, _LOOKS),
        "P99",
        MeasuredValue(min(1.0, rate * 1.2), _FACES),
        MeasuredValue(0.5 - rate / 2, _FACES),
        14,
    )


def _scores(middle: float) -> Scores:
    edges = tuple(at * 2 / _BINS - 1 for at in range(_BINS + 1))

    def pile(mean: float, many: int) -> tuple[int, ...]:
        centres = [(low + high) / 2 for low, high in pairwise(edges)]
        return tuple(round(many * math.exp(-(((centre - mean) / _WIDTH) ** 2) / 2) / 7) for centre in centres)

    counts = {"genuine": pile(0.72, _FACES), "impostor": pile(0.02, 4200), "anonymized": pile(middle, _FACES)}
    return Scores(edges, counts)
