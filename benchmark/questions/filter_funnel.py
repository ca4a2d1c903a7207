"""The question filter as a funnel: how many questions survive each step and why others are dropped.

Also applies the harder wrong options that judges propose.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from weakref import WeakKeyDictionary

from benchmark.questions.filter_outcomes import (
    FilterOutcome,
    FilterVerdict,
    FunnelInput,
    drop_chance,
    parse_object,
    question_outcome,
    read_funnel_input,
)
from benchmark.questions.filter_rules import (
    DISTRACTORS,
    STABILITY,
    STEPS,
    FilterRule,
    FilterStep,
    LimitSide,
    ScoreCombination,
    get_step,
    has_deciding_step,
)
from benchmark.questions.question_edits import QuestionCorrection, correct_question, get_question
from benchmark.questions.question_validity import draft_problem
from project.codec import dump
from project.entities.judgments import JudgmentStatus
from project.entities.questions import Question, WrongOption
from project.entities.study_records import Changes, Json
from project.errors import UserError
from project.queries.history_rows import revision_key
from project.queries.question_rows import QuestionJudgment, newest_judgment, question_rows, update_question
from project.session.session import Session
from project.text_format import format_percent, pluralize

MAX_PLAUSIBILITY = 100
_MAX_OPTION_CHARS = 600


@dataclass(frozen=True, slots=True)
class Proposal:
    """The wrong options that one judge proposes for the present form of a question.

    Attributes:
        wrong: the most plausible first.
        rejection_reason: why it cannot be applied, in one sentence; "" if it can.
    """

    judgment_id: str
    question_id: str
    judge: str
    wrong: tuple[WrongOption, ...]
    rejection_reason: str


def newest_proposals(reading: FunnelInput, question: Question) -> list[Proposal]:
    """Return the newest proposal of each judge for the present form of a question, newest first."""
    found: dict[str, Proposal] = {}
    for judgment in reading.judgments.get((question.id, STEPS[DISTRACTORS].task), ()):
        if judgment.status is JudgmentStatus.OK and judgment.judge_id not in found:
            wrong = parse_wrong_options(judgment, len(question.wrong))
            name = reading.judge_snapshot(judgment.judge_id, judgment.judge).name
            found[judgment.judge_id] = Proposal(judgment.id, question.id, name, wrong, options_problem(question, wrong))
    return [*found.values()]


def options_problem(question: Question, wrong: Collection[WrongOption]) -> str:
    """Return why wrong options cannot replace those of a question, in a sentence; "" if they can."""
    if len(wrong) != len(question.wrong):
        return f"It proposes {len(wrong)} wrong options that can be read, and the question has {len(question.wrong)}."
    return draft_problem(replace(question, wrong=tuple(wrong)), len(question.wrong) + 1)


def questions_with_proposals(reading: FunnelInput, question_ids: Collection[str]) -> frozenset[str]:
    """Return those of some questions whose wrong options are all from a proposal of a judge."""
    said = reading.all_judgments(STEPS[DISTRACTORS].task)

    def texts(options: Iterable[WrongOption]) -> set[str]:
        return {option.text for option in options}

    return frozenset(
        key
        for key in question_ids
        for now in (reading.questions[key].wrong,)
        if any(texts(parse_wrong_options(judgment, len(now))) == texts(now) for judgment in said.get(key, ()))
    )


def parse_wrong_options(judgment: QuestionJudgment, count: int) -> tuple[WrongOption, ...]:
    """Return the wrong options in an answer, the most plausible first; what cannot be read is left out."""
    answer = parse_object(judgment.answer)
    found = []
    for number in range(1, count + 1):
        text, likely = answer.get(f"wrong_{number}"), answer.get(f"plausibility_{number}")
        if not isinstance(text, str) or not (plain := " ".join(text.split())) or len(plain) > _MAX_OPTION_CHARS:
            continue
        known = isinstance(likely, int) and not isinstance(likely, bool) and 0 <= likely <= MAX_PLAUSIBILITY
        found.append(WrongOption(plain, likely if known and isinstance(likely, int) else None))
    return tuple(
        sorted(found, key=lambda option: -1 if option.plausibility is None else option.plausibility, reverse=True)
    )


def apply_options(session: Session, question_id: str, state: str, wrong: Sequence[WrongOption]) -> Changes:
    """Replace wrong options of a question by proposed ones, all or some of them.

    Scores and verifications are of the earlier form: they do not count any more, and count again after an undo.
    """
    before = get_question(session, question_id)
    if before.checksum != state:
        raise UserError(
            "The question has changed since the judge proposed these options.", "Ask a judge for other wrong options."
        )
    if reason := options_problem(before, wrong):
        raise UserError(reason, "Keep some of its options.")
    return correct_question(session, question_id, QuestionCorrection(wrong=wrong))


def apply_newest_proposals(
    session: Session, reading: FunnelInput, question_ids: Sequence[str]
) -> tuple[Changes, dict[str, str]]:
    """Apply the newest usable proposal for each question, as one step of the history.

    Returns:
        What changed, and question -> why no proposal was applied, for those with proposals.
    """
    taken: dict[str, Proposal] = {}
    refused: dict[str, str] = {}
    for key in question_ids:
        found = newest_proposals(reading, reading.questions[key])
        usable = next((proposal for proposal in found if not proposal.rejection_reason), None)
        if usable is not None:
            taken[key] = usable
        elif found:
            refused[key] = f"{found[0].judge}: {found[0].rejection_reason}"
    if not taken:
        return Changes(), refused
    with session.step(f"Take over harder options of {pluralize(len(taken), 'question')}") as step:
        for key, proposal in taken.items():
            now = get_question(session, key)
            if now.checksum == reading.states[key]:
                update_question(session.study, replace(now, wrong=proposal.wrong))
    return step.changes, refused


@dataclass(frozen=True)
class FunnelStage:
    """One step of a funnel.

    Attributes:
        rule: of the study, for this step.
        outcomes: of the questions that reach the step, by id, in the order in which they were made.
        with_proposed_options: questions whose wrong options are from a proposal; only at the step `DISTRACTORS`.
    """

    step: FilterStep
    rule: FilterRule
    outcomes: Mapping[str, FilterOutcome]
    with_proposed_options: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        return self.step.key

    @property
    def entered(self) -> tuple[str, ...]:
        return (*self.outcomes,)

    @cached_property
    def kept(self) -> tuple[str, ...]:
        return (*self._reasons(FilterVerdict.KEPT),)

    @cached_property
    def dropped(self) -> dict[str, str]:
        """Question -> why it is dropped."""
        return self._reasons(FilterVerdict.DROPPED)

    @cached_property
    def undecided(self) -> dict[str, str]:
        """Question -> why it is undecided. It does not go on."""
        return self._reasons(FilterVerdict.OPEN)

    def _reasons(self, verdict: FilterVerdict) -> dict[str, str]:
        return {key: outcome.reason for key, outcome in self.outcomes.items() if outcome.verdict is verdict}

    def as_json(self) -> dict[str, Json]:
        return {
            "step": self.key,
            "name": self.step.name,
            "in": len(self.outcomes),
            "kept": len(self.kept),
            "fell": len(self.dropped),
            "open": len(self.undecided),
            "rule": dump(self.rule),
            "needs": self.step.needs.value,
            "taken_over": len(self.with_proposed_options),
            "fallen": {key: dump(self.outcomes[key]) for key in self.dropped},
            "waiting": {key: dump(self.outcomes[key]) for key in self.undecided},
        }


@dataclass(frozen=True)
class Funnel:
    """Steps in sequence; each gets the questions that the one before keeps."""

    steps: tuple[FunnelStage, ...]
    questions: tuple[str, ...]

    @property
    def survivors(self) -> tuple[str, ...]:
        return self.steps[-1].kept if self.steps else self.questions

    def stage(self, step: str) -> FunnelStage:
        return next(stage for stage in self.steps if stage.key == step)


def build_funnel(reading: FunnelInput, question_ids: Collection[str] = (), steps: Sequence[str] = ()) -> Funnel:
    """Compute the funnel from its input, in any thread; of all questions and all steps where none is named."""
    wanted_keys = {get_step(key).key for key in steps}
    chosen = [filter_step for key, filter_step in STEPS.items() if not wanted_keys or key in wanted_keys]
    included = {*question_ids}
    start = tuple(key for key in reading.questions if not included or key in included)
    stages: list[FunnelStage] = []
    reaching = start
    for step in chosen:
        outcomes = {key: question_outcome(reading, step, reading.questions[key]) for key in reaching}
        with_proposals = questions_with_proposals(reading, reaching) if step.key == DISTRACTORS else frozenset()
        stages.append(FunnelStage(step, reading.rules[step.key], outcomes, with_proposals))
        reaching = stages[-1].kept
    return Funnel(tuple(stages), start)


def deciding_steps(reading: FunnelInput) -> tuple[str, ...]:
    """Return the steps that decide which questions of a study go on."""
    return tuple(key for key in STEPS if reading.rules[key].decides)


def final_survivors(reading: FunnelInput) -> frozenset[str]:
    """Return the questions that all deciding steps keep; all questions if no step decides."""
    steps = deciding_steps(reading)
    return frozenset(build_funnel(reading, (), steps).survivors) if steps else frozenset(reading.questions)


def surviving_questions(session: Session) -> set[str]:
    """Return the questions that go on to verification and export.

    These are the questions that all deciding steps keep. If no step decides, as in a study that was never filtered and
    in an annotator's copy, these are all. A question that is undecided at such a step does not go on; it stays in the
    study.
    """
    if not has_deciding_step(session.study):
        return {str(row[0]) for row in question_rows(session.study)}
    mark = (revision_key(session.study), newest_judgment(session.study), session.annotator_name)
    kept = _SURVIVORS.get(session)
    if kept is None or kept[0] != mark:
        kept = _SURVIVORS[session] = (mark, final_survivors(read_funnel_input(session)))
    return {*kept[1]}


_SURVIVORS: WeakKeyDictionary[Session, tuple[object, frozenset[str]]] = WeakKeyDictionary()
"""Session -> state of the study and its survivors; cached because queues ask often."""


def format_rule(step: FilterStep, rule: FilterRule, names: Mapping[str, str], options: int) -> str:
    """Return the rule of a step as text, such as `at least 2, every judge`."""
    if step.needs is LimitSide.NO_LIMIT:
        return "drops none"
    if step.key == STABILITY:
        parts = [f"same in {rule.runs} runs"]
    else:
        unit = "" if not step.unit else step.unit if step.unit.startswith("%") else f" {step.unit}"
        parts = [f"{step.needs.value} {rule.limit}{' ' if unit.startswith('%') else ''}{unit}"]
    if step.max_runs > 1 and step.key != STABILITY:
        parts.append(f"{rule.runs} run{'s' if rule.runs > 1 else ''}")
    if step.task:
        parts.append("mean of judges" if rule.several is ScoreCombination.MEAN else "every judge")
    if rule.judges:
        parts.append(f"only {' and '.join(names.get(judge, 'a judge that has not answered') for judge in rule.judges)}")
    chance = drop_chance(step, rule, options)
    if chance is not None:
        parts.append(f"guessing alone drops {format_percent(chance, 0)}")
    if rule.decides:
        parts.append("decides")
    return ", ".join(parts)
