"""Measures how well judges answer the questions of a study, what the question set is like, and how difficult it is."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.agreement.figure_intervals import StatisticResult
from annotate.chains.chain_checks import is_sound
from benchmark.metrics.paper_settings import departure_lines, model_options, model_settings
from benchmark.metrics.published_figures import ESI_BENCH, R3_VQA, PublishedTableRow, published_rows
from benchmark.metrics.ratings import as_number
from benchmark.questions.chain_consistency import (
    FIGURE_TASKS,
    NO_ANSWERS,
    SCORE_TASKS,
    AnswerScorer,
    CoveredQuestions,
    chain_coverage,
    share_over_recordings,
)
from benchmark.questions.filter_outcomes import judge_scores, parse_object, read_funnel_input
from benchmark.questions.filter_rules import get_step
from benchmark.questions.question_edits import is_stale
from benchmark.questions.question_validity import SINGLE_STEP
from benchmark.questions.verification import VerificationState, counted_verifications, verification_state
from project.codec import dump
from project.entities.causal_chains import ChainGraph
from project.entities.judgments import JudgmentStatus, Modality
from project.entities.questions import DIFFICULTIES, Question, QuestionKind, Verification
from project.entities.study_records import Json
from project.errors import UserError
from project.progress import Progress, Silent, StageProgress
from project.queries.chain_rows import all_chains, read_graphs
from project.queries.question_rows import (
    QuestionJudgment,
    all_questions,
    parse_question_judgments,
    question_judgment_rows,
    verifications,
)
from project.session.session import Session
from project.store.column_values import to_json
from project.store.study import Row

_STEP = "difficulty"

_LABEL_OF_SCORE = {0: "easy", 1: "easy", 2: "intermediate", 3: "hard"}


def combine_difficulty(said: Iterable[Verification], scores: Collection[float] = ()) -> str:
    """Combine the difficulty labels of people and models; "" if there are none.

    ESI-Bench (appendix A.1.6) combines both without saying how. Here each side is its lower median, and the result is
    the middle of both, rounded towards the people.

    Args:
        said: verifications that count.
        scores: of the task `difficulty`, from 0 to 3, one for each model.
    """
    people = _lower_median(
        DIFFICULTIES.index(verification.difficulty) for verification in said if verification.difficulty in DIFFICULTIES
    )
    model = _lower_median(DIFFICULTIES.index(difficulty_label(score)) for score in scores)
    if people is None or model is None:
        only = model if people is None else people
        return "" if only is None else DIFFICULTIES[only]
    half = (people + model) / 2
    return DIFFICULTIES[int(half if people < half else -(-half // 1))]


def difficulty_label(score: float) -> str:
    """Return the label for a score from 0 to 3."""
    return _LABEL_OF_SCORE[min(max(round(score), 0), max(_LABEL_OF_SCORE))]


def question_difficulties(session: Session) -> dict[str, str]:
    """Return question id -> combined difficulty label, for questions that have one."""
    reading, said, step = read_funnel_input(session), verifications(session.study), get_step(_STEP)
    found = {}
    for question in reading.questions.values():
        scores = [score.value for score in judge_scores(reading, step, question) if score.value is not None]
        found[question.id] = combine_difficulty(counted_verifications(question, said.get(question.id, ())), scores)
    return {key: label for key, label in found.items() if label}


def _lower_median(places: Iterable[int]) -> int | None:
    found = sorted(places)
    return found[(len(found) - 1) // 2] if found else None


_TECHNICAL_SETTINGS = frozenset(
    {"sees", "timeout_s", "concurrency", "per_minute", "price_in", "price_out", "currency", "tries", "patience_s"}
)
"""Settings of a judge that change no answer; what it sees is the modality."""
BASE, SUB, SUB_TOM = "base", "+sub", "+sub+tom"
"""Settings of R3-VQA, section 4.3: pictures; with conversation; with a prompt that asks for minds and events first."""
OTHER_SETTING = "other"
_ANSWER, _SCORE = "answer", "score"
_SILENT = Silent()
_PAPER_KINDS = {"r3vqa": {kind.value for kind in SINGLE_STEP}, "esi": {QuestionKind.ESI.value}}
"""Task of a paper -> its kinds of questions."""
ESI_ROW = next(row for row in published_rows(ESI_BENCH) if row.model == "ESI-Bench")
"""The row of ESI-Bench's own questions in its table 3."""
_WITH_WORDS = (Modality.TEXT, Modality.BOTH)


