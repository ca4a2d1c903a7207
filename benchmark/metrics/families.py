"""Several tests at once: p values that hold for all of them together."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)


def holm(p: Mapping[Name, float | None]) -> dict[Name, float | None]:
    """Return corrected p values, of which one below .05 turns up by chance in at most one in twenty families.

    Tests without a p value take no part.

    Source: Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    known = {name: one for name, one in p.items() if one is not None}
    if not known:
        return dict.fromkeys(p)
    from statsmodels.stats.multitest import multipletests

    adjusted = multipletests([*known.values()], method="holm")[1]
    return dict.fromkeys(p) | {name: float(one) for name, one in zip(known, adjusted, strict=True)}
