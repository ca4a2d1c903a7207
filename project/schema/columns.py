"""The kind of content of every column of a study file, by which private content is found.

It also names tables for people.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class ColumnKind(StrEnum):
    """What the values of a column are."""

    KEY = "key"
    """An id, or the key of a row elsewhere: structure."""
    NUMBER = "number"
    """A number that was measured or counted, a truth value, or an array of such."""
    LABEL = "label"
    """A word of the program's own, or the key of a scheme, a track, a label, a field, a task, a rule."""
    TIME = "time"
    """When somebody did something."""
    TEXT = "text"
    """What somebody wrote or said, or what a model did."""
    NAME = "name"
    """What somebody or something is called."""
    PATH = "path"
    """A place on a disk or a server, or a model that may be one."""
    HASH = "hash"
    """A checksum, which tells whether something is what it was, and so may tell what it was."""
    JSON = "json"
    """A JSON text, in which all of these may stand."""


def _table(**columns: str) -> Mapping[str, ColumnKind]:
    return MappingProxyType({name: ColumnKind(kind) for kind, names in columns.items() for name in names.split()})


_PROFILE = "name age occupation pronouns personality personal_values decision_style public_info secret"

COLUMNS: Mapping[str, Mapping[str, ColumnKind]] = MappingProxyType(
    {
        "property": _table(label="key", json="value"),
        "collection": _table(key="id", name="name", text="agent_context"),
        "recording": _table(key="id collection_id", number="number duration_us", name="name"),
        "medium": _table(
            key="id recording_id", label="role", number="position offset_us", path="path", hash="fingerprint",
            json="facts",
        ),
        "participant": _table(key="id", name="pseudonym", label="role", text="note"),
        "appearance": _table(key="recording_id participant_id"),
        "consent": _table(key="participant_id", label="use", number="granted"),
        "annotator": _table(key="id", name="name", label="kind"),
        "segment": _table(key="id recording_id annotator_id", label="scheme track label", number="start_us end_us"),
        "segment_value": _table(key="segment_id", label="scheme field", number="version", json="value"),
        "scheme_version": _table(label="key", number="version", text="text"),
        "hold_out": _table(key="recording_id"),
        "assignment": _table(key="recording_id annotator_id", label="purpose"),
        "completion": _table(key="recording_id annotator_id", time="at"),
        "review": _table(key="segment_id reviewer_id", label="decision", text="note", time="at"),
        "comment": _table(key="id segment_id annotator_id", text="text", time="at", number="resolved"),
        "utterance": _table(
            key="id recording_id participant_id", number="start_us end_us checked suggested", text="text", json="words"
        ),
        "merged_copy": _table(key="copy_id step_uid", time="at"),
        "conflict": _table(
            key="id", label="table_name resolution", json="row_key ours theirs", name="source", time="at"
        ),
        "activity": _table(key="recording_id annotator_id", time="day", number="seconds"),
        "run": _table(
            key="id recording_id", label="kind program_version", path="backend", json="parameters result",
            time="finished_at",
        ),
        "face_track": _table(
            key="id run_id medium_id", number="position count frames times_us boxes scores origins"
        ),
        "heard": _table(key="run_id", number="position start_us end_us", text="text", json="words"),
        "track_correction": _table(key="track_id participant_id", number="dismissed"),
        "track_box": _table(key="track_id", number="time_us x y width height"),
        "region": _table(
            key="id recording_id participant_id", label="kind", text="label", number="start_us end_us"
        ),
        "region_box": _table(key="region_id", number="time_us x y width height"),
        "face_review": _table(key="recording_id annotator_id", hash="state", time="at"),
        "seen_span": _table(key="recording_id annotator_id", number="start_us end_us", time="at"),
        "waiver": _table(key="id recording_id annotator_id", label="rule", text="reason", time="at"),
        "private_word": _table(name="word replacement", label="kind", key="participant_id"),
        "public_word": _table(name="word"),
        "pii_decision": _table(
            label="table_name field kind decision", key="row_id recording_id annotator_id", text="text",
            number="ordinal", time="at",
        ),
        "judge": _table(key="id", name="name", label="backend", path="model", json="settings"),
        "prompt_version": _table(label="key", number="version", text="text"),
        "adoption": _table(key="id segment_id annotator_id judgment_id", label="field", time="at"),
        "chain": _table(key="id recording_id annotator_id based_on", name="name"),
        "chain_node": _table(
            key="id chain_id source", label="kind", text="text", number="start_us end_us"
        ),
        "chain_person": _table(key="node_id participant_id"),
        "chain_edge": _table(key="result_id reason_id"),
        "chain_review": _table(
            key="chain_id reviewer_id", label="decision", text="note", hash="state", time="at"
        ),
        "question": _table(
            key="id recording_id chain_id annotator_id judgment_id", label="kind aspect maker", hash="made_from",
            number="start_us end_us seed place", text="text answer explanation", json="covers wrong", time="at",
        ),
        "verification": _table(
            key="question_id annotator_id", label="decision checklist difficulty", json="checks", text="note",
            hash="state", time="at",
        ),
        "look": _table(key="recording_id participant_id", label="kind", text="text"),
        "summary": _table(key="recording_id judgment_id", label="source", text="text"),
        "contradiction": _table(key="id recording_id judgment_id", text="text resolution", number="settled"),
        "character": _table(key="id", name="reference", text=_PROFILE, json="bonds"),
        "scenario": _table(
            key="id", name="name reference", text="context", label="relationship", json="goals casts"
        ),
        "episode": _table(
            key="recording_id from_recording_id from_segment_id", text="context", label="relationship source ended",
            number="turn_limit history seed", name="reference",
        ),
        "episode_agent": _table(
            key="recording_id participant_id judge_id", number="position", text=f"{_PROFILE} goal", label="player"
        ),
        "judgment": _table(
            key="id judge_id annotator_id recording_id segment_id question_id chain_id item_id cached_from part",
            json="judge sight answer", label="task variant status modality program_version",
            number="start_us end_us seed tokens_in tokens_out cost ms calls",
            hash="prompt_sha256 request_key state", text="raw thinking mended error", path="model_id condition",
            name="prompt", time="at",
        ),
        "item_set": _table(
            key="id", name="name", label="task program_version", number="seed draws", json="rule left_out",
            hash="sha256", time="at",
        ),
        "item": _table(
            key="id set_id about recording_id", number="draw position start_us end_us", json="content",
            hash="made_from",
        ),
        "benchmark_run": _table(
            key="id set_id judge_id annotator_id", json="judge", label="variant modality program_version",
            path="condition", number="seed", time="at",
        ),
        "benchmark_answer": _table(key="run_id item_id part judgment_id"),
        "reveal": _table(key="segment_id annotator_id", json="own", time="at"),
        "egress": _table(key="id", time="at", json="request", label="level rule", text="permission"),
        "withdrawal": _table(hash="id", label="kind", time="at"),
        "journal_step": _table(
            key="id uid annotator_id reverses below undo_top redo_top", label="kind", text="name", name="merge_key",
            time="at",
        ),
        "journal_change": _table(
            key="id step_id row_id", label="table_name operation", json="before after"
        ),
    }
)  # fmt: skip
"""Table -> column -> what stands in it."""

