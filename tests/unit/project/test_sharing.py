"""A copy with annotations alone, byte by byte."""

from pathlib import Path

from project.integrity.integrity_check import check_study
from project.schema.tables import TABLES
from project.schemes.scheme_file import strip_explanations
from project.sharing.annotations_only_copy import AnnotationsCopy, share_annotations
from project.store.study import Study
from tests.builders.full_study import NAME, SPOKEN, made
from tests.builders.withdrawn_study import left_in

AT = "2026-11-22T09:00:00.000+00:00"

OWN_SCHEME = """# nobody may read this comment
key = "lab"
name = "Lab"
version = 1
definition = "secret definition"
[[tracks]]
key = "moments"
name = "Moments"
[[tracks.labels]]
key = "good"
name = "Good “one”"
examples = ["a secret example"]
[[fields]]
key = "how"
kind = "slider"
name = "How"
minimum = 0
maximum = 1
step = 0.25
ends = ["bad", "good"]
[[fields]]
key = "why"
kind = "text"
name = "Why"
[[rules]]
label = "good"
needs = ["how"]
[[examples]]
title = "secret title"
situation = "secret situation"
label = "good"
"""


def share(study: Study, folder: Path) -> AnnotationsCopy:
    return share_annotations(study, folder / "shared", AT, lambda _, chain: chain)


def test_what_agreement_and_chains_need_is_there_and_no_private_text_is_in_the_bytes(tmp_path: Path) -> None:
    path, full = made(tmp_path)
    with Study.open(path) as study:
        with study.step("Use a scheme of our own"):
            study.write("DELETE FROM hold_out", ())
            study.write("INSERT INTO scheme_version VALUES ('lab', 1, ?)", (OWN_SCHEME,))
            segment = "INSERT INTO segment VALUES ('s', ?, ?, 'lab', 'moments', 'good', 1, 2)"
            study.write(segment, (full.id("rec1"), full.id("ada")))
            for row in (
                (full.id("seg1"), "shrec", "attributes", '["norms", "emotions"]'),
                (full.id("seg1"), "shrec", "channel", '"verbal"'),
                *(("s", "lab", "how", "0.25"), ("s", "lab", "why", '"a reason in words"'), ("s", "lab", "else", "5")),
            ):
                study.write("INSERT INTO segment_value VALUES (?, ?, 1, ?, ?)", row)
        done = share(study, tmp_path)
    assert check_study(done.path) == []
    private = [*full.theirs, *full.others, NAME, SPOKEN, "Ada", "A study", *full.ids.values()]
    private += ["secret definition", "a secret example", "secret title", "secret situation", "nobody may read"]
    private += ["a reason in words", "2026-11-22T08", "openai-", "gpt", "api.example.org"]
    assert left_in(done.path, private) == []
    assert {file.name for file in tmp_path.iterdir()} == {"study.greenroom", "shared.greenroom"}
    with Study.open(done.path, read_only=True) as study:
        assert study.rows("SELECT track, label, start_us, end_us FROM segment ORDER BY scheme, start_us") == [
            ("moments", "good", 1, 2),
            *[("segments", "error", 1_000_000, 2_000_000)] * 2,
        ]
        assert study.rows("SELECT field, value FROM segment_value ORDER BY field") == [
            *(("attributes", '["emotions", "norms"]'), ("channel", '"verbal"'), ("how", "0.25")),
        ]
        assert study.rows("SELECT name, kind FROM annotator") == [("A1", "person")]
        assert study.rows("SELECT name FROM recording ORDER BY number") == [("Recording 1",), ("Recording 2",)]
        assert study.rows("SELECT decision, note FROM review") == [("agree", "")] * 2
        assert study.rows("SELECT count(*), count(DISTINCT kind) FROM chain_node WHERE text = ''") == [(4, 2)]
        assert study.rows("SELECT count(*) FROM chain_edge") == [(2,)]
        assert study.rows("SELECT count(*) FROM journal_step") == [(0,)]
    assert done.left_out["segment_value"] > 0


def test_recordings_that_are_held_out_stay_and_an_episode_that_goes_on_from_them_too(tmp_path: Path) -> None:
    path, full = made(tmp_path)
    with Study.open(path) as study:
        (held_out,) = study.rows("SELECT recording_id FROM hold_out")
        assert share(study, tmp_path).held_out == 1
        (tmp_path / "shared.greenroom").unlink()
        with study.step("Go on from it"):
            study.write("UPDATE episode SET from_recording_id = ?", held_out)
        done = share(study, tmp_path)
        assert study.rows("SELECT DISTINCT recording_id FROM episode") == [(full.id("rec1"),)]
    assert done.held_out == 2
    with Study.open(done.path, read_only=True) as study:
        assert study.rows("SELECT number FROM recording") == []


def test_a_judgment_keeps_its_label_and_no_word(tmp_path: Path) -> None:
    path, full = made(tmp_path)
    with Study.open(path) as study:
        with study.run_transaction():
            own = {"id": "'j' || segment_id", "request_key": "'k' || segment_id", "item_id": "''"}
            columns = TABLES["judgment"].names
            asked = ", ".join(own.get(name, name) for name in columns)
            study.write_run(f"INSERT INTO judgment ({', '.join(columns)}) SELECT {asked} FROM judgment", [()])
        done = share(study, tmp_path)
    with Study.open(done.path, read_only=True) as study:
        rows = study.rows("SELECT answer, raw, json_extract(judge, '$.name') FROM judgment")
    assert rows == [('{"label": "error"}', "", "Judge 1")]
    assert left_in(done.path, [*full.theirs, *full.others]) == []


def test_a_stripped_scheme_is_the_same_scheme_without_its_explanations() -> None:
    text, scheme = strip_explanations(OWN_SCHEME, "lab")
    assert "secret" not in text
    assert "comment" not in text
    assert [label.name for label in scheme.tracks[0].labels] == ["Good “one”"]
    assert (scheme.field("how").step, scheme.field("how").ends) == (0.25, ("bad", "good"))
    assert scheme.rules[0].needs == ("how",)
