"""Whatever a name says, every format stays what it is: text is text, and nothing is loaded from anywhere."""

import base64
import csv
import hashlib
import io
import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from benchmark.report import latex_report as latex
from benchmark.report import markdown_report as markdown
from benchmark.report.html_report import render_html, render_items_page
from benchmark.report.latex_report import latex_table
from benchmark.report.markdown_report import items_csv, render_markdown, table_csv
from benchmark.report.report_document import (
    BenchmarkReport,
    ItemLine,
    ItemPart,
    ReportAnswer,
    ReportItemList,
    ReportPlot,
    ReportRow,
    ReportSection,
    ReportTable,
    ResultOrigin,
    cell_column,
)
from project.text_tables import NumberFormat, TableCell

EVIL = (
    '<script src="https://evil.example/x.js">alert(1)</script>&<img onerror=x>[a](http://evil.example) '
    "\\input{/etc/passwd} 50% a_b #1 $x$ ~ ^ `c` | 'q' \"d\""
)
COLUMNS = (
    cell_column("a", "Acc.", group="Error & none"),
    cell_column("b", "F1", group="Error & none"),
    cell_column("n", "n", NumberFormat.COUNT),
    cell_column("p", "p", NumberFormat.P),
)
ROWS = (
    ReportRow(
        "(L) gpt",
        ResultOrigin.JUDGE,
        (
            TableCell(0.571, 0.02, 0.5, 0.64, 200, target="001-verdict#attributes-norms", best=True),
            TableCell(None, reason="undefined"),
            TableCell(1200.0),
            TableCell(0.0004),
        ),
    ),
    ReportRow(EVIL, ResultOrigin.PERSON, (TableCell(0.5), TableCell(0.25, 0.1), TableCell(3.0), TableCell(0.25))),
    ReportRow(
        "(L+V) o1",
        ResultOrigin.PUBLISHED,
        (TableCell(0.24, 0.04), TableCell(), TableCell(), TableCell()),
        "SHREC, Table 1",
    ),
)
TABLE = ReportTable("shrec-1", f"Table 1 {EVIL}", EVIL, COLUMNS, ROWS)
SVG = b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><title>t</title><text>0.571</text></svg>'
PICTURE = ReportPlot("radar", EVIL, f"numbers\n{EVIL}", {"svg": SVG, "png": b"png", "csv": b"a,b\r\n"})
LINE = ItemLine(
    *(1, 2, 17, "recording-id", 83_456_000, 90_000_000, "wrong"),
    *(ReportAnswer("error", "none", "norms"), ReportAnswer("Error", "None", EVIL), 1500, True, {EVIL: EVIL}),
)
LIST = ReportItemList("001-verdict", "Verdict", EVIL, "set", (LINE,), (ItemPart("attributes-norms", EVIL, (1,)),), 3)
REPORT = BenchmarkReport(
    EVIL,
    EVIL,
    {EVIL: EVIL},
    (ReportSection("shrec", EVIL, (TABLE,), (PICTURE,)),),
    (LIST,),
)


