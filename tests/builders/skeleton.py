"""What stays of a prompt when everything that a study says is taken out of it."""

from benchmark.prompts.answer_form import QUOTE_PREFIX


def skeleton(text: str) -> list[str]:
    """Return the lines of a prompt that are not quoted."""
    return [line for line in text.split("\n") if not line.startswith(QUOTE_PREFIX.rstrip())]
