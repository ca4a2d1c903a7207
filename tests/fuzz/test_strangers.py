"""What a study, a folder of weights or a model from a stranger cannot do: each way that was found, kept as a test."""

import json
import sqlite3
from pathlib import Path

import pytest

from annotate.study.recording_edits import add_recordings, probe_file, relink
from anonymize.egress.egress_authority import StudyAuthority, needs_confirmation, policy_in_force
from anonymize.egress.policy_edits import set_policy
from benchmark.judging.judge_registry import add_judge, change_judge, has_trusted_files, require_trusted_files
from media.source import allowed_readers, open_source, require_no_playlist
from models.judges.judge_interface import Message, Role, SamplingParameters
from models.judges.llama_cpp.model_process import ModelProcess
from models.judges.llama_cpp.process_messages import CompletionRequest, LlamaModelConfig, RequestFailure
from models.weights.adding import add_weights
from models.weights.installed_weights import FOLDER_VARIABLE, read_record
from models.weights.own_weights import read_signature
from models.weights.weights_catalogue import find_entry
from project.entities.egress_policy import EgressLevel, EgressRequest, Forbidden, Policy, Purpose
from project.errors import UserError
from project.integrity.integrity_check import check_study, damage_error
from project.queries.judgment_rows import all_judges
from project.queries.recording_rows import all_media
from project.session.session import MediaState, Session
from project.store.locking import read_holder
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.builders.onnx_files import picture_network
from tests.builders.terminal import Terminal
from tests.builders.tiny_gguf import Shape, write_tiny_model
from tests.builders.waiting import HANG_S
from tests.fuzz.targets.studies import super_journal

FAR = EgressRequest(Purpose.JUDGE, "collect.example.org", 443, ("203.0.113.9",), local=False, texts=10, scheme="https")
OPEN = Policy(EgressLevel.RAW, "because I say so", "a stranger")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    folder.mkdir()
    path = folder / "lab.greenroom"
    Study.create(path).close()
    make_clip(tmp_path / "private.mp4", size=(48, 32), frames=4)
    with Session.open(path, "Ada") as session:
        add_recordings(session, [probe_file(tmp_path / "private.mp4")])
    return path


@pytest.fixture
def elsewhere(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes after this is done on another machine: nobody there allowed anything."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another home"))


