"""Checks a study file for damage and inconsistencies, without changing it.

`damage_error` tells an error that invalid content of a study causes from a bug of the program.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from project.entities.frozen_items import describe_content_problem
from project.errors import UserError
from project.files.filesystem import resolve_path
from project.files.sqlcipher import sqlite3
from project.integrity.row_check import unreadable_rows
from project.queries.question_rows import QUESTIONS
from project.schema import format_versions
from project.schema.schema_comparison import compare_schema, find_foreign_code
from project.schema.table_declaration import StudyTable
from project.schema.tables import HUMAN_TABLES, TABLES
from project.schemes.scheme_file import parse_scheme
from project.store import locking
from project.store.opening import Snapshot, connect, inspect_file, translate_error
from project.text_format import escape_unprintable

Query = Callable[..., Sequence[Sequence[object]]]

_MAX_FINDINGS = 20
"""How many findings of one kind are listed."""


@dataclass(frozen=True, slots=True)
class ContentRule:
    """A condition that no row of a table meets, although no constraint of the table says so.

    Attributes:
        shown: the column that names the row.
        sentence: what is wrong, with a place for that name.
    """

    table: str
    shown: str
    condition: str
    sentence: str


CONTENT_RULES = (
    ContentRule(
        "segment",
        "id",
        "start_us < 0 OR end_us > (SELECT duration_us FROM recording WHERE id = segment.recording_id)",
        "a segment reaches outside its recording: {}",
    ),
    ContentRule("segment", "id", "end_us < start_us", "a segment ends before it starts: {}"),
    ContentRule(
        "segment_value",
        "segment_id",
        "segment_id NOT IN (SELECT id FROM segment)",
        "a value belongs to no segment: {}",
    ),
    ContentRule(
        "face_track",
        "id",
        "length(frames) <> 4 * count OR length(times_us) <> 8 * count OR length(boxes) <> 16 * count "
        "OR length(scores) <> 4 * count OR length(origins) <> count",
        "a face track's arrays differ in length: {}",
    ),
    ContentRule(
        "segment",
        "id",
        "scheme NOT IN (SELECT key FROM scheme_version)",
        "the scheme of a segment is kept nowhere: {}",
    ),
    ContentRule(
        "segment_value",
        "segment_id",
        "NOT EXISTS (SELECT 1 FROM scheme_version k "
        "WHERE k.key = segment_value.scheme AND k.version = segment_value.version)",
        "a value was filled in under a version of its scheme that is kept nowhere: {}",
    ),
    ContentRule(
        "chain_node",
        "id",
        "end_us > (SELECT r.duration_us FROM recording r JOIN chain c ON c.recording_id = r.id "
        "WHERE c.id = chain_node.chain_id)",
        "a node reaches beyond the end of its recording: {}",
    ),
    ContentRule(
        "chain_edge",
        "result_id",
        "(SELECT chain_id FROM chain_node WHERE id = chain_edge.reason_id) <> "
        "(SELECT chain_id FROM chain_node WHERE id = chain_edge.result_id)",
        "a reason and its result are nodes of two chains: {}",
    ),
    ContentRule(
        "question",
        "id",
        "recording_id <> (SELECT recording_id FROM chain WHERE id = question.chain_id)",
        "a question is about another recording than its chain: {}",
    ),
    ContentRule(
        "question",
        "id",
        "end_us > (SELECT duration_us FROM recording WHERE id = question.recording_id)",
        "a question reaches beyond the end of its recording: {}",
    ),
    ContentRule(
        "episode",
        "recording_id",
        "(SELECT count(*) FROM episode_agent a WHERE a.recording_id = episode.recording_id) < 2",
        "an episode has fewer than two agents: {}",
    ),
    ContentRule("item", "id", "set_id NOT IN (SELECT id FROM item_set)", "an item belongs to no set: {}"),
    ContentRule(
        "item",
        "id",
        "draw >= (SELECT draws FROM item_set WHERE id = item.set_id)",
        "an item is in a draw that its set does not have: {}",
    ),
    ContentRule(
        "benchmark_run",
        "id",
        "set_id NOT IN (SELECT id FROM item_set)",
        "a run of the benchmark is over no set: {}",
    ),
    ContentRule(
        "benchmark_answer",
        "run_id",
        "run_id NOT IN (SELECT id FROM benchmark_run)",
        "an answer of the benchmark belongs to no run: {}",
    ),
    ContentRule(
        "episode_agent",
        "recording_id",
        "recording_id NOT IN (SELECT recording_id FROM episode)",
        "an agent belongs to no episode: {}",
    ),
)
"""A recovery leaves out the rows that meet one of these conditions."""

_RECORDING_AND_HISTORY_RULES = (
    ContentRule(
        "recording",
        "number",
        "EXISTS (SELECT 1 FROM recording r WHERE r.number = recording.number AND r.id < recording.id)",
        "two recordings have the same number: {}",
    ),
    ContentRule(
        "journal_step",
        "id",
        "EXISTS (SELECT 1 FROM (SELECT journal_step.reverses AS to_id UNION ALL SELECT journal_step.below "
        "UNION ALL SELECT journal_step.undo_top UNION ALL SELECT journal_step.redo_top) "
        "WHERE to_id IS NOT NULL AND to_id NOT IN (SELECT id FROM journal_step))",
        "a step of the history points to one that is not there: {}",
    ),
    ContentRule(
        "journal_change",
        "id",
        "step_id NOT IN (SELECT id FROM journal_step)",
        "a change in the history belongs to no step: {}",
    ),
    ContentRule(
        "journal_step",
        "id",
        "id NOT IN (SELECT step_id FROM journal_change) "
        "AND id > (SELECT coalesce(max(id), 0) FROM journal_step WHERE kind = 'withdrawal')",
        "a step of the history changed nothing: {}",
    ),
)


def check_study(path: str | Path) -> list[str]:
    """Return what is wrong with a study, a line each; none where all is well. Nothing is changed on disk."""
    path = resolve_path(Path(path))
    try:
        leftover = inspect_file(path)
        if locking.is_held(path):
            with closing(connect(path, "ro")) as connection:
                return _problems(connection, path.name)
        with Snapshot(path, leftover) as snapshot:
            damage = [] if snapshot.damage is None else [snapshot.damage.message]
            return damage + _problems(snapshot.connection, path.name)
    except UserError as error:
        return [error.message]
    except OSError as error:
        return [f"the file cannot be read: {error.strerror}"]


def _problems(connection: sqlite3.Connection, name: str) -> list[str]:
    found: list[str] = []
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if not 1 <= version <= len(format_versions.VERSIONS):
            return [f"the file's format is version {version}; this program knows 1 to {len(format_versions.VERSIONS)}"]
        # One reading from here on, so that somebody else's edits in between cannot look like a contradiction.
        connection.execute("BEGIN")
        found += [f"it holds what no study holds: {code}" for code in find_foreign_code(connection)]
        found += [difference.as_finding() for difference in compare_schema(connection, version)]
        if found:
            return found
        for findings in (
            _check_pages,
            _check_texts,
            _check_references,
            _check_contents,
            _check_values,
            _check_schemes,
            _check_history,
        ):
            found += _collect_findings(findings, connection)
        found += _collect_findings(unreadable_rows, connection)
    except UnicodeDecodeError:
        found.append("the file is damaged: a text in it is no UTF-8")
    except sqlite3.Error as error:
        damage = getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
        explained = None if damage else translate_error(error, name)
        found.append(explained.message if explained else f"the file is damaged: {error}")
    return found


def _collect_findings(
    findings: Callable[[sqlite3.Connection], Iterable[str]], connection: sqlite3.Connection
) -> list[str]:
    """Return what was found; what stops the search is a finding too."""
    found: list[str] = []
    try:
        for finding in findings(connection):
            found.append(finding)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        found.append(f"a row cannot be read: {type(error).__name__}: {error}")
    return found


def _check_pages(connection: sqlite3.Connection) -> Iterator[str]:
    for (line,) in connection.execute(f"PRAGMA integrity_check({_MAX_FINDINGS})"):
        if line != "ok":
            yield f"the file is damaged: {' '.join(str(line).split())}"


def _check_references(connection: sqlite3.Connection) -> Iterator[str]:
    for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchmany(_MAX_FINDINGS):
        yield f"a row of “{table}” refers to one of “{parent}” that is not there"


def _check_contents(connection: sqlite3.Connection) -> Iterator[str]:
    for rule in (*CONTENT_RULES, *_RECORDING_AND_HISTORY_RULES):
        sql = f"SELECT DISTINCT {rule.shown} FROM {rule.table} WHERE {rule.condition} LIMIT {_MAX_FINDINGS}"
        for (row,) in connection.execute(sql):
            yield rule.sentence.format(row)


def _check_texts(connection: sqlite3.Connection) -> Iterator[str]:
    """Read every text, which SQLite stores as whatever bytes it was given."""
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for table in tables:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[2] == "TEXT"]
        connection.text_factory = bytes
        try:
            rows = connection.execute(f"SELECT {', '.join(columns) or 'NULL'} FROM {table}")
            bad = sum(not _is_utf8(cell) for row in rows for cell in row if cell is not None)
        finally:
            connection.text_factory = str
        if bad:
            yield f"{bad} texts of “{table}” are no UTF-8"


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _check_values(connection: sqlite3.Connection) -> Iterator[str]:
    for table in TABLES.values():
        for column in table.columns:
            wrong = f"json_valid(coalesce({column.name}, 0)) = 0"
            if column.shape in ("object", "array"):
                wrong = f"({wrong} OR json_type({column.name}) <> '{column.shape}')"
            if column.shape:
                (bad,) = connection.execute(f"SELECT count(*) FROM {table.name} WHERE {wrong}").fetchone()
                kind = "not JSON" if column.shape == "value" else f"no JSON {column.shape}s"
                if bad:
                    yield f"{bad} values of “{table.name}” are {kind}"
    yield from _check_items(connection)
    for row in connection.execute(f"SELECT {QUESTIONS.column_list} FROM question"):
        # That a question cannot be read is found with the rows of other tables.
        with suppress(UserError):
            options = QUESTIONS.read(row).options
            if len({*options}) < len(options):
                yield f"a question has the same option twice: {row[0]}"


def _check_items(connection: sqlite3.Connection) -> Iterator[str]:
    bad = 0
    for item, about, content in connection.execute("SELECT id, about, content FROM item"):
        try:
            found = json.loads(content)
            reason = describe_content_problem(about, found) if isinstance(found, dict) else ""
        except (ValueError, RecursionError):
            # That it is no JSON object is found beside this.
            continue
        if reason and bad < _MAX_FINDINGS:
            bad += 1
            yield f"an item {reason}: {item}"


def _check_schemes(connection: sqlite3.Connection) -> Iterator[str]:
    for key, version, text in connection.execute("SELECT key, version, text FROM scheme_version"):
        try:
            found = parse_scheme(text, f"{key}, version {version}")
        except UserError as error:
            yield error.message.rstrip(".")
            continue
        if (found.key, found.version) != (key, version):
            yield f"the scheme kept as “{key}”, version {version}, calls itself “{found.key}”, version {found.version}"


def _check_history(connection: sqlite3.Connection) -> Iterator[str]:
    """Compare each row that the history knows with what the history says it became last."""
    yield from rows_unlike_history(lambda *query: connection.execute(*query).fetchall(), HUMAN_TABLES)


def rows_unlike_history(query: Query, tables: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each row that is not what the history says: no edit of this program made it so.

    Args:
        query: runs SQL with values on a study and returns the rows.
        tables: tables of people's edits.
    """
    for name in tables:
        table = HUMAN_TABLES[name]
        columns = ", ".join(table.names)
        for row_key, state in last_states(query, table).items():
            rows = query(f"SELECT {columns} FROM {name} WHERE {table.key_condition}", row_key)
            if (dict(zip(table.names, rows[0], strict=True)) if rows else None) != state:
                yield f"a row of “{name}” is not what the history says: {'/'.join(map(str, row_key))}"


