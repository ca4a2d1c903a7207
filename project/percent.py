"""Shares in percent."""


def percent(share: float, decimals: int = 1) -> str:
    """Return `33.3 %` for a third."""
    return f"{100 * share:.{decimals}f} %"
