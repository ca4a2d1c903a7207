"""Tables of the history: steps and changes, merges, requests that left, withdrawals and active time."""

from project.schema.table_declaration import (
    ColumnKind,
    StudyColumn,
    StudyTable,
    TableKind,
    at,
    checksum,
    ident,
    json_text,
    key,
    label,
    name,
    number,
    ref,
    text,
)

HISTORY_TABLES = (
    StudyTable(
        "conflict",
        (
            ident(),
            label("table_name", filled=True),
            json_text("row_key"),
            json_text("ours", null=True),
            json_text("theirs", null=True),
            name("source"),
            at(),
            label("resolution", choices=("ours", "theirs"), null=True),
        ),
        erased_whole=True,
    ),
    StudyTable("merged_copy", (ident("copy_id"), key("step_uid"), at()), label="merged copies"),
    StudyTable(
        "activity",
        (
            ref("recording", kept=False),
            ref("annotator", kept=False),
            text("day", kind=ColumnKind.TIME, filled=True),
            number("seconds", ">= 0"),
        ),
        label="counters of active minutes",
        key=("recording_id", "annotator_id", "day"),
        kind=TableKind.COUNTER,
        from_footage=False,
    ),
    StudyTable(
        "egress",
        (
            ident(),
            at(),
            json_text("request", "object"),
            label("level", filled=True),
            text("permission"),
            label("rule", check="(permission = '') <> (rule = '')"),
        ),
        label="lines of the journal of requests",
        kind=TableKind.RUN,
    ),
    # Whom and what no merge or import brings back: checksums over ids, names, and numbers or addresses.
    StudyTable(
        "withdrawal",
        (
            ident("id", ColumnKind.HASH),
            label("kind", choices=("participant", "recording", "footage", "name", "string")),
            at(),
        ),
        kind=TableKind.RUN,
        rowid=False,
    ),
    StudyTable(
        "withdrawal_certificate",
        (ident(), at(), checksum("person"), name("withdrawn"), json_text("content", "object")),
        label="certificates of withdrawals",
        kind=TableKind.RUN,
    ),
    StudyTable(
        "journal_step",
        (
            StudyColumn("id", ColumnKind.KEY, "INTEGER PRIMARY KEY"),
            key("uid", filled=True, unique=True),
            label("kind", choices=("edit", "undo", "redo", "fixed", "withdrawal")),
            text("name"),
            key("annotator_id", null=True),
            at(),
            name("merge_key", null=True),
            StudyColumn(
                "reverses",
                ColumnKind.KEY,
                "INTEGER REFERENCES journal_step (id) CHECK ((reverses IS NOT NULL) = (kind IN ('undo', 'redo')))",
            ),
            StudyColumn("below", ColumnKind.KEY, "INTEGER REFERENCES journal_step (id)"),
            StudyColumn("undo_top", ColumnKind.KEY, "INTEGER REFERENCES journal_step (id)"),
            StudyColumn("redo_top", ColumnKind.KEY, "INTEGER REFERENCES journal_step (id)"),
        ),
        label="steps of the history",
        kind=TableKind.HISTORY,
    ),
    StudyTable(
        "journal_change",
        (
            StudyColumn("id", ColumnKind.KEY, "INTEGER PRIMARY KEY"),
            StudyColumn("step_id", ColumnKind.KEY, "INTEGER NOT NULL REFERENCES journal_step (id)"),
            label("table_name"),
            key("row_id"),
            label("operation", choices=("insert", "update", "delete")),
            StudyColumn(
                "before", ColumnKind.JSON, "TEXT CHECK ((before IS NULL) = (operation = 'insert'))", shape="value"
            ),
            StudyColumn(
                "after", ColumnKind.JSON, "TEXT CHECK ((after IS NULL) = (operation = 'delete'))", shape="value"
            ),
        ),
        label="changes of the history",
        kind=TableKind.HISTORY,
        indexes={"step": "(step_id)"},
    ),
)
