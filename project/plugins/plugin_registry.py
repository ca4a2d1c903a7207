"""Registries of what the program has several of: a name stands for a class that is imported when it is used."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

from project.errors import UserError, unknown_choice

Plugin = TypeVar("Plugin")


class Plugins(dict[str, str], Generic[Plugin]):
    """Name -> `module:attribute`, the preferred one first.

    Args:
        kind: what each of them is, for messages.
        places: where each of them is.
        elsewhere: further names that users may give and that stand for no class.
    """

    def __init__(self, kind: str, places: Mapping[str, str], elsewhere: Iterable[str] = ()) -> None:
        super().__init__(places)
        self.kind, self._elsewhere = kind, tuple(elsewhere)

    def require(self, name: str) -> str:
        """Return a name that is known."""
        if name not in self:
            raise unknown_choice(self.kind, name, (*self, *self._elsewhere))
        return name

    def load(self, name: str) -> type[Plugin]:
        """Import the class that a name stands for."""
        module, _, attribute = self[self.require(name)].partition(":")
        found: type[Plugin] = getattr(import_module(module), attribute)
        return found

    def make(self, name: str, *arguments: Any, **options: Any) -> Plugin:
        """Make one ready for use, or return it where the name stands for one that is made already."""
        entry: Any = self.load(name)
        made: Plugin = entry(*arguments, **options) if callable(entry) else entry
        return made

    def options(self, name: str, settings: Mapping[str, Any]) -> Any:
        """Return the options of one, a dataclass, with some set and the others at their defaults."""
        options_type: Any = getattr(self.load(name), "options_type")  # noqa: B009
        known = options_type.__dataclass_fields__
        for option in settings:
            if option not in known:
                hint = f"It has {', '.join(known)}." if known else "It has no options."
                raise UserError(f"The {self.kind} “{name}” has no option “{option}”.", hint)
        return options_type(**settings)
