"""What can be set for a judge behind an OpenAI-compatible server; nothing heavy is imported here."""

from dataclasses import dataclass

from models.judges.openai_compatible.address import HOSTED, base_of
from models.judges.options import ModelOptions
from project.limits import limited, written


@dataclass(frozen=True)
class OpenAIOptions(ModelOptions):
    """How a server is asked.

    Attributes:
        url: base of its addresses, such as `http://localhost:8000/v1`.
        tries: how often a request may be made until it is answered.
        patience_s: that one request may take with all its tries and waits, in seconds; at least `timeout_s`.
    """

    url: str = written(HOSTED, 300, "Address", "Base of the server's addresses, such as http://localhost:8000/v1.")
    tries: int = limited(5, 1, 20, "Tries", "How often a request is made until the server answers it.")
    patience_s: float = limited(300.0, 1.0, 7200.0, "Patience", "Seconds for one request with all tries and waits.")

    def __post_init__(self) -> None:
        super().__post_init__()
        # What is set is kept in a study: an address with a password in it must not get that far.
        base_of(self.url)