REFERENCES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "recording": {"collection_id": "collection"},
        "medium": {"recording_id": "recording"},
        "appearance": {"recording_id": "recording", "participant_id": "participant"},
        "consent": {"participant_id": "participant"},
        "segment": {"recording_id": "recording", "annotator_id": "annotator"},
        "segment_value": {"segment_id": "segment"},
        "hold_out": {"recording_id": "recording"},
        "assignment": {"recording_id": "recording", "annotator_id": "annotator"},
        "completion": {"recording_id": "recording", "annotator_id": "annotator"},
        "review": {"segment_id": "segment", "reviewer_id": "annotator"},
        "comment": {"segment_id": "segment", "annotator_id": "annotator"},
        "utterance": {"recording_id": "recording", "participant_id": "participant"},
        "activity": {"recording_id": "recording", "annotator_id": "annotator"},
        "run": {"recording_id": "recording"},
        "face_track": {"run_id": "run", "medium_id": "medium"},
        "heard": {"run_id": "run"},
        "track_correction": {"track_id": "face_track", "participant_id": "participant"},
        "track_box": {"track_id": "face_track"},
        "region": {"recording_id": "recording", "participant_id": "participant"},
        "region_box": {"region_id": "region"},
        "face_review": {"recording_id": "recording", "annotator_id": "annotator"},
        "seen_span": {"recording_id": "recording", "annotator_id": "annotator"},
        "waiver": {"recording_id": "recording", "annotator_id": "annotator"},
        "private_word": {"participant_id": "participant"},
        "pii_decision": {"recording_id": "recording", "annotator_id": "annotator"},
        "adoption": {"segment_id": "segment", "annotator_id": "annotator"},
        "chain": {"recording_id": "recording", "annotator_id": "annotator"},
        "chain_node": {"chain_id": "chain"},
        "chain_person": {"node_id": "chain_node", "participant_id": "participant"},
        "chain_edge": {"result_id": "chain_node", "reason_id": "chain_node"},
        "chain_review": {"chain_id": "chain", "reviewer_id": "annotator"},
        "question": {"recording_id": "recording", "chain_id": "chain", "annotator_id": "annotator"},
        "verification": {"question_id": "question", "annotator_id": "annotator"},
        "look": {"recording_id": "recording", "participant_id": "participant"},
        "summary": {"recording_id": "recording"},
        "contradiction": {"recording_id": "recording"},
        "episode": {"recording_id": "recording"},
        "episode_agent": {"recording_id": "recording", "participant_id": "participant"},
        "judgment": {
            "recording_id": "recording",
            "segment_id": "segment",
            "question_id": "question",
            "chain_id": "chain",
            "item_id": "item",
        },
        "item": {"recording_id": "recording", "set_id": "item_set"},
        "benchmark_run": {"set_id": "item_set"},
        "benchmark_answer": {"run_id": "benchmark_run", "item_id": "item", "judgment_id": "judgment"},
        "reveal": {"segment_id": "segment"},
    }
)
"""Table -> column -> the table whose id it holds, also where the file keeps no reference; "" and NULL are none."""


