"""Every knob of finding speech, in one place."""

from dataclasses import dataclass

from project.limits import hold_to_limits, limited


@dataclass(frozen=True, slots=True)
class SpeechOptions:
    """What counts as speech.

    Attributes:
        threshold: speech begins where the network gives more, 0 to 1.
        release: it goes on until the network gives less.
        shortest_ms: shorter stretches are no speech.
        pause_ms: a shorter silence does not end a stretch.
        margin_ms: every stretch is this much longer at both ends, but not into another.
    """

    threshold: float = limited(0.5, 0.05, 0.95, "Threshold", "Speech begins where the network is surer than this.")
    release: float = limited(0.35, 0.01, 0.95, "Release", "Speech goes on until the network is less sure than this.")
    shortest_ms: int = limited(200, 0, 5_000, "Shortest", "Shorter stretches are no speech.")
    pause_ms: int = limited(300, 0, 10_000, "Pause", "A shorter silence does not end a stretch of speech.")
    margin_ms: int = limited(100, 0, 1_000, "Margin", "How much longer every stretch is at both ends.")

    def __post_init__(self) -> None:
        hold_to_limits(self)
