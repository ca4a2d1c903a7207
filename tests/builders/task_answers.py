"""What was said about items, made by hand."""

import random
from collections.abc import Sequence

from benchmark.tasks.benchmark_task import ItemResponse
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json

LABELS: list[Json] = ["error", "competence", "none"]
NAMES = ("error", "competence", "none")


def said(
    truth: str,
    answer: str | None,
    *,
    number: int = 0,
    draw: int = 0,
    recording: str = "r",
    **traits: Json,
) -> ItemResponse:
    """Return one item of the task `verdict`; without an answer it could not be read."""
    status = JudgmentStatus.OK if answer is not None else JudgmentStatus.UNPARSED
    return ItemResponse(
        f"i{number}",
        draw,
        recording,
        {"verdict": {"label": truth}},
        {} if answer is None else {"verdict": {"label": answer}},
        {"verdict": status},
        {"labels": LABELS, **traits},
    )


def by_chance(seed: int, number: int = 60, draws: int = 3, recordings: int = 6) -> list[ItemResponse]:
    """Return items with random truths and answers, a few of them unreadable."""
    chance = random.Random(seed)
    return [
        said(
            chance.choice(NAMES),
            chance.choice((*NAMES, None)),
            number=at,
            draw=at % draws,
            recording=f"r{chance.randrange(recordings)}",
            channel=chance.choice(("verbal", "both")),
            attributes=chance.sample(["norms", "emotions", "knowledge"], 2),
        )
        for at in range(number)
    ]


def as_answered(found: Sequence[ItemResponse], answers: Sequence[str | None]) -> list[ItemResponse]:
    """Return the same items with other answers."""
    return [
        said(
            str(item_response.truth["verdict"]["label"]),
            answer,
            number=int(item_response.item_id[1:]),
            draw=item_response.draw,
            recording=item_response.recording_id,
            **{key: value for key, value in item_response.traits.items() if key != "labels"},
        )
        for item_response, answer in zip(found, answers, strict=True)
    ]
