"""One declaration of columns gives text for people, and JSON, CSV and Markdown."""

from project.text_tables import EMPTY_CELL, Column, NumberFormat, TableCell, format_cell, table

RECORDS = [("gate", 1_500_000, 0.25), ("=1+1\x1b[2J", 60_000_000, None)]
TABLE = table(
    RECORDS,
    (
        Column("id", "", NumberFormat.TEXT, lambda record: record[0].upper()),
        Column("name", "Name", NumberFormat.TEXT, lambda record: record[0]),
        Column("start_us", "Start", NumberFormat.TIME, lambda record: record[1]),
        Column("", "F1", NumberFormat.SHARE, lambda record: TableCell(record[2], sd=record[2])),
    ),
)


def test_people_read_aligned_columns_in_which_nothing_steers_the_terminal() -> None:
    assert TABLE.lines(headings=True, indent="  ") == [
        "  Name               Start    F1",
        "  gate         0:00:01.500  0.25",
        f"  =1+1\\x1b[2J  0:01:00.000     {EMPTY_CELL}",
    ]
    assert table([], TABLE.columns).lines() == []


def test_programs_read_values() -> None:
    assert TABLE.json()[0] == {"id": "GATE", "name": "gate", "start_us": 1_500_000}
    head, first, second = TABLE.csv().splitlines()
    assert head == 'id,Name,Start,F1,"F1, sd"'
    assert first == "GATE,gate,1500000,0.25,0.25"
    assert second.startswith("'=1+1"), "no spreadsheet takes it for a formula"


def test_a_markdown_table_has_a_line_for_each_row() -> None:
    head, rule, *rows = TABLE.markdown(str)
    assert head == "| Name | Start | F1 |"
    assert rule == "| --- | ---: | ---: |"
    assert rows[0] == "| gate | 0:00:01.500 | 0.25 |"


def test_a_missing_number_is_a_dash_and_a_small_p_is_below_its_limit() -> None:
    assert format_cell(TableCell(), NumberFormat.COUNT) == EMPTY_CELL
    assert format_cell(TableCell(), NumberFormat.TEXT) == ""
    assert format_cell(TableCell(0.0004), NumberFormat.P) == "<0.001"
    assert format_cell(TableCell([True, "a"]), NumberFormat.TEXT) == "yes, a"
