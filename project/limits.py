"""Options with limits: a dataclass field says in its metadata what is safe, and is held to it."""

from dataclasses import field, fields
from typing import Any

from project.errors import UserError


def limited(default: float, minimum: float, maximum: float, title: str, description: str) -> Any:
    """Return a dataclass field whose value must lie within the limits, both included.

    Forms, flags of the command line and recorded parameters derive from such fields.
    """
    metadata = {"minimum": minimum, "maximum": maximum, "title": title, "description": description}
    return field(default=default, metadata=metadata)


def hold_to_limits(options: Any) -> None:
    """Check every field made by `limited`; to be called from `__post_init__`.

    Raises:
        UserError: a value is not a number of the field's type, or is outside its limits.
    """
    for spec in fields(options):
        if "minimum" not in spec.metadata:
            continue
        value = getattr(options, spec.name)
        title, low, high = (spec.metadata[key] for key in ("title", "minimum", "maximum"))
        kind: type | tuple[type, ...] = int if isinstance(spec.default, int) else (int, float)
        if isinstance(value, bool) or not isinstance(value, kind) or not low <= value <= high:
            whole = "a whole number" if kind is int else "a number"
            raise UserError(f"“{value}” is not allowed for {title.lower()}.", f"Choose {whole} from {low} to {high}.")
