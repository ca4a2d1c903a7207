"""Generates a whole synthetic study: everything that benchmark tasks are made from, except questions."""

from collections.abc import Sequence
from dataclasses import dataclass

from project.progress import Progress, Silent
from project.store.study import Study
from project.synthetic.synthetic_chains import CHAINS, SyntheticChainRecording, add_chains
from project.synthetic.synthetic_roleplay import RECORDINGS_PER_EPISODE, Episodes
from project.synthetic.synthetic_segments import (
    Reviews,
    SyntheticEvent,
    SyntheticRecording,
    SyntheticStudyWriter,
    SyntheticTranscriptWriter,
    require_empty,
)
from project.synthetic.synthetic_statements import RECORDINGS_PER_DIALOGUE, Statements

_SCHEMES = ("shrec", "socialnli", "sotopia-eval")
"""The schemes in use, the default one first."""
HOLD_OUT_INTERVAL = 10
"""One recording in so many is never released; some 40 of the paper's 403."""
_RECORDINGS = 403
_STAGE_US = 180_000_000
"""Chains are drawn in videos under 180 s (R3-VQA, section 3.3)."""


@dataclass(frozen=True, slots=True)
class SyntheticCounts:
    """How much of what a study holds."""

    recordings: int
    segments: int
    annotators: int
    utterances: int
    reviews: int
    chains: int
    statements: int
    episodes: int


def fill_whole_study(
    study: Study,
    recordings: int = _RECORDINGS,
    segments: int = 10353,
    annotators: int = 2,
    seed: int = 0,
    progress: Progress | None = None,
) -> SyntheticCounts:
    """Fill an empty study with what `synthetic_segments.fill_study` invents, and with what belongs to it.

    These are words of the person and the agent in every moment and around it, what annotators say of each other's
    segments, hold-outs, causal chains, statements whose plausibility people rated, and role-played episodes with
    ratings; as many for each recording as the papers have. It is one transaction outside the history.

    Raises:
        Cancelled: the user stopped it; the study is still empty.
    """
    require_empty(study, recordings, segments, annotators)
    progress = progress or Silent()
    with study.without_history():
        marking = SyntheticStudyWriter(study, recordings, annotators, seed)
        talk = SyntheticTranscriptWriter(study, seed)
        reviews = Reviews(study, marking.annotators, seed)
        statements = Statements(study, marking.annotators, seed)
        rated = {home.id for home in marking.homes[::RECORDINGS_PER_DIALOGUE]}

        def told(home: SyntheticRecording, moments: Sequence[SyntheticEvent]) -> None:
            talk.write(home, moments)
            reviews.write(moments)
            if home.id in rated:
                statements.write(home, moments)

        for done in marking.segments(segments, told):
            progress.check_cancelled()
            progress.progress(done, segments, "Inventing segments")
        _hold_out(study, marking.homes)
        study.set_property("schemes", [*_SCHEMES])
        chains = min(CHAINS, round(CHAINS * recordings / _RECORDINGS))
        for done in add_chains(study, _stages(marking.homes), marking.annotators[0], seed, chains):
            progress.check_cancelled()
            progress.progress(done, chains, "Inventing chains")
        episodes = recordings // RECORDINGS_PER_EPISODE
        for done in Episodes(study, marking.annotators, seed).write(episodes, recordings):
            progress.check_cancelled()
            progress.progress(done, episodes, "Inventing episodes")
    counts = talk.lines, reviews.written, chains, statements.written, episodes
    return SyntheticCounts(recordings, segments, annotators, *counts)


def _hold_out(study: Study, homes: Sequence[SyntheticRecording]) -> None:
    """Hold out the last of every ten recordings."""
    study.write_many(
        "INSERT INTO hold_out VALUES (?)", [(home.id,) for home in homes[HOLD_OUT_INTERVAL - 1 :: HOLD_OUT_INTERVAL]]
    )


def _stages(homes: Sequence[SyntheticRecording]) -> list[SyntheticChainRecording]:
    return [
        SyntheticChainRecording(home.id, min(home.duration_us, _STAGE_US), (*home.users, home.robot)) for home in homes
    ]
