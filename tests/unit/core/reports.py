"""Privacy reports made by hand."""

from anonymize.measures.figure import Figure
from anonymize.measures.report import NAIVE, PARROT, RAW, Attack, PrivacyReport, Scores, TrackReport


def attack(kind: str = NAIVE, rate: float | None = 0.0, *, worst: float = 0.0, chance: float = 0.0) -> Attack:
    """One attack of an embedder called `toy`."""
    first = Figure(rate, 100, "" if rate is not None else "Nobody else.")
    return Attack(
        kind,
        "toy",
        (Figure(0.3, 500), Figure(None, 500, "Too few.")),
        (first, Figure(None, 100, "Too few.")),
        Figure(chance, 100),
        Figure(worst, 50),
        Figure(chance, 50),
        "track 1",
        Figure(0.5, 100),
        Figure(0.4, 600),
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
        "detected": Figure(detected, 100, "" if detected is not None else "No detector."),
        "detected_in_source": Figure(1.0, 100),
        "coverage": Figure(1.0, 100),
        "leak_frames": Figure(float(leaks), 80),
        "mouth": Figure(0.9, 100),
        "gaze": Figure(None, 0, "No model of gaze."),
    }
    tracks = (
        TrackReport("track 1", "P01", 50, {"reidentified": Figure(worst, 50), "mouth": Figure(0.9, 50)}, 1_500_000),
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