def last_states(
    query: Callable[..., Iterable[Sequence[object]]], table: StudyTable
) -> dict[tuple[object, ...], dict[str, object] | None]:
    """Return key -> the last state of each row in the history; None where it went."""
    states: dict[tuple[object, ...], dict[str, object] | None] = {}
    for before, after in query(
        "SELECT before, after FROM journal_change WHERE table_name = ? ORDER BY id", (table.name,)
    ):
        state = json.loads(str(after)) if after else None
        states[table.key_of(state or json.loads(str(before)))] = state
    return states


def rows_without_history(query: Query, tables: Iterable[str]) -> Iterator[str]:
    """Yield table and key of each row of which the history knows nothing.

    A copy that was split, or a study that was invented, has such rows from its beginning.

    Args:
        query: see `rows_unlike_history`.
        tables: see there.
    """
    for name in tables:
        table = HUMAN_TABLES[name]
        states = query("SELECT coalesce(after, before) FROM journal_change WHERE table_name = ?", (name,))
        known = {table.key_of(json.loads(str(state))) for (state,) in states}
        for row in query(f"SELECT {', '.join(table.key)} FROM {name}"):
            if tuple(row) not in known:
                yield f"{name} {'/'.join(map(str, row))}"


_CONTENT_ERRORS = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    RuntimeError,
    sqlite3.Error,
)
"""What is raised where a row is not what it should be."""


def damage_error(error: BaseException, studies: Iterable[Path]) -> UserError | None:
    """Return the message for an unexpected error that comes of what a study holds; None where it is a bug.

    Args:
        error: that nobody expected.
        studies: files that were worked on; each is looked through as `greenroom study check` does.
    """
    if not isinstance(error, _CONTENT_ERRORS):
        return None
    for path in studies:
        found = check_study(path)
        if found:
            return UserError(
                f"This cannot be done, because the study “{escape_unprintable(path.name)}” is damaged: "
                f"{escape_unprintable(found[0])[:300]}.",
                "What was not finished was not saved. `greenroom study check` lists everything; "
                "go back to a backup copy.",
            )
    return None
