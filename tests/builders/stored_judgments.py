"""A judgment and a request, with every field filled in."""

from project.entities.egress_policy import Egress, EgressLevel, EgressRequest, Purpose
from project.entities.judgments import RAW_CONDITION, Judgment, JudgmentStatus

SAID = Judgment(
    id="j-1",
    judge_id="judge-1",
    judge={"name": "Small", "backend": "llama-cpp", "model": "small.gguf", "settings": {"frames": 15}},
    annotator_id=None,
    recording_id="r-1",
    segment_id="s-1",
    start_us=1_000_000,
    end_us=3_000_000,
    task="verdict",
    variant="cot",
    condition=RAW_CONDITION,
    seed=7,
    prompt="verdict@1",
    prompt_sha256="ab" * 32,
    request_key="cd" * 32,
    sight={"frames": [{"time": 1.0, "sha256": "ef" * 32, "bytes": 20_000}]},
    status=JudgmentStatus.OK,
    answer={"label": "error", "attributes": ["emotions"]},
    raw='{"label": "error"}',
    thinking="They look away.",
    mended="repaired",
    model_id="12" * 32,
    tokens_in=900,
    tokens_out=40,
    cost=0.0021,
    ms=1_234,
    calls=2,
    error="",
    cached_from=None,
    at="2026-01-02T03:04:05Z",
    program_version="0.1",
)
SENT = Egress(
    "e-1",
    "2026-01-02T03:04:05Z",
    EgressRequest(
        Purpose.JUDGE, "api.example.org", 443, ("203.0.113.7",), False, 12_345, "ab" * 32, 900, ("cd" * 32,), (),
        "run-1", "judge-1", "r-1", "s-1", scheme="https",
    ),
    EgressLevel.ANONYMIZED,
    "anonymized, allowed by the board",
)  # fmt: skip
