"""Tables of the study itself: recordings, media, participants, annotators, and what may not leave."""

from project.entities.study_records import ConsentUse, MediumRole, ParticipantRole
from project.schema.table_declaration import (
    ALL_COPIES,
    EXCHANGED,
    SPLIT,
    ColumnKind,
    StudyTable,
    at,
    checksum,
    ident,
    json_text,
    key,
    label,
    name,
    number,
    path,
    ref,
    text,
    truth,
)

STUDY_TABLES = (
    StudyTable(
        "property",
        (ident("key", ColumnKind.LABEL), json_text("value", "value")),
        label="words of the study's settings",
        copies=SPLIT,
    ),
    StudyTable(
        "collection",
        (ident(), name("name"), text("agent_context")),
        label="names and texts of collections",
        copies=ALL_COPIES,
    ),
    StudyTable(
        "recording",
        (ident(), ref("collection"), number("number", "> 0"), name("name"), number("duration_us", ">= 0")),
        copies=ALL_COPIES,
    ),
    StudyTable(
        "medium",
        (
            ident(),
            ref("recording"),
            label("role", filled=True, values=MediumRole),
            number("position", ">= 0"),
            number("offset_us"),
            path("path", filled=True, local=True),
            checksum("fingerprint"),
            json_text("facts"),
        ),
        label="media files",
        copies=SPLIT | EXCHANGED,
    ),
    StudyTable(
        "participant",
        (ident(), name("pseudonym"), label("role", filled=True, values=ParticipantRole), text("note", withheld=True)),
        copies=ALL_COPIES,
    ),
    StudyTable(
        "appearance", (ref("recording"), ref("participant")), key=("recording_id", "participant_id"), copies=ALL_COPIES
    ),
    StudyTable(
        "consent",
        (ref("participant"), label("use", filled=True, values=ConsentUse), truth("granted")),
        key=("participant_id", "use"),
        copies=EXCHANGED,
    ),
    StudyTable(
        "annotator",
        (ident(), name("name", filled=True, unique=True), label("kind", choices=("person", "model", "adjudicated"))),
        copies=ALL_COPIES,
    ),
    StudyTable("hold_out", (ref("recording", primary=True),), label="hold-outs", copies=SPLIT),
    StudyTable(
        "waiver",
        (
            ident(),
            ref("recording", null=True, cascade=True),
            label("rule", filled=True),
            text("reason", filled=True),
            ref("annotator"),
            at(),
        ),
    ),
    StudyTable(
        "private_word",
        (
            ident("word", ColumnKind.NAME),
            name("replacement", filled=True),
            label("kind", filled=True),
            ref("participant", null=True),
        ),
    ),
    StudyTable("public_word", (ident("word", ColumnKind.NAME),)),
    StudyTable(
        "pii_decision",
        (
            label("table_name", filled=True),
            key("row_id", filled=True),
            label("field", filled=True),
            text("text", filled=True),
            number("ordinal", ">= 0"),
            ref("recording", null=True, cascade=True),
            label("kind", filled=True),
            label("decision", choices=("hide", "keep")),
            ref("annotator"),
            at(),
            text("context"),
        ),
        label="decisions on personal information",
        key=("table_name", "row_id", "field", "text", "ordinal"),
        subject="row_id",
    ),
)
