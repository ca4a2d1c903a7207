"""Tooltips that explain a term: its name, its key, its definition and examples."""

from widgets.semibold import semibold


def explained(name: str, definition: str, key: str = "", examples: tuple[str, ...] = ()) -> str:
    """Return a tooltip: a name with its key, the definition, and examples."""
    parts = [f"<b>{_escape(name)}</b>" + (f" ({_escape(key)})" if key else "")]
    parts += [_escape(text) for text in (definition, *(f"“{example}”" for example in examples)) if text]
    return semibold(f"<qt>{'<br>'.join(parts)}</qt>")


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
