"""Every table of a study file, those first that others refer to.

A new table is an entry of one of the modules that this one puts together; all that is done with tables derives from it.
"""

from collections.abc import Mapping
from types import MappingProxyType

from project.schema.annotation_tables import ANNOTATION_TABLES
from project.schema.history_tables import HISTORY_TABLES
from project.schema.model_tables import BENCHMARK_TABLES, FACE_TABLES, JUDGE_TABLES, QUESTION_TABLES
from project.schema.study_tables import STUDY_TABLES
from project.schema.table_declaration import StudyTable, TableKind

TABLES: Mapping[str, StudyTable] = MappingProxyType(
    {
        table.name: table
        for tables in (
            STUDY_TABLES,
            ANNOTATION_TABLES,
            FACE_TABLES,
            JUDGE_TABLES,
            QUESTION_TABLES,
            BENCHMARK_TABLES,
            HISTORY_TABLES,
        )
        for table in tables
    }
)


def tables_of_kind(kind: TableKind) -> Mapping[str, StudyTable]:
    """Return the tables of a kind by name."""
    return MappingProxyType({name: table for name, table in TABLES.items() if table.kind is kind})


HUMAN_TABLES = tables_of_kind(TableKind.HUMAN)
"""Tables that people write to."""
RUN_TABLES = tables_of_kind(TableKind.RUN)
"""Tables that are written once and never changed."""
