"""Exports the questions of a study as a data set, whole or not at all: JSON lines, and a table for VLMEvalKit.

Requires that somebody has read all texts, and notes the export in the study.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotate.chains.chain_drafts import to_single_line
from anonymize.release.private_content import Private, PrivateSearch, collect_private
from anonymize.release.release_plan import assign_annotator_codes, recording_code
from anonymize.release.release_texts import (
    ReleasedText,
    build_confirmation,
    find_confirming_annotator,
    unconfirmed_message,
)
from benchmark.dataset.dataset_card import (
    CARD_NAME,
    SPLIT_SHARES,
    ReleasedMedia,
    assign_splits,
    find_released_media,
    render_card,
)
from benchmark.dataset.question_selection import DatasetContents, DatasetQuestion, release_checksum, select_questions
from benchmark.questions.filter_funnel import surviving_questions
from benchmark.questions.verification import study_agreement
from project.entities.questions import LETTERS
from project.entities.study_records import Annotator, Changes, Json, Run
from project.errors import UserError
from project.files.publication import require_free, set_fixed_times, staging_folder
from project.ids import new_id
from project.progress import Progress, Silent
from project.queries.annotator_rows import all_annotators
from project.queries.history_rows import insert_run
from project.queries.recording_rows import all_participants, all_recordings
from project.session.session import Session
from project.timebase import SECOND_US, utc_now
from project.version import __version__
from resources import resource

_REVIEW_PROPERTIES = {True: "question_texts", False: "question_texts_unverified"}
"""Property of the study that stores who read the texts, by whether only verified questions are exported."""


def find_reader(session: Session, gathering: DatasetContents) -> Annotator | None:
    """Return who read all texts of a set in their present form; None if nobody did."""
    return find_confirming_annotator(session, gathering.texts, _REVIEW_PROPERTIES[gathering.verified_only])


def require_texts_read(session: Session, gathering: DatasetContents) -> None:
    """Raise if nobody read the texts of a set in their present form."""
    if gathering.texts and find_reader(session, gathering) is None:
        every = "" if gathering.verified_only else " --all"
        raise UserError(
            unconfirmed_message(len(unique_texts(gathering.texts))),
            f"Read them, then confirm: greenroom question texts STUDY --confirm{every}",
        )


def confirm_question_texts(session: Session, gathering: DatasetContents) -> Changes:
    """Store that the annotator has read all texts of a set, as one step of the history."""
    with session.step("Confirm scrubbed texts of questions") as step:
        session.study.set_property(
            _REVIEW_PROPERTIES[gathering.verified_only], build_confirmation(session, gathering.texts)
        )
    return step.changes


def unique_texts(texts: Sequence[ReleasedText]) -> list[ReleasedText]:
    """Return texts without duplicates; a wrong option is often one of many questions."""
    found: dict[tuple[str, str], ReleasedText] = {}
    for text in texts:
        found.setdefault((text.before, text.after), text)
    return [*found.values()]


_PANDAS_MISSING = frozenset(
    {"#n/a", "#n/a n/a", "#na", "-1.#ind", "-1.#qnan", "-nan", "1.#ind", "1.#qnan", "<na>", "n/a", "na", "nan", "none"}
    | {"null"}
)
"""Words that pandas reads as an empty cell, in lower case."""


def write_table(
    path: Path, items: Sequence[DatasetQuestion], splits: Mapping[str, str], shown: Mapping[str, ReleasedMedia]
) -> int:
    """Write questions as a table; returns how many. Where any has pictures, those without are left out.

    Args:
        path: of the file.
        items: the questions.
        splits: code of a recording -> its split.
        shown: code of a recording -> its clip and frames; if empty, the table has no columns for them, and VLMEvalKit
            asks the questions as texts.
    """
    pictures_by_item = [
        shown.get(item.recording, ReleasedMedia()).pictures_between(item.start_us, item.end_us) for item in items
    ]
    has_pictures = any(pictures_by_item)
    indexes = [index for index in range(len(items)) if pictures_by_item[index] or not has_pictures]
    clips = [shown.get(items[index].recording, ReleasedMedia()).clip.removesuffix(".mp4") for index in indexes]
    most = max(len(items[index].options) for index in indexes)
    columns = ["index", "question", *LETTERS[:most], "answer", "category", "l2-category", "split"]
    columns += ["question_id", "recording", "start", "end"]
    columns += ["video"] if all(clips) else []
    columns += ["image_path"] if has_pictures else []
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\n")
        table.writerow(columns)
        for index, clip in zip(indexes, clips, strict=True):
            item = items[index]
            options = [table_cell(option) for option in item.options] + [""] * (most - len(item.options))
            row = [str(index), table_cell(item.text), *options, item.letter, item.kind, item.aspect or item.kind]
            row += [splits[item.recording], item.id, item.recording]
            row += [f"{item.start_us / SECOND_US:.3f}", f"{item.end_us / SECOND_US:.3f}"]
            row += [clip] if all(clips) else []
            table.writerow(row + ([repr(pictures_by_item[index])] if has_pictures else []))
    return len(indexes)


def table_cell(text: str) -> str:
    """Return a text on one line that pandas does not read as missing: “None” becomes “None.”."""
    plain = to_single_line(text)
    return f"{plain}." if plain.casefold() in _PANDAS_MISSING else plain


JSONL, VLMEVALKIT = "jsonl", "vlmevalkit"
FORMATS = (JSONL, VLMEVALKIT)
"""Formats of a set; questions and chains as JSON lines are always written."""
_CHECK_INTERVAL = 200
"""Texts between two checks for cancellation."""


@dataclass(frozen=True, slots=True)
class DatasetCounts:
    """Counts of a data set that was written.

    Attributes:
        replaced: spans of texts that were replaced.
        verified_only: unverified and stale questions were left out.
    """

    by_split: Mapping[str, int]
    by_kind: Mapping[str, int]
    recordings: Mapping[str, str]
    by_recording: Mapping[str, int]
    chains: int
    left_out: Mapping[str, int]
    replaced: int
    files: tuple[str, ...]
    verified_only: bool

    @property
    def questions(self) -> int:
        return sum(self.by_split.values())


@dataclass(frozen=True, slots=True)
class PreparedDataset:
    """A data set ready to be written; writing it does not need the study and can run in a thread.

    Attributes:
        splits: code of a recording -> its split.
        media: code of a recording -> its clip and frames in a release.
        private: words and texts that must not occur in it.
    """

    contents: DatasetContents
    formats: tuple[str, ...]
    splits: Mapping[str, str]
    media: Mapping[str, ReleasedMedia]
    card: str
    private: Private


def write_dataset(ready: PreparedDataset, folder: Path, progress: Progress) -> DatasetCounts:
    """Write a set, whole or not at all; it needs no study.

    Raises:
        Cancelled: the user stopped it. Then nothing is written.
    """
    require_free(folder)
    _require_no_private_words(ready, progress)
    with staging_folder(folder) as temporary:
        files = _write_files(temporary, ready)
        set_fixed_times(temporary)
        progress.check_cancelled()
    counts = Counter(item.recording for item in ready.contents.items)
    splits = ready.splits
    return DatasetCounts(
        {split: sum(counts[code] for code in splits if splits[code] == split) for split in SPLIT_SHARES},
        dict(sorted(Counter(item.kind for item in ready.contents.items).items())),
        splits,
        dict(sorted(counts.items())),
        len(ready.contents.chains),
        ready.contents.left_out,
        ready.contents.replacement_count,
        tuple(files),
        ready.contents.verified_only,
    )


def _write_files(folder: Path, ready: PreparedDataset) -> list[str]:
    gathering, splits, shown = ready.contents, ready.splits, ready.media
    for split in SPLIT_SHARES:
        split_items = [item for item in gathering.items if splits[item.recording] == split]
        _write_json_lines(
            folder / f"{split}.jsonl",
            (_question_line(dataset_question, split, shown) for dataset_question in split_items),
        )
    _write_json_lines(
        folder / "chains.jsonl", ({**chain.as_json, "split": splits[chain.recording]} for chain in gathering.chains)
    )
    (folder / CARD_NAME).write_text(ready.card, "utf-8", newline="\n")
    (folder / "load.py").write_text(resource("question-data-set", "load.py").read_text("utf-8"), "utf-8", newline="\n")
    if VLMEVALKIT in ready.formats:
        table_folder = folder / "vlmevalkit"
        table_folder.mkdir()
        write_table(table_folder / "questions.tsv", gathering.items, splits, shown)
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _question_line(item: DatasetQuestion, split: str, shown: Mapping[str, ReleasedMedia]) -> dict[str, Json]:
    seen = shown.get(item.recording)
    media: dict[str, Json] = {
        "recording": item.recording,
        "start": item.start_us / SECOND_US,
        "end": item.end_us / SECOND_US,
    }
    if seen is not None:
        pictures: list[Json] = [*seen.pictures_between(item.start_us, item.end_us)]
        media |= {"method": seen.method, "clip": seen.clip or None, "pictures": pictures}
    return {
        "id": item.id,
        "split": split,
        "kind": item.kind,
        "aspect": item.aspect,
        "question": item.text,
        "options": [*item.options],
        "letter": item.letter,
        "answer": item.answer,
        "explanation": item.explanation,
        "chain": item.chain,
        "covers": [*item.covers],
        "maker": item.maker,
        "difficulty": item.difficulty,
        "verified": item.verified,
        "stale": item.stale,
        "media": media,
    }


def _write_json_lines(path: Path, rows: Iterable[Mapping[str, Json]]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


def _require_no_private_words(ready: PreparedDataset, progress: Progress) -> None:
    """Search all texts of the set for private words once more."""
    search = PrivateSearch(ready.private)
    said = [*dict.fromkeys(released_text.after for released_text in ready.contents.texts)]
    said += dict.fromkeys(who for chain in ready.contents.chains for who in chain.people)
    for at, text in enumerate(said):
        if at % _CHECK_INTERVAL == 0:
            progress.check_cancelled()
            progress.progress(at, len(said), "Searching the texts for private words")
        if any(search.find_in_text(text, "")):
            raise UserError(
                "A question or a chain contains a name that must not leave.",
                "Find it and decide about it: Speech > Personal information.",
            )


RUN_KIND = "questions"
"""Kind of the runs that note an export."""


def export_questions(
    session: Session,
    folder: Path,
    *,
    formats: Sequence[str] = (JSONL,),
    everything: bool = False,
    seed: int = 0,
    release: Path | None = None,
    progress: Progress | None = None,
) -> DatasetCounts:
    """Write the questions that may leave to a new folder, and note it in the study.

    Args:
        session: of the study.
        folder: a folder that does not exist or is empty.
        formats: of `FORMATS`.
        everything: include unverified and stale questions; each is marked.
        seed: of the splits.
        release: folder of a release of the study, whose clips and pictures are referred to; None for none.
        progress: reports how far it is.

    Raises:
        Cancelled: the user stopped it. Then nothing is written.
    """
    told = progress or Silent()
    require_free(folder)
    session.study.require_writable()
    ready = prepare_dataset(
        session, select_questions(session, everything=everything, progress=told), formats, seed, release
    )
    made = write_dataset(ready, folder, told)
    record_export(session, made, folder)
    return made


def prepare_dataset(
    session: Session, gathering: DatasetContents, formats: Sequence[str], seed: int = 0, release: Path | None = None
) -> PreparedDataset:
    """Prepare the export of selected questions."""
    if not gathering.items:
        raise UserError(f"No question can be exported. {_left_out_text(gathering)}", _next_step(gathering))
    if (
        release_checksum(session, {recording.id: recording for recording in all_recordings(session.study)})
        != gathering.checksum
    ):
        raise UserError(
            "Consent, held-out recordings or private words have changed since the export started.", "Export again."
        )
    require_texts_read(session, gathering)
    splits = assign_splits(Counter(item.recording for item in gathering.items), seed)
    shown = {} if release is None else find_released_media(session, release, gathering.recordings)
    alive = surviving_questions(session)
    card = render_card(
        gathering,
        splits,
        shown,
        study_agreement(session, gathering.question_ids),
        seed,
        sum(question_id in alive for question_id in gathering.question_ids),
        _reader_code(session, gathering),
    )
    return PreparedDataset(gathering, tuple(formats), splits, shown, card, collect_private(session))


def record_export(session: Session, made: DatasetCounts, folder: Path) -> Changes:
    """Add a run for each recording of the set, as a release does."""
    recording_ids = {recording_code(recording.number): recording.id for recording in all_recordings(session.study)}
    runs = []
    with session.study.run_transaction():
        for code, split in made.recordings.items():
            if code not in recording_ids:
                continue
            result: dict[str, Json] = {"output": folder.name, "split": split, "questions": made.by_recording[code]}
            parameters: dict[str, Json] = {"verified_only": made.verified_only, "files": [*made.files]}
            run = Run(new_id(), recording_ids[code], RUN_KIND, RUN_KIND, parameters, result, utc_now(), __version__)
            insert_run(session.study, run)
            runs.append(("run", run.id))
    return Changes.from_pairs(runs)


def _left_out_text(gathering: DatasetContents) -> str:
    why = "; ".join(f"{many}: {reason}" for reason, many in sorted(gathering.left_out.items()))
    return f"{why or 'There are none'}."


def _next_step(gathering: DatasetContents) -> str:
    if not gathering.left_out:
        return "Make some first: greenroom question make STUDY"
    return "Verify questions first: greenroom question verify"


def _reader_code(session: Session, gathering: DatasetContents) -> str:
    reader = find_reader(session, gathering)
    pseudonyms = [participant.pseudonym for participant in all_participants(session.study)]
    codes = assign_annotator_codes(all_annotators(session.study), pseudonyms)
    return codes[reader.name] if reader is not None else ""
