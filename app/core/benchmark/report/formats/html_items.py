"""The items of one run as a page: what became of each, and how to get to its moment."""

from collections.abc import Iterator

from app.core.benchmark.report.document import ItemLine, ItemList
from app.core.benchmark.report.formats.html import page, text, text_lines, warning
from app.core.benchmark.report.wording import moment, took

_HEADS = ("Item", "Draw", "Recording", "Time", "Outcome", "Right answer", "Answer", "Took", "Show it", "What it is")


def items_page(one: ItemList, warn: str) -> str:
    """Return the page of a run.

    Args:
        one: its items.
        warn: what a reader has to know before passing it on; "" where nothing.
    """
    return page(f"{one.task}, {one.judge}", list(_body(one, warn)))


def _body(one: ItemList, warn: str) -> Iterator[str]:
    yield f'<header><p><a href="../report.html">Back to the report</a></p><h1>{text(one.task)}, {text(one.judge)}</h1>'
    yield from warning(warn)
    yield f"<p>{len(one.lines):,} items of the set {text(one.item_set)}."
    if one.withheld:
        yield f" {one.withheld:,} more count in the figures and are not listed: their recordings may not leave."
    yield "</p>"
    if one.parts:
        yield '<p><a href="#parts">By part</a></p>'
    yield "</header><main>"
    yield '<section><h2>All items</h2><input type="checkbox" id="only-wrong"><label for="only-wrong">'
    yield "Only those that are not right</label>"
    yield '<div class="table"><table class="items"><thead><tr>'
    yield "".join(f'<th scope="col">{name}</th>' for name in _HEADS) + "</tr></thead><tbody>"
    for line in one.lines:
        yield from _line(line)
    yield "</tbody></table></div></section>"
    if one.parts:
        yield '<section id="parts"><h2>By part</h2><dl class="parts">'
        for part in one.parts:
            links = " ".join(f'<a href="#item-{number}">{number}</a>' for number in part.numbers)
            yield f'<div id="{part.key}"><dt>{text(part.title)} ({len(part.numbers):,})</dt><dd>{links}</dd></div>'
        yield "</dl></section>"
    yield "</main>"


def _line(line: ItemLine) -> Iterator[str]:
    start, end = moment(line.start_us), moment(line.end_us)
    command = f"greenroom open STUDY --recording {line.recording} --at {start}"
    cells = (
        *(str(line.draw), str(line.recording), f"{start} to {end}", line.outcome),
        *(line.words.truth, line.words.said, took(line.ms) if line.ms else ""),
    )
    kind = line.outcome.replace(" ", "-")
    yield f'<tr id="item-{line.number}" class="{kind}"><th scope="row">{line.number}</th>'
    yield "".join(f"<td>{text(cell)}</td>" for cell in cells) + f"<td><code>{text(command)}</code>"
    for name, said in line.texts.items():
        yield f"<details><summary>{text(name)}</summary><pre>{text_lines(said)}</pre></details>"
    yield f"</td><td>{text(line.words.traits)}</td></tr>"