TABLE_LABELS = {
    "property": "words of the study's settings",
    "collection": "names and texts of collections",
    "recording": "recordings",
    "medium": "media files",
    "participant": "participants",
    "appearance": "appearances",
    "consent": "consents",
    "segment": "segments",
    "segment_value": "filled-in fields",
    "scheme_version": "texts of schemes",
    "review": "reviews",
    "comment": "comments",
    "utterance": "turns",
    "merged_copy": "merged copies",
    "conflict": "conflicts",
    "activity": "counters of active minutes",
    "run": "runs of models",
    "face_track": "face tracks",
    "heard": "stretches that a run heard",
    "track_correction": "corrections of face tracks",
    "track_box": "boxes of face tracks",
    "region": "regions drawn by hand",
    "region_box": "boxes of regions",
    "face_review": "reviews of faces",
    "seen_span": "stretches that were looked at",
    "waiver": "waivers",
    "private_word": "private words",
    "public_word": "public words",
    "pii_decision": "decisions on personal information",
    "prompt_version": "texts of prompts",
    "adoption": "words taken over from judges",
    "chain": "chains",
    "chain_node": "nodes of chains",
    "chain_person": "people of nodes",
    "chain_edge": "edges of chains",
    "chain_review": "reviews of chains",
    "question": "questions",
    "verification": "verifications of questions",
    "look": "looks",
    "summary": "summaries",
    "contradiction": "contradictions",
    "character": "characters",
    "scenario": "scenarios",
    "episode": "episodes",
    "episode_agent": "players of episodes",
    "judgment": "judgments",
    "item_set": "sets of the benchmark",
    "item": "items of the benchmark",
    "benchmark_run": "runs of the benchmark",
    "benchmark_answer": "answers of the benchmark",
    "reveal": "reveals of judgments",
    "egress": "lines of the journal of requests",
    "hold_out": "hold-outs",
    "annotator": "annotators",
    "judge": "judges",
    "assignment": "assignments",
    "completion": "completions",
    "withdrawal": "withdrawals",
    "journal_step": "steps of the history",
    "journal_change": "changes of the history",
}
"""Table -> what its rows are called."""
