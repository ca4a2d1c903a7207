"""What decides an answer makes another request; what does not, makes none."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from annotate.transcript.transcript_edits import add_utterance
from benchmark.judge_input.input_plan import InputPlan, InputSettings, PlannedFrame, PlannedMedia, request_key
from benchmark.judging.ask_job import prepare
from benchmark.judging.ask_run import AskRequest
from benchmark.prompts.answer_form import AnswerField, FormSpec
from models.judges.judge_interface import SamplingParameters
from project.entities.judgments import JudgeEntry
from project.entities.study_records import Json
from project.schemes.scheme import Field, FieldChoice, FieldKind
from project.session.session import Session
from tests.builders.marked_study import WALK, mark

SETTINGS: dict[str, Json] = {"url": "http://127.0.0.1:9/v1", "sees": "text"}


def form(*labels: str) -> FormSpec:
    choices = tuple(FieldChoice(label, label.capitalize(), "d", 0) for label in labels)
    return FormSpec(
        "verdict", (AnswerField(Field("label", FieldKind.CHOICE, "Label", choices=choices), required=True),)
    )


MEDIA = PlannedMedia(Path("a.mp4"), "f1", 0, (PlannedFrame(3, 120_000, "0.1 s"),), None, 320, 240, 85)
PLAN = InputPlan(
    "r", "s", 0, 1_000_000, "verdict", "plain", "raw", "verdict@1", "system", "text", MEDIA, form("a", "b")
)
SAMPLING = SamplingParameters(0.5, 7, 64)


def media(**changed: Any) -> InputPlan:
    return replace(PLAN, media=replace(MEDIA, **changed))


def plan(**changed: Any) -> InputPlan:
    return replace(PLAN, **changed)


def frame(position: int, time_us: int, label: str) -> tuple[PlannedFrame, ...]:
    return (PlannedFrame(position, time_us, label),)


def test_whatever_decides_an_answer_makes_another_key() -> None:
    plans = [
        *(PLAN, plan(system="systen"), plan(text="text "), plan(prompt="verdict@2"), plan(variant="cot")),
        *(plan(media=None), plan(form=form("a", "c")), plan(form=form("b", "a"))),
        *(media(fingerprint="f2"), media(quality=84), media(width=321), media(height=241)),
        *(media(frames=()), media(frames=MEDIA.frames * 2), media(frames=frame(4, 120_000, "0.1 s"))),
        *(media(frames=frame(3, 120_001, "0.1 s")), media(frames=frame(3, 120_000, ""))),
        *(media(frames=(), clip=(0, 1_000_000)), media(frames=(), clip=(0, 1_000_001))),
    ]
    keys = [request_key(other, "judge", SAMPLING) for other in plans]
    for sampling in (SamplingParameters(0.4, 7, 64), SamplingParameters(0.5, 8, 64), SamplingParameters(0.5, 7, 65)):
        keys.append(request_key(PLAN, "judge", sampling))
    keys += [request_key(PLAN, "judge 2", SAMPLING), request_key(PLAN, "judge", SAMPLING, ["item"])]
    assert len(set(keys)) == len(keys)


def test_what_decides_nothing_makes_no_other_key() -> None:
    plans = [
        *(PLAN, media(path=Path("elsewhere/b.mp4")), plan(recording_id="other"), plan(about="other")),
        *(plan(notes=("n",)), plan(truth={"label": "a"}), plan(start_us=1), plan(condition="run-1")),
    ]
    assert len({request_key(other, "judge", SAMPLING) for other in plans}) == 1
    whole, exact = (request_key(PLAN, "judge", SamplingParameters(number, 7, 64)) for number in (1, 1.0))
    assert whole == exact


@given(st.text(), st.text(), st.text(), st.text())
def test_texts_are_not_mixed_up(system: str, text: str, other_system: str, other_text: str) -> None:
    keys = [
        request_key(plan(system=each_system, text=each_text), "judge", SAMPLING)
        for each_system, each_text in ((system, text), (other_system, other_text))
    ]
    assert (keys[0] == keys[1]) == ((system, text) == (other_system, other_text))


def key_of(
    session: Session, segment: str, *, name: str = "one", model: str = "m", task: str = "verdict",
    sight: InputSettings | None = None, seed: int = 0, settings: Mapping[str, Json] | None = None,
) -> str:  # fmt: skip
    entry = JudgeEntry(f"id of {name}", name, "openai", model, {**SETTINGS, **(settings or {})})
    work = prepare(session, AskRequest([entry], [segment], task, seed=seed, sight=sight or InputSettings())).job
    (item,) = work.parameters.items
    return item.request_key


def test_of_a_judge_only_what_changes_its_answers_counts(session: Session) -> None:
    segment = mark(session, "Ada", 10, 20)
    key = key_of(session, segment)
    for beside in (
        {"concurrency": 9, "per_minute": 3, "price_in": 5.0, "price_out": 1, "currency": "EUR"},
        {"tries": 2, "patience_s": 9.0, "timeout_s": 9.0, "frames": 3},
        dict(reversed(SETTINGS.items())),
    ):
        assert key_of(session, segment, settings=beside) == key
    assert key_of(session, segment, name="another") == key
    others = [key_of(session, segment, **counts) for counts in ({"model": "n"}, {"seed": 1}, {"task": "error"})]
    for counts in ({"temperature": 0.1}, {"max_tokens": 99}, {"url": "http://127.0.0.1:8/v1"}):
        others.append(key_of(session, segment, settings=counts))
    assert len({key, *others}) == len(others) + 1


def test_of_a_segment_whatever_is_told_of_it_counts(session: Session) -> None:
    segment = mark(session, "Ada", 10, 20)
    keys = [key_of(session, segment)]
    add_utterance(session, WALK, 9_000_000, 9_500_000, "Before.", None)
    keys += [key_of(session, segment), key_of(session, segment, sight=InputSettings(before=0))]
    add_utterance(session, WALK, 12_000_000, 13_000_000, "In it.", None)
    keys.append(key_of(session, segment))
    assert len({keys[0], keys[1], keys[3]}) == 3
    longer = mark(session, "Ada", 10, 21)
    assert key_of(session, longer) != keys[-1]
    same = mark(session, "Bo", 10, 20)
    assert key_of(session, same) == keys[-1]
