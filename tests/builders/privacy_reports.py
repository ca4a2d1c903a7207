"""Privacy reports made by hand."""

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


def attack(kind: str = NAIVE, rate: float | None = 0.0, *, worst: float = 0.0, chance: float = 0.0) -> Attack:
    """One attack of an embedder called `toy`."""
    first = MeasuredValue(rate, 100, "" if rate is not None else "Nobody else.")
    return Attack(
        kind,
        "toy",
        (MeasuredValue(0.3, 500), MeasuredValue(None, 500, "Too few.")),
        (first, MeasuredValue(None, 100, "Too few.")),
        MeasuredValue(chance, 100),
        MeasuredValue(worst, 50),
        MeasuredValue(chance, 50),
        "track 1",
        MeasuredValue(0.5, 100),
        MeasuredValue(0.4, 600),
        3,
    )


def report(
    *,
    rate: float | None = 0.0,
    worst: float = 0.0,
    chance: float = 0.0,
    detected: float | None = 0.0,
    leaks: int = 0,
    replaces: bool = False,
    method: str = "blur",
) -> PrivacyReport:
    """A report in which all is well unless said otherwise."""
    figures = {
        "detected": MeasuredValue(detected, 100, "" if detected is not None else "No detector."),
        "detected_in_source": MeasuredValue(1.0, 100),
        "coverage": MeasuredValue(1.0, 100),
        "leak_frames": MeasuredValue(float(leaks), 80),
        "mouth": MeasuredValue(0.9, 100),
        "warp": MeasuredValue(None, 0, "No optical flow."),
    }
    tracks = (
        TrackReport(
            "track 1", "P01", 50, {"reidentified": MeasuredValue(worst, 50), "mouth": MeasuredValue(0.9, 50)}, 1_500_000
        ),
    )
    return PrivacyReport(
        method=method,
        replaces=replaces,
        frames=500,
        looks=80,
        stride=6,
        faces=100,
        tools={"detector": "rfb320"},
        independent=True,
        figures=figures,
        attacks=(attack(RAW, 1.0), attack(NAIVE, rate, worst=worst, chance=chance), attack(PARROT, 0.2)),
        tracks=tracks,
        scores=Scores((-1.0, 0.0, 1.0), {"genuine": (0, 100), "impostor": (90, 10), "anonymized": (95, 5)}),
        notes=("A note.",),
        worst_us=1_500_000,
        leaks_us=(),
        seconds=2.0,
    )
