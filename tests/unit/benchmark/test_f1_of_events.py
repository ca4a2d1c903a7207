"""F1 at an IoU against the event-based F1 of sed_eval, where its collars and an IoU mean the same.

sed_eval brings some 25 packages, numba among them, so it is not installed with the others; the test runs where it is.
"""

import numpy as np
import pytest

from annotate.agreement.agreement_report import compute_report
from annotate.agreement.annotation_arrays import Options
from tests.builders.marks import LABELS, Mark, material

sed_eval = pytest.importorskip("sed_eval", reason="sed_eval is installed by hand where it is wanted")


@pytest.mark.parametrize("seed", range(5))
def test_events_that_are_near_or_nowhere_are_counted_alike(seed: int) -> None:
    draw = np.random.default_rng(seed)
    marks: list[Mark] = []
    for number in range(40):
        start, length, label = 10.0 * number, 2 + 4 * draw.random(), LABELS[draw.integers(3)]
        marks.append((0, "A", label, start, start + length))
        if draw.random() < 0.8:
            moved = draw.uniform(-0.1, 0.1, 2) if draw.random() < 0.7 else np.array([3.0, 3.5])
            named = LABELS[draw.integers(3)] if draw.random() < 0.2 else label
            marks.append((0, "B", named, max(0, start + moved[0]), start + length + moved[1]))
    ours = compute_report(material(marks, seconds=400), Options(samples=0), {}).f1_iou_same_label["0.5"].value

    first, second = (
        [
            {"event_label": label, "onset": start, "offset": end, "file": "1"}
            for _, by, label, start, end in marks
            if by == who
        ]
        for who in "AB"
    )
    judge = sed_eval.sound_event.EventBasedMetrics([*LABELS], t_collar=0.2, percentage_of_length=0.0)
    judge.evaluate(reference_event_list=first, estimated_event_list=second)
    assert ours == pytest.approx(judge.results_overall_metrics()["f_measure"]["f_measure"], abs=1e-9)
