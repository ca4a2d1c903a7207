"""Makes invented studies."""

from collections.abc import Mapping
from pathlib import Path

import click

from app.cli.output import json_option, progress_bar, tell
from app.cli.study import STUDY, with_suffix


@click.command()
@STUDY
@click.option("--recordings", default=403, show_default=True, type=click.IntRange(1), help="How many recordings.")
@click.option("--segments", default=10353, show_default=True, type=click.IntRange(0), help="How many segments.")
@click.option("--annotators", default=2, show_default=True, type=click.IntRange(1), help="How many annotators.")
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same study.")
@click.option("--chains", is_flag=True, help="Causal chains in the place of segments, as many as R3-VQA has.")
@click.option("--bare", is_flag=True, help="Recordings and segments, and nothing else.")
@json_option
def synthetic(
    study: Path, recordings: int, segments: int, annotators: int, seed: int, chains: bool, bare: bool, as_json: bool
) -> None:
    """Make an invented study of any size, to try the program.

    It has no footage. There are segments by several annotators with reviews and a transcript, causal chains with
    verified questions, statements with plausibilities, and role-played episodes with ratings, as many as in the papers.

    \b
    Example:
      greenroom synthetic big.greenroom
      greenroom synthetic large.greenroom --segments 100000 --bare
      greenroom synthetic chains.greenroom --chains
    """
    path = with_suffix(study)
    if chains:
        counts = _chains(path, seed)
    elif bare:
        counts = _bare(path, recordings, segments, annotators, seed)
    else:
        counts = _whole(path, recordings, segments, annotators, seed)
    told = ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)
    tell(as_json, {"study": str(path), **counts}, f"Made {path}: {told}")


def _whole(path: Path, recordings: int, segments: int, annotators: int, seed: int) -> Mapping[str, int]:
    from dataclasses import asdict

    from app.core.questions.invented import invent_questions
    from app.core.session import Session
    from project.invented.study import fill_whole
    from project.store import Study

    with Study.create(path, path.stem) as made, progress_bar("Inventing") as bar:
        counts = asdict(fill_whole(made, recordings, segments, annotators, seed, bar))
        questions = invent_questions(Session(made, "Annotator 1"), seed, bar)
    return {**counts, "questions": questions}


def _bare(path: Path, recordings: int, segments: int, annotators: int, seed: int) -> Mapping[str, int]:
    from project.store import Study
    from project.synthetic import fill

    with Study.create(path, path.stem) as made, progress_bar("Inventing") as bar:
        fill(made, recordings, segments, annotators, seed, bar)
    return {"recordings": recordings, "segments": segments, "annotators": annotators}


def _chains(path: Path, seed: int) -> Mapping[str, int]:
    from project.store import Study
    from project.synthetic_chains import CHAINS, NODES, RECORDINGS, SUBCHAINS, fill_with_chains

    with Study.create(path, path.stem) as made, progress_bar("Inventing") as bar:
        fill_with_chains(made, seed, bar)
    return {"recordings": RECORDINGS, "chains": CHAINS, "nodes": sum(NODES.values()), "subchains": SUBCHAINS}
