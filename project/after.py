"""How a question about what the same judge answered before is told apart: its part names that judgment.

The part of an item in such a round is the key of the task that was asked before; a slash and the id of the judgment
follow it where it is asked, so that another answer makes another question.
"""


def part_after(task: str, judgment_id: str) -> str:
    """Return the part under which something is asked about an answer to a task."""
    return f"{task}/{judgment_id}"


def plain_part(part: str) -> str:
    """Return a part without the judgment that it names."""
    return part.partition("/")[0]


def judgment_in(part: str) -> str:
    """Return the id of the judgment that a part names; "" for none."""
    return part.partition("/")[2]
