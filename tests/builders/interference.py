"""Something that happens just before or after a function of the program is called."""

from collections.abc import Callable
from typing import Any

import pytest


def interfere(
    patch: pytest.MonkeyPatch,
    owner: object,
    name: str,
    *,
    before: Callable[..., object] | None = None,
    after: Callable[..., object] | None = None,
) -> None:
    """Do something with the arguments of each call of a function, before it or after it; what it returns stays."""
    call = getattr(owner, name)

    def called(*given: Any, **named: Any) -> Any:
        if before is not None:
            before(*given)
        result = call(*given, **named)
        if after is not None:
            after(*given)
        return result

    patch.setattr(owner, name, called)