@dataclass(frozen=True, slots=True)
class JudgeSetup:
    """One judge in one setting.

    Attributes:
        settings: of it that can change an answer, model included, as JSON.
        setting: `BASE`, `SUB`, `SUB_TOM`, or `OTHER_SETTING` for any other.
        differing: the settings that differ where the judge was asked with several; "" otherwise.
    """

    judge_id: str
    judge: str
    backend: str
    settings: str
    setting: str
    variant: str
    modality: Modality
    condition: str
    seed: int
    differing: str = ""

    @property
    def name(self) -> str:
        """The name of the judge, with the settings that differ."""
        return f"{self.judge} ({self.differing})" if self.differing else self.judge

    @property
    def sort_key(self) -> tuple[str, ...]:
        how = (self.setting, self.modality.value, self.condition, self.judge_id, str(self.seed), self.settings)
        return (self.judge.casefold(), *how)


@dataclass(frozen=True, slots=True)
class QuestionFigure:
    """One figure of ESI-Bench's table 3: over one kind of question, by one judge in one setting.

    Attributes:
        figure: key of `benchmark.questions.chain_consistency.FIGURE_TASKS`.
    """

    figure: str
    kind: QuestionKind
    setup: JudgeSetup
    result: StatisticResult

    @property
    def published(self) -> PublishedTableRow | None:
        """The row of ESI-Bench; None for other kinds of questions, of which it says nothing."""
        return ESI_ROW if self.kind is QuestionKind.ESI else None


@dataclass(frozen=True, slots=True)
class StepMeasures:
    """Accuracy and consistency over the chains of one length."""

    accuracy: StatisticResult
    chain: StatisticResult
    subchain: StatisticResult


@dataclass(frozen=True, slots=True)
class JudgeMeasures:
    """The measures of one judge in one setting.

    Attributes:
        asked: number of questions that came back without an error.
        unparsed: of these, with an unreadable answer; they count as wrong.
        refused: of these, refused; they count as wrong.
        overall: accuracy over the kinds that R3-VQA has.
        by_kind: accuracy by kind of question.
        by_state: mental state -> accuracy in MSE questions.
        chain: share of the chains all of whose questions were answered right.
        subchain: the same of subchains.
        by_steps: steps of a chain -> the measures of such chains.
    """

    setup: JudgeSetup
    asked: int
    unparsed: int
    refused: int
    overall: StatisticResult
    by_kind: Mapping[str, StatisticResult]
    by_state: Mapping[str, StatisticResult]
    chain: StatisticResult
    subchain: StatisticResult
    by_steps: Mapping[int, StepMeasures]


