"""What can be set for every judge that is a model; nothing heavy is imported here, the window shows it."""

from dataclasses import dataclass

from project.limits import chosen, hold_to_limits, limited, written

SEES = ("text", "frames", "clip")


@dataclass(frozen=True)
class ModelOptions:
    """How a model is asked; backends add their own fields in a subclass.

    Attributes:
        sees: the transcript alone, or frames or a clip with it.
        frames: sampled uniformly over a segment.
        temperature: 0 takes the likeliest token.
        max_tokens: that an answer may have, thoughts included.
        timeout_s: that one request may take, in seconds.
        concurrency: requests that may be under way at once.
        per_minute: requests that may be started in a minute; 0 for no limit.
        price_in: of a million tokens that it reads.
        price_out: of a million tokens that it writes.
        currency: of the prices, such as `USD`.
        coerce: name of another judge of the study that brings into form what could not be read; "" for none.
    """

    sees: str = chosen("frames", SEES, "Sees", "The transcript alone, or frames or a clip with it.")
    frames: int = limited(15, 1, 64, "Frames", "Frames of a segment that it gets, evenly spaced.")
    temperature: float = limited(0.0, 0.0, 2.0, "Temperature", "How freely words are drawn; 0 takes the likeliest.")
    max_tokens: int = limited(2048, 16, 65536, "Longest answer", "Tokens that an answer may have, thoughts included.")
    timeout_s: float = limited(120.0, 1.0, 3600.0, "Time limit", "Seconds that one request may take.")
    concurrency: int = limited(4, 1, 64, "Requests at once", "Requests that may be under way at the same time.")
    per_minute: int = limited(
        0, 0, 100000, "Requests a minute", "Requests that may be started in a minute; 0 for no limit."
    )
    price_in: float = limited(0.0, 0.0, 10000.0, "Price in", "Of a million tokens that it reads.")
    price_out: float = limited(0.0, 0.0, 10000.0, "Price out", "Of a million tokens that it writes.")
    currency: str = written("USD", 8, "Currency", "Of the prices.")
    coerce: str = written("", 60, "Second model", "Another judge that brings into form what could not be read.")

    def __post_init__(self) -> None:
        hold_to_limits(self)

    @property
    def priced(self) -> bool:
        """Whether what it costs can be told."""
        return bool(self.price_in or self.price_out)

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """Return what so many tokens cost, in `currency`; None where it has no prices."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6 if self.priced else None


@dataclass(frozen=True)
class NoOptions:
    """Of a judge with nothing to set."""
