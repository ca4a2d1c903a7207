"""Commands that count what annotators marked: time budgets, and which label follows which."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.cli.command import FILE, Time, command, option, options_of
from app.cli.console import Output
from project.entities.study_records import Recording
from project.session.session import Session
from project.text_format import Cell, pluralize


@dataclass(frozen=True, slots=True)
class CountOptions:
    """What is counted, for both commands."""

    by: tuple[str, ...] = option("What the rows are grouped by; by default participants, where the track names them.")
    scheme: str = option("A scheme of the study; by default the study's default.", default="")
    track: str = option("A track of the scheme; by default the first one.", default="")
    phases: str = option("A track whose segments divide each recording: TRACK or SCHEME/TRACK.", default="")
    annotator: tuple[str, ...] = option("Whose segments count; by default everybody who is a person.")
    recording: tuple[Recording, ...] = option()
    start: Time | None = option("Leave out what lies before: seconds or h:mm:ss.mmm.", "--from")
    end: Time | None = option("Leave out what lies behind: seconds or h:mm:ss.mmm.", "--to")
    csv: Path | None = option("Also write the table to this file.", "--csv", type=FILE)
    parquet: Path | None = option("Also write the table to this file; needs the optional part “parquet”.", type=FILE)


_COUNTED: Any = options_of(CountOptions)


@command()
def budget(session: Session, counted: CountOptions = _COUNTED) -> Output:
    """Say how often and how long each label was marked.

    Rates and shares are of the time that annotators observed, added up over recordings and annotators. Time that is
    marked twice with one label counts once in its share.

    \b
    Example:
      greenroom study budget my-study.greenroom
      greenroom study budget my-study.greenroom --by participant --by phase --phases phase --csv budget.csv
    """
    from annotate.statistics.statistics_tables import budget_table, data_rows
    from annotate.statistics.study_observations import read_observations
    from annotate.statistics.time_budget import compute_time_budget

    read = read_observations(session, _query(counted))
    found = budget_table(compute_time_budget(read.keys, read.labels, read.observations))
    written = _write(counted, *data_rows(found))
    answer = {
        "scheme": read.scheme.key,
        "track": read.track.key,
        "by": [key.key for key in read.keys],
        "rows": found.json(),
    }
    head = f"{read.scheme.name}, {read.track.name}: {pluralize(len(read.observations), 'observation')}"
    return Output(answer, [head, *found.lines(headings=True), *written])


@command()
def transitions(
    session: Session,
    counted: CountOptions = _COUNTED,
    no_repeats: bool = option("Count a label that comes several times in a row once."),
) -> Output:
    """Say which label follows which.

    Segments of one track, annotator and recording are ordered by their start; where they name participants, those of
    each participant are a sequence of their own.

    \b
    Example:
      greenroom study transitions my-study.greenroom
      greenroom study transitions my-study.greenroom --by annotator --no-repeats --csv transitions.csv
    """
    from annotate.statistics.statistics_tables import transition_rows
    from annotate.statistics.study_observations import read_observations
    from annotate.statistics.transitions import count_transitions

    read = read_observations(session, _query(counted), split_participants=True)
    found = count_transitions(read.keys, read.labels, read.observations, ignores_repeats=no_repeats)
    written = _write(counted, *transition_rows(found))
    lines = []
    for matrix in found.matrices:
        group = ", ".join(value or "nobody" for value in matrix.group)
        lines.append(f"{group or 'All'}: {pluralize(matrix.total, 'transition')}")
        for label, row, shares in zip(found.labels, matrix.counts, matrix.proportions, strict=True):
            follows = [
                f"{other.name} {count} ({share:.0%})"
                for other, count, share in zip(found.labels, row, shares, strict=True)
                if count and share is not None
            ]
            lines.append(f"  {label.name}: {', '.join(follows) or 'nothing follows'}")
    answer = {
        "scheme": read.scheme.key,
        "track": read.track.key,
        "by": [key.key for key in read.keys],
        "labels": [label.key for label in found.labels],
        "matrices": [
            {"group": [*matrix.group], "counts": matrix.counts, "proportions": matrix.proportions}
            for matrix in found.matrices
        ],
    }
    return Output(answer, [*lines, *written])


def _query(counted: CountOptions) -> Any:
    from annotate.statistics.study_observations import ObservationQuery

    return ObservationQuery(
        scheme=counted.scheme,
        track=counted.track,
        by=counted.by or None,
        phases=counted.phases,
        annotators=counted.annotator,
        recordings=tuple(recording.id for recording in counted.recording),
        start_us=counted.start or 0,
        end_us=counted.end,
    )


def _write(counted: CountOptions, head: list[str], rows: list[list[Cell]]) -> list[str]:
    """Write the files that were asked for; returns a line for each."""
    from annotate.statistics.statistics_tables import encode_csv, encode_parquet, write_table

    lines = []
    for path, encode in ((counted.csv, encode_csv), (counted.parquet, encode_parquet)):
        if path is not None:
            write_table(path, encode(head, rows))
            lines.append(f"Wrote {path}")
    return lines