@dataclass(frozen=True, slots=True)
class Measures:
    """All measures of the questions of a study.

    Attributes:
        everything: unverified questions count too.
        stale: that do not count because their chain was changed.
        dropped: that do not count because people dropped them.
        unverified: neither dropped nor approved of by two people; they count only with `everything`.
        sizes: number of questions of each chain and of each subchain that has any.
        judges: by name, setting, modality.
        diagnostics: one for each figure, kind of question, judge and setting.
    """

    everything: bool
    questions: int
    stale: int
    dropped: int
    unverified: int
    sizes: tuple[tuple[int, ...], tuple[int, ...]]
    judges: tuple[JudgeMeasures, ...]
    diagnostics: tuple[QuestionFigure, ...]

    @property
    def published(self) -> tuple[PublishedTableRow, ...]:
        return (*published_rows(R3_VQA), *published_rows(ESI_BENCH))

    @property
    def departures(self) -> list[str]:
        """One line for each way in which judges were asked otherwise than in R3-VQA and ESI-Bench."""
        return departure_lines(
            (task, judge.setup.name, _own_settings(judge.setup))
            for judge in self.judges
            for task, kinds in _PAPER_KINDS.items()
            if not judge.by_kind.keys().isdisjoint(kinds)
        )

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object, with the published rows and the departures from the papers."""
        return {**dump(self), "published": [*map(dump, self.published)], "departures": [*self.departures]}


@dataclass(frozen=True, slots=True)
class QuestionMeasuresInput:
    """The input of the measures; they can be computed from it in any thread.

    Attributes:
        rows: of `question_judgment_rows`.
    """

    graphs: Sequence[ChainGraph]
    questions: Sequence[Question]
    verifications: Mapping[str, Sequence[Verification]]
    rows: Sequence[Row]


def read_measures_input(session: Session) -> QuestionMeasuresInput:
    """Read chains, questions, verifications and answers of a study."""
    study = session.study
    rows = question_judgment_rows(study, [*FIGURE_TASKS.values()])
    return QuestionMeasuresInput(
        read_graphs(study, all_chains(study)), all_questions(study), verifications(study), rows
    )


def compute_measures(
    material: QuestionMeasuresInput,
    judges: Collection[str] = (),
    *,
    everything: bool = False,
    samples: int = 1000,
    seed: int = 0,
    progress: Progress = _SILENT,
) -> Measures:
    """Measure judges on questions, in any thread.

    Questions count if they match their chain and two people approved of them. Of several answers of a judge to a
    question in the same setting, the newest counts; answers about earlier forms do not.

    Args:
        material: of the study.
        judges: ids or names; all if empty.
        everything: count unverified questions too, but not dropped ones.
        samples: of the bootstrap over recordings.
        seed: of the bootstrap.
        progress: reports the judges that are done.
    """
    graphs = {graph.chain.id: graph for graph in material.graphs if is_sound(graph)}
    questions: list[Question] = []
    stale = dropped = unverified = 0
    for question in material.questions:
        now = verification_state(question, material.verifications.get(question.id, ()))
        if is_stale(question, graphs.get(question.chain_id or "")):
            stale += 1
            continue
        dropped += now is VerificationState.DROPPED
        unverified += now not in (VerificationState.VERIFIED, VerificationState.DROPPED)
        if now is VerificationState.VERIFIED or (everything and now is not VerificationState.DROPPED):
            questions.append(question)
    of_chain: dict[str, list[Question]] = {}
    for question in questions:
        of_chain.setdefault(question.chain_id or "", []).append(question)
    covered = [chain_coverage(graphs[chain], there) for chain, there in of_chain.items() if chain]
    chains = [coverage for coverage in covered if coverage.subchains]
    given = _with_differing_settings(_counted_answers(questions, parse_question_judgments(material.rows), judges))
    after = StageProgress(progress, len(given[_ANSWER]) + 1, "Measuring judges").finish_stage
    found = [
        after(_measure_judge(asking, answers, questions, chains, samples, seed))
        for asking, answers in sorted(given[_ANSWER].items(), key=lambda row: row[0].sort_key)
    ]
    sizes = (
        tuple(len(coverage.questions) for coverage in chains),
        tuple(len(ids) for coverage in chains for ids in coverage.subchains.values()),
    )
    about = after(_diagnostics(questions, given, samples, seed))
    return Measures(everything, len(questions), stale, dropped, unverified, sizes, tuple(found), about)


_Answers = dict[JudgeSetup, dict[str, QuestionJudgment]]


def _counted_answers(
    questions: Sequence[Question], given: Iterable[QuestionJudgment], judges: Collection[str]
) -> dict[str, _Answers]:
    """Return task -> judge and setting -> question id -> the answer that counts."""
    states = {question.id: question.checksum for question in questions}
    found: dict[str, _Answers] = {task: {} for task in FIGURE_TASKS.values()}
    known: dict[tuple[str, ...], JudgeSetup] = {}
    for judgment in sorted(given, key=lambda judgment: (judgment.at, judgment.id)):
        if states.get(judgment.question_id) != judgment.state or judgment.status is JudgmentStatus.ERROR:
            continue
        asked = (judgment.variant, judgment.modality, judgment.condition, str(judgment.seed))
        how = (judgment.judge_id, judgment.judge, *asked)
        asking = known.get(how) or known.setdefault(how, _judge_setup(judgment))
        if judges and asking.judge not in judges and asking.judge_id not in judges:
            continue
        found[judgment.task].setdefault(asking, {})[judgment.question_id] = judgment
    return found


def _with_differing_settings(given: Mapping[str, _Answers]) -> dict[str, _Answers]:
    """Return the answers, with what differs in the settings of judges that were asked with several."""
    settings: dict[str, list[dict[str, Json]]] = {}
    for asking in {asking: None for answers in given.values() for asking in answers}:
        entry = _flat_settings(asking)
        if entry not in settings.setdefault(asking.judge_id, []):
            settings[asking.judge_id].append(entry)
    return {
        task: {
            replace(asking, differing=_differing_settings(asking, settings[asking.judge_id])): found
            for asking, found in answers.items()
        }
        for task, answers in given.items()
    }


def _flat_settings(judge_setup: JudgeSetup) -> dict[str, Json]:
    entry = parse_object(judge_setup.settings)
    settings = entry.pop("settings", None)
    return entry | (settings if isinstance(settings, dict) else {})


def _differing_settings(judge_setup: JudgeSetup, settings: Sequence[Mapping[str, Json]]) -> str:
    own = _flat_settings(judge_setup)
    keys = dict.fromkeys(key for entry in settings for key in entry)
    differing = [key for key in keys if any(entry.get(key) != settings[0].get(key) for entry in settings)]
    return ", ".join(f"{key.replace('_', ' ')} {own.get(key, 'as usual')}" for key in differing)


def _judge_setup(judgment: QuestionJudgment) -> JudgeSetup:
    entry = parse_object(judgment.judge)
    modality = Modality(judgment.modality)
    name, backend = str(entry.pop("name", judgment.judge_id)), str(entry.get("backend", ""))
    settings = entry.get("settings")
    if isinstance(settings, dict):
        entry["settings"] = {key: value for key, value in sorted(settings.items()) if key not in _TECHNICAL_SETTINGS}
    how = (_setting_name(judgment.variant, modality), judgment.variant, modality, judgment.condition, judgment.seed)
    return JudgeSetup(judgment.judge_id, name, backend, to_json(entry), *how)


def _setting_name(variant: str, modality: Modality) -> str:
    if variant == "plain":
        return SUB if modality in _WITH_WORDS else BASE
    return SUB_TOM if variant == "tom" and modality in _WITH_WORDS else OTHER_SETTING


def _own_settings(judge_setup: JudgeSetup) -> dict[str, Json]:
    try:
        options = model_options(judge_setup.backend, parse_object(judge_setup.settings).get("settings"))
    except UserError:
        # It was asked by another version of the program.
        return {}
    if options is None:
        return {}
    shows_pictures = judge_setup.modality in (Modality.PICTURES, Modality.BOTH)
    return {"prompt": "our own", **model_settings(options, shows_pictures=shows_pictures)}


def _measure_judge(
    asking: JudgeSetup,
    answers: Mapping[str, QuestionJudgment],
    questions: Sequence[Question],
    chains: Sequence[CoveredQuestions],
    samples: int,
    seed: int,
) -> JudgeMeasures:
    right = {question.id: is_right(question, answers[question.id]) for question in questions if question.id in answers}
    found = AnswerScorer(questions, right, chains, samples, seed)
    statuses = [answer.status for answer in answers.values()]
    by_steps = {
        steps: StepMeasures(accuracy, found.chain_consistency(steps), found.subchain_consistency(steps))
        for steps, accuracy in found.accuracy_by_steps().items()
    }
    return JudgeMeasures(
        asking,
        len(right),
        statuses.count(JudgmentStatus.UNPARSED),
        statuses.count(JudgmentStatus.REFUSED),
        found.accuracy(lambda question: question.kind in SINGLE_STEP),
        found.accuracy_by_kind(),
        found.accuracy_by_state(),
        found.chain_consistency(),
        found.subchain_consistency(),
        by_steps,
    )


def is_right(question: Question, judgment: QuestionJudgment) -> bool:
    """Tell whether a question was answered right; refused and unreadable answers were not."""
    return (
        judgment.status is JudgmentStatus.OK and parse_object(judgment.answer).get(_ANSWER) == question.correct_letter
    )


def _diagnostics(
    questions: Sequence[Question], given: Mapping[str, _Answers], samples: int, seed: int
) -> tuple[QuestionFigure, ...]:
    """Return ESI-Bench's figures by kind, judge and setting; each answer counts once."""
    found = []
    for name, task in FIGURE_TASKS.items():
        for asking, answers in sorted(given[task].items(), key=lambda row: row[0].sort_key):
            for kind in QuestionKind:
                asked = [question for question in questions if question.kind is kind and question.id in answers]
                if asked:
                    figure = _diagnostic(name, asked, answers, samples, seed)
                    found.append(QuestionFigure(name, kind, asking, figure))
    return tuple(found)


def _diagnostic(
    name: str, asked: Sequence[Question], answers: Mapping[str, QuestionJudgment], samples: int, seed: int
) -> StatisticResult:
    if name in SCORE_TASKS:
        values = [_score_of(answers[question.id]) for question in asked]
    else:
        values = [float(is_right(question, answers[question.id])) for question in asked]
    counts = [
        (question.recording_id, value, 1.0) for question, value in zip(asked, values, strict=True) if value is not None
    ]
    return share_over_recordings(counts, NO_ANSWERS, samples, seed)


def _score_of(judgment: QuestionJudgment) -> float | None:
    return as_number(parse_object(judgment.answer).get(_SCORE)) if judgment.status is JudgmentStatus.OK else None
