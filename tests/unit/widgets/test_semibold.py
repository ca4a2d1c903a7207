"""Bold text is written in a weight that the typeface has."""

from widgets.text_labels import semibold


def test_bold_becomes_the_bundled_weight_and_nothing_else_changes() -> None:
    assert semibold("<b>N</b> new, <i>soft</i>") == '<span style="font-weight:600">N</span> new, <i>soft</i>'