def changed(path: Path, sql: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute(sql, values)
    connection.commit()
    connection.close()


def state(path: Path) -> MediaState:
    with Session.open(path, "Ada") as session:
        (medium,) = all_media(session.study)
        return session.locate(medium).state


def test_a_file_from_elsewhere_is_outside_on_another_machine_until_somebody_points_to_it(
    study: Path, greenroom: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert state(study) is MediaState.PRESENT
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another home"))
    assert state(study) is MediaState.OUTSIDE
    assert greenroom.json("info", study)["recording_list"][0]["media"] == "outside"
    assert "is outside the study's folder" in greenroom("faces", "track", study, code=2)
    with Session.open(study, "Ada") as session:
        relink(session, study.parent.parent)
    assert state(study) is MediaState.PRESENT


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    "way",
    [
        "{}",
        "../private.mp4",
        "link.mp4",
        "folder/private.mp4",
        "folder/../private.mp4",
        "a\0b",
        "..",
        "loop.mp4",
        "/dev/zero",
        "//server/share/a.mp4",
    ],
)
def test_no_path_leads_out_of_the_folder(study: Path, way: str) -> None:
    private = study.parent.parent / "private.mp4"
    for name, target in (("link.mp4", private), ("folder", private.parent), ("loop.mp4", Path("loop.mp4"))):
        study.with_name(name).symlink_to(target)
    changed(study, "UPDATE medium SET path = ?", way.format(private))
    assert state(study) in (MediaState.OUTSIDE, MediaState.MISSING)


_HLS = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:1.0,\n{place}\n#EXT-X-ENDLIST\n"
_DASH = (
    '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1S">'
    '<Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1000" codecs="avc1"><BaseURL>{place}'
    "</BaseURL></Representation></AdaptationSet></Period></MPD>"
)


@pytest.mark.parametrize(
    "text",
    [_HLS, f"\ufeff{_HLS}", "ffconcat version 1.0\nfile {place}\n", _DASH, "v=0\n", "[playlist]\nFile1={place}\n"],
)
def test_a_recording_that_names_other_files_leads_to_none(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    for where in (tmp_path, folder):
        make_clip(where / "private.mp4", size=(48, 32), frames=4).rename(where / "private.ts")
    for place in (f"file://{tmp_path}/private.ts", "../private.ts", "private.ts", "http://127.0.0.1:9/a.ts"):
        for path in (folder / "clip.m3u8", folder / "clip.mp4"):
            path.write_text(text.format(place=place))
            with pytest.raises(UserError, match=r"not a recording|not a video"):
                open_source(path)
            with path.open("rb") as file, pytest.raises(UserError, match=r"refers to other files"):
                require_no_playlist(file.fileno(), path.name)


def test_ffmpeg_is_kept_to_what_reads_one_file() -> None:
    offered = allowed_readers().split(",")
    assert {"matroska", "wav", "mp3", "flac", "ogg", "avi", "mpegts", "asf"} <= {*offered}
    assert not {"hls", "dash", "concat", "lavfi", "rtsp", "sdp"} & {*offered}


@pytest.mark.parametrize("ending", ["-wal", "-journal", "-shm"])
def test_nothing_is_written_through_a_link_beside_a_study(study: Path, ending: str) -> None:
    secret = study.parent.parent / "secret.txt"
    secret.write_text("a secret")
    study.with_name(study.name + ending).symlink_to(secret)
    with pytest.raises(UserError, match="not a plain file"):
        Study.open(study)
    assert secret.read_text() == "a secret"


def test_no_file_is_deleted_that_a_journal_names(study: Path) -> None:
    secret = study.parent.parent / "secret.txt"
    secret.write_text("a secret")
    study.with_name(study.name + "-journal").write_bytes(super_journal(study.read_bytes(), secret))
    with pytest.raises(UserError, match="refers to another file"):
        Study.open(study)
    assert check_study(study)
    assert secret.read_text() == "a secret"


def test_a_lock_that_is_a_link_is_not_read(study: Path) -> None:
    study.with_name(study.name + ".lock").symlink_to("/dev/zero")
    assert read_holder(study) is None


def test_a_policy_from_another_machine_lets_nothing_leave(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Session.open(study, "Ada") as session:
        set_policy(session, OPEN)
        assert policy_in_force(session) == OPEN
    monkeypatch.setenv("XDG_CONFIG_HOME", str(study.parent / "another home"))
    with Session.open(study, "Ada") as session:
        assert needs_confirmation(session)
        assert policy_in_force(session) == Policy()
        with pytest.raises(Forbidden, match="set last on this machine"):
            StudyAuthority(session).permit(FAR)
        set_policy(session, OPEN)
        assert policy_in_force(session) == OPEN


def test_a_model_that_nobody_here_chose_is_not_opened(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Session.open(study, "Ada") as session:
        add_judge(session, "local", "llama-cpp", "/models/a.gguf", {"sees": "text"})
    monkeypatch.setenv("XDG_CONFIG_HOME", str(study.parent / "another home"))
    with Session.open(study, "Ada") as session:
        (judge,) = all_judges(session.study)
        with pytest.raises(UserError, match="set up on another machine"):
            require_trusted_files(session, judge)
        change_judge(session, judge)
        assert has_trusted_files(session, judge)


@pytest.mark.parametrize("name", ["../../../made", "/tmp/made-by-a-study", "a\0b", "x" * 300])
def test_no_file_is_named_by_a_study(study: Path, name: str) -> None:
    changed(study, "UPDATE property SET value = ? WHERE key = 'id'", json.dumps(name))
    with pytest.raises(UserError, match="damaged"):
        Study.open(study)


def test_the_fingerprint_of_a_file_is_no_path(study: Path) -> None:
    changed(study, "UPDATE medium SET fingerprint = '../../../made'")
    with Session.open(study, "Ada") as session, pytest.raises(UserError, match="damaged"):
        all_media(session.study)
    assert check_study(study)


def test_what_fails_because_of_a_damaged_study_says_so_and_a_sound_one_is_blamed_for_nothing(
    study: Path, greenroom: Terminal
) -> None:
    assert damage_error(ValueError("x"), [study]) is None
    changed(study, "UPDATE medium SET facts = '{}'")
    assert "is damaged" in greenroom("info", study, code=2)
    assert damage_error(ValueError("x"), [study]) is not None
    assert damage_error(OSError("x"), [study]) is None


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("more.safetensors", b"cposix\nsystem\n(S'true'\ntR."),
        ("more.safetensors", (2**63).to_bytes(8, "little")),
        ("more.json", b"import os"),
        ("more.json", None),
        ("config.json", b"[" * 100_000),
        ("more.txt", b"\x80\x04\x95."),
        ("more.pt", b"{}"),
    ],
)
def test_a_folder_of_weights_holds_what_names_say_and_no_link(tmp_path: Path, name: str, content: bytes | None) -> None:
    made = tmp_path / "controlnet"
    made.mkdir()
    (made / "config.json").write_text("{}")
    (made / "diffusion_pytorch_model.safetensors").write_bytes((2).to_bytes(8, "little") + b"{}")
    (tmp_path / "secret.json").write_text("{}")
    add_weights("controlnet", made, "as its makers say")
    if content is None:
        (made / name).symlink_to(tmp_path / "secret.json")
    else:
        (made / name).write_bytes(content)
    with pytest.raises(UserError):
        add_weights("controlnet", made, "as its makers say")


def test_a_network_with_names_that_are_no_text_is_refused(tmp_path: Path) -> None:
    file = picture_network(tmp_path / "a.onnx", (1, 3, "height", "w"), (1, 3, "height", "w"))
    file.write_bytes(file.read_bytes().replace(b"height", b"heigh\xce"))
    with pytest.raises(UserError):
        read_signature(file)


@pytest.mark.parametrize(
    "told",
    [
        {"fit": []},
        {"fit": {"key": 1, "names": [], "shapes": []}},
        *({"files": files} for files in ([], [1], [{"file": "a", "size": "a", "sha256": "0"}])),
        {"licence": None},
    ],
)
def test_a_record_of_weights_that_was_changed_counts_as_none(
    tmp_path: Path, told: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    record = {"files": [{"file": "a", "size": 1, "sha256": "0"}], "licence": "x", "fit": None}
    for content, is_read in ((record, True), ({**record, **told}, False)):
        (tmp_path / "cartoon.added.json").write_text(json.dumps(content))
        assert (read_record(find_entry("cartoon")) is not None) == is_read


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GGUF",
        b"GGUF\x03\0\0\0" + (1 << 60).to_bytes(8, "little") * 2,
        b"GGUF\x03\0\0\0" + (0).to_bytes(8, "little") + (1).to_bytes(8, "little") + (1 << 40).to_bytes(8, "little"),
    ],
)
def test_a_model_that_does_not_hold_together_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.gguf").write_bytes(content)
    assert "a.gguf is incomplete" in _load_error(tmp_path / "a.gguf")


def test_a_projector_that_tells_of_more_layers_than_it_has_is_refused(tmp_path: Path) -> None:
    """llama.cpp would take gigabytes for them before it misses the first."""
    projector = write_tiny_model(tmp_path, Shape(width=16, heads=2, layers=1, inner=16, context=256)).projector
    name = b"clip.vision.block_count"
    content = projector.read_bytes()
    place = content.index(name) + len(name) + 4
    projector.write_bytes(content[:place] + (5_000_000).to_bytes(4, "little") + content[place + 4 :])
    assert "could not be loaded as a projector" in _load_error(tmp_path / "tiny.gguf", projector)


def _load_error(model: Path, projector: Path | str = "") -> str:
    process = ModelProcess(LlamaModelConfig(str(model), str(projector), 128, 0, 1))
    request = CompletionRequest(1, (Message(Role.USER, "?"),), {"type": "object"}, SamplingParameters(0.0, 1, 10))
    try:
        failure = process.ask(request, HANG_S).result(HANG_S)
    finally:
        process.end()
    assert isinstance(failure, RequestFailure)
    return failure.line
