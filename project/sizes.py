"""Sizes of files in words."""

_KB, _MB, _GB = 1e3, 1e6, 1e9


def size_text(size: int) -> str:
    """Return `2 kB`, `2.7 MB` or `3.09 GB`: decimal units, as disks and downloads are counted."""
    if size < _MB / 10:
        return f"{max(1, round(size / _KB))} kB" if size else "0 kB"
    if size < _GB:
        return f"{size / _MB:.1f} MB"
    return f"{size / _GB:.2f} GB"
