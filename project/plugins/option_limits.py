"""Dataclass fields with limits in their metadata, and the check that enforces them."""

from dataclasses import field, fields
from typing import Any

from project.errors import UserError


def limited_field(
    default: float,
    minimum: float,
    maximum: float,
    title: str,
    description: str,
    unit: str = "",
    *,
    rare: bool = False,
) -> Any:
    """Return a dataclass field whose value must lie within the limits, both included.

    Forms, which show the unit behind the number, flags of the command line and recorded parameters derive from such
    fields. A form shows rare ones when more is asked for.
    """
    metadata = {"minimum": minimum, "maximum": maximum, "title": title, "description": description, "unit": unit}
    return field(default=default, metadata={**metadata, "rare": rare})


def choice_field(default: str, choices: tuple[str, ...], title: str, description: str) -> Any:
    """Return a dataclass field whose value must be one of the choices."""
    return field(default=default, metadata={"choices": choices, "title": title, "description": description})


def text_field(default: str, longest: int, title: str, description: str, *, rare: bool = False) -> Any:
    """Return a dataclass field whose value is one line of text."""
    return field(
        default=default, metadata={"longest": longest, "title": title, "description": description, "rare": rare}
    )


def check_limits(options: Any) -> None:
    """Check every field made by `limited_field`, `choice_field` or `text_field`; to be called from `__post_init__`."""
    for spec in fields(options):
        if "longest" in spec.metadata:
            _check_text(spec.metadata["title"], getattr(options, spec.name), spec.metadata["longest"])
        if "choices" in spec.metadata and getattr(options, spec.name) not in spec.metadata["choices"]:
            raise UserError(
                f"“{getattr(options, spec.name)}” is not allowed for {spec.metadata['title'].lower()}.",
                f"Choose one of {', '.join(spec.metadata['choices'])}.",
            )
        if "minimum" not in spec.metadata:
            continue
        value = getattr(options, spec.name)
        title, low, high = (spec.metadata[key] for key in ("title", "minimum", "maximum"))
        kind: type | tuple[type, ...] = int if isinstance(spec.default, int) else (int, float)
        if isinstance(value, bool) or not isinstance(value, kind) or not low <= value <= high:
            whole = "a whole number" if kind is int else "a number"
            raise UserError(f"“{value}” is not allowed for {title.lower()}.", f"Give {whole} from {low} to {high}.")


def _check_text(title: str, value: Any, longest: int) -> None:
    if not isinstance(value, str) or len(value) > longest or not value.isprintable():
        raise UserError(
            f"“{value}” is not allowed for {title.lower()}.", f"Give one line of at most {longest} characters."
        )