class Reading(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_a_page_loads_nothing_and_runs_nothing_and_shows_text_as_text() -> None:
    for page in (render_html(REPORT), render_items_page(LIST, EVIL)):
        read = Reading(page)
        loading = {"script", "img", "link", "iframe", "object", "embed", "base", "form"}
        assert not loading & {tag for tag, _ in read.tags}
        for tag, attributes in read.tags:
            assert not any(name.startswith("on") or name in ("style", "srcset") for name in attributes), tag
            assert "src" not in attributes
            target = attributes.get("href") or ""
            assert not re.match(r"[a-z]+:|//", target), target
        outside = {url for url in re.findall(r"https?://[^\s\"'<&]+", page) if "evil.example" not in url}
        assert outside <= {"http://www.w3.org/2000/svg"}, "the name of a language, which nobody fetches"
        assert not re.search(r"@import|url\((?!data:font/otf;base64,)", page)
    assert "".join(Reading(render_html(REPORT)).words).count(EVIL) >= 6
    assert EVIL in "".join(Reading(render_items_page(LIST, "")).words)


def test_the_rule_of_a_page_allows_its_own_style_sheet_alone() -> None:
    for page in (render_html(REPORT), render_items_page(LIST, "")):
        attributes = [each for _, each in Reading(page).tags]
        (rule,) = [each["content"] for each in attributes if each.get("http-equiv") == "Content-Security-Policy"]
        (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
        own = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert rule.startswith("default-src 'none';")
        assert f"style-src 'sha256-{own}'" in rule
        assert "unsafe" not in rule
        assert "script" not in rule
        assert page.index("Content-Security-Policy") < page.index("<style>")


def test_a_number_leads_to_its_items_and_an_item_to_its_moment() -> None:
    found = Reading(render_html(REPORT))
    assert ("a", {"href": "items/001-verdict.html#attributes-norms"}) in found.tags
    page = Reading(render_items_page(LIST, ""))
    ids = [entry["id"] for _, entry in page.tags if "id" in entry]
    assert {"attributes-norms", "item-1"} <= set(ids)
    assert ("a", {"href": "#item-1"}) in page.tags
    assert "greenroom open STUDY --recording 17 --at 0:01:23.456" in page.words
    assert any("3 more count in the figures" in word for word in page.words)


def test_published_and_measured_rows_are_marked_in_every_format() -> None:
    assert 'class="published"' in render_html(REPORT)
    assert "published</span>" in render_html(REPORT)
    assert "measured</span>" in render_html(REPORT)
    assert "*(L+V) o1* (published)" in render_markdown(REPORT).replace("\\", "")
    assert r"$^\dagger$" in latex_table(TABLE)
    last = table_csv(TABLE).decode("utf-8-sig").splitlines()[-1]
    assert last.startswith('(L+V) o1,published,"SHREC, Table 1",0.24,0.04')


def test_numbers_are_written_alike_and_what_is_missing_is_a_dash() -> None:
    page, text, tex = render_html(REPORT), render_markdown(REPORT), latex_table(TABLE)
    assert '<b>0.57</b><span class="sd"> ± 0.02</span>' in page
    assert "[**0.57 ± 0.02**](items/001-verdict.html#attributes-norms)" in text
    assert r"\textbf{0.57}$\pm$0.02" in tex
    for each in (page, text, tex):
        assert "1,200" in each
    assert "&lt;0.001" in page
    assert "\N{EN DASH}" in page
    assert " -- &" in tex
    assert 'title="95 % interval over recordings 0.500 to 0.640; n = 200"' in page


def test_a_table_as_csv_keeps_every_digit_and_is_no_formula() -> None:
    (head, first, *_) = csv.reader(io.StringIO(table_csv(TABLE).decode("utf-8-sig")))
    cells = dict(zip(head, first, strict=True))
    assert cells["Error & none, Acc."] == "0.571"
    assert (cells["Error & none, Acc., low"], cells["Error & none, Acc., n"]) == ("0.5", "200")
    formula = ReportTable("t", "", "", COLUMNS[:1], (ReportRow("=cmd()", ResultOrigin.JUDGE, (TableCell(1.0),)),))
    assert "'=cmd()" in table_csv(formula).decode("utf-8-sig")
    assert b"0:01:23.456" in items_csv(LIST)
    assert b"wrong,error,none,norms,1500" in items_csv(LIST)
    lines = [line for line in render_markdown(REPORT).splitlines() if line.startswith("|")]
    assert len(lines) == 5
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {6}


def balanced(tex: str) -> bool:
    depth = 0
    for brace in re.findall(r"\\.|[{}]", tex, re.DOTALL):
        depth += {"{": 1, "}": -1}.get(brace, 0)
        if depth < 0:
            return False
    return depth == 0


@given(st.text(max_size=60))
def test_any_text_is_harmless_latex(text: str) -> None:
    escaped = latex.escape_latex(text)
    assert balanced(escaped)
    commands = set(re.findall(r"\\([A-Za-z]+)", escaped))
    assert commands <= {name[1:].rstrip("{}") for name in latex._ESCAPES.values()} | {"pm", "times", "dots"}
    bare = re.sub(r"\\.|\$\\(pm|times)\$", "", escaped, flags=re.DOTALL)
    assert not set(bare) & set("$&#%_^\n\r")
    assert all(ord(character) < 0x180 for character in escaped)
    if escaped:
        rows = (ReportRow(text, ResultOrigin.JUDGE, (TableCell(0.5),)),)
        row = latex_table(ReportTable("t", text, text, COLUMNS[:1], rows))
        assert balanced(row)
        assert row.count("\\\\\n") == 3, "two heads and one row, whatever the name is"


@given(st.text(max_size=60))
def test_any_text_is_one_cell_of_a_markdown_table(text: str) -> None:
    escaped = markdown.escape_markdown(text)
    assert "\n" not in escaped
    assert not re.search(r"(?<!\\)(?:\\\\)*[|<>\[\]`]", escaped)
