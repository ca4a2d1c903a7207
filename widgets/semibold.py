"""Rich text in the weights that the bundled typeface has."""

_TAGS = {"<b>": '<span style="font-weight:600">', "</b>": "</span>"}


def semibold(html: str) -> str:
    """Return rich text whose bold is the bundled semibold; Qt would smear one that is bolder, because there is none."""
    for tag, instead in _TAGS.items():
        html = html.replace(tag, instead)
    return html
