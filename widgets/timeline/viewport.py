"""Which part of the recording is on screen, and the mapping between times and pixels."""

from dataclasses import dataclass, replace

MIN_US_PER_PX = 100.0
"""Closest zoom: a frame at 30 frames a second is then 333 pixels wide."""


@dataclass(frozen=True, slots=True)
class Viewport:
    """A window onto the recording's axis.

    Attributes:
        start_us: time at the left edge.
        us_per_px: microseconds a logical pixel.
        width: logical pixels.
        duration_us: of the recording; the window never leaves it.
    """

    start_us: float = 0.0
    us_per_px: float = 1000.0
    width: int = 1
    duration_us: int = 0

    @property
    def end_us(self) -> float:
        """Time at the right edge."""
        return self.start_us + self.width * self.us_per_px

    @property
    def fit_us_per_px(self) -> float:
        """The zoom at which the whole recording is as wide as the window."""
        return max(MIN_US_PER_PX, self.duration_us / max(1, self.width))

    def time_to_x(self, time_us: float) -> float:
        """Return the pixel, counted from the left edge, at which a time lies."""
        return (time_us - self.start_us) / self.us_per_px

    def x_to_time(self, x: float) -> int:
        """Return the time at a pixel, not clamped to the recording."""
        return round(self.start_us + x * self.us_per_px)

    def clamp(self, time_us: int) -> int:
        """Return the nearest time inside the recording."""
        return min(max(time_us, 0), self.duration_us)

    def settled(self) -> "Viewport":
        """Return this window brought back inside the recording and the zoom limits."""
        us_per_px = min(max(self.us_per_px, MIN_US_PER_PX), self.fit_us_per_px)
        last = max(0.0, self.duration_us - self.width * us_per_px)
        return replace(self, us_per_px=us_per_px, start_us=min(max(self.start_us, 0.0), last))

    def zoomed(self, factor: float, x: float) -> "Viewport":
        """Return a window that shows `factor` times less, with the time at pixel `x` staying there."""
        us_per_px = min(max(self.us_per_px / factor, MIN_US_PER_PX), self.fit_us_per_px)
        anchor = self.start_us + x * self.us_per_px
        return replace(self, us_per_px=us_per_px, start_us=anchor - x * us_per_px).settled()

    def panned(self, pixels: float) -> "Viewport":
        """Return a window further right by `pixels`."""
        return replace(self, start_us=self.start_us + pixels * self.us_per_px).settled()

    def showing(self, start_us: float, end_us: float) -> "Viewport":
        """Return the window whose edges are these two times."""
        return replace(self, start_us=start_us, us_per_px=max(1.0, end_us - start_us) / max(1, self.width)).settled()

    def resized(self, width: int) -> "Viewport":
        """Return a window of another width with the same left edge; one that showed everything still does.

        A window that was not laid out yet keeps both edges.
        """
        if self.width <= 1:
            return replace(self, width=max(1, width)).showing(self.start_us, self.end_us)
        whole = self.us_per_px >= self.fit_us_per_px
        changed = replace(self, width=max(1, width))
        return replace(changed, us_per_px=changed.fit_us_per_px if whole else self.us_per_px).settled()
