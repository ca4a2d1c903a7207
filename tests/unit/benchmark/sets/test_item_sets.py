"""Which segments become items, what is frozen of them, and what is said where a study has changed since."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotate.agreement.adjudication import AdjudicationRule, create_adjudicated_lane
from annotate.review.peer_review import review_segment
from annotate.segments.segment_edits import delete_segments, edit_segment
from annotate.study import people as participants
from annotate.team.assignments import hold_out
from annotate.transcript import transcript_edits as transcript
from benchmark.disclosure.conditions import may_send_words
from benchmark.items.candidates import CandidatePool
from benchmark.items.sampling import SamplingOptions, read_sampling_options
from benchmark.judge_input.input_plan import InputSettings
from benchmark.judge_input.input_planning import plan_input
from benchmark.sets.agreed_segments import segment_pool
from benchmark.sets.frozen_sets import draw_set, find_changed_items, make_set, set_sha256, store_set
from benchmark.sets.item_sources import read_pool
from benchmark.tasks.benchmark_task import SUITE
from project.entities.frozen_items import FrozenItem
from project.entities.study_records import Changes, FieldValue, Json, ParticipantRole, ReviewDecision
from project.errors import UserError
from project.queries.item_set_rows import all_sets, items_of
from project.queries.recording_rows import hold_outs
from project.queries.segment_rows import all_segments, segments_of, set_value
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_study import fill_whole_study
from tests.builders.marked_study import SECOND, WALK, mark, open_study
from tests.builders.training_round import open_round

TASKS = ("verdict", "attributes", "pre", "rationale")
GIVEN: dict[str, Json] = {"attributes": ["norms"], "rationale": "Rude."}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=2) as opened:
        yield opened


@pytest.fixture(scope="module")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    path = tmp_path_factory.mktemp("sets") / "invented.greenroom"
    with Study.create(path) as study:
        fill_whole_study(study, recordings=20, segments=500)
    with Session.open(path, "Annotator 1") as opened:
        # Only what the history knows lets something out.
        consents = opened.study.rows("SELECT * FROM consent")
        with opened.step("Write down who agreed"):
            opened.study.write("DELETE FROM consent", ())
            opened.study.write_many("INSERT INTO consent VALUES (?, ?, ?)", consents)
        yield opened


def both(session: Session, start: float, label: str = "error", other: str = "", **values: Json) -> tuple[str, str]:
    """Let Ada and Bo mark the same moment."""
    first = mark(session, "Ada", start, start + 4, label, **values)
    return first, mark(session, "Bo", start + 0.5, start + 4, other or label, **values)


def content(item: FrozenItem) -> Any:
    return item.content


def homes_of(items: Sequence[FrozenItem]) -> set[str]:
    """Return the recordings that items and their options are from."""
    return {home for item in items for home in (item.recording_id, *content(item).get("homes", []))}


def of_segments(session: Session, *include: str) -> CandidatePool:
    return segment_pool(session, SamplingOptions(include))


def candidates_of(session: Session, *include: str) -> list[str]:
    return [candidate.about for candidate in of_segments(session, *include).candidates]


def test_what_two_people_marked_and_agree_on_is_one_candidate(session: Session) -> None:
    ada, bo = both(session, 10, **GIVEN)
    assert candidates_of(session) == [ada]
    assert sum(of_segments(session).left_out.values()) == 1
    review_segment(session, bo, ReviewDecision.AGREE)
    assert candidates_of(session) == [bo]


def test_what_they_disagree_about_is_there_only_where_it_is_wished_or_somebody_gives_in(session: Session) -> None:
    _, bo = both(session, 10, "error", "competence")
    assert not of_segments(session).candidates
    assert of_segments(session).left_out == {"people disagree about it": 2}
    (candidate,) = of_segments(session, "disagreed").candidates
    assert candidate.content["traits"]["agreed"] is False
    review_segment(session, bo, ReviewDecision.AGREE)
    assert candidates_of(session) == [bo]


def test_what_one_person_marked_is_there_only_where_it_is_wished(session: Session) -> None:
    alone = mark(session, "Bo", 10, 12)
    assert of_segments(session).left_out == {"one person marked it, and nobody reviewed it": 1}
    assert candidates_of(session, "unreviewed") == [alone]
    review_segment(session, alone, ReviewDecision.AGREE)
    assert candidates_of(session, "unreviewed") == []
    assert candidates_of(session, "reviewed") == [alone]
    review_segment(session, alone, ReviewDecision.DISAGREE)
    assert of_segments(session, "reviewed", "unreviewed").left_out == {"people disagree about it": 1}


def test_what_counts_as_true_is_a_setting_of_the_set(session: Session) -> None:
    for who, attributes in {"Ada": ["emotions", "norms"], "Bo": ["engagement", "norms"], "Cy": ["engagement"]}.items():
        mark(session, who, 10, 14, attributes=attributes, rationale="Rude.")
    result, _ = create_adjudicated_lane(session, AdjudicationRule())
    (segment,) = [each for each in segments_of(session.study, WALK) if each.annotator_id == result.lane.id]
    with session.step("Settle"):
        set_value(session.study, FieldValue(segment.id, "shrec", 1, "attributes", ["engagement"]))
    for truth, expected in (
        ("annotator", ["emotions", "norms"]),
        ("majority", ["engagement", "norms"]),
        ("union", ["emotions", "engagement", "norms"]),
        ("intersection", []),
        ("adjudicated", ["engagement"]),
    ):
        options = SamplingOptions(truth=truth)
        (candidate,) = segment_pool(session, options).candidates
        assert candidate.content["values"].get("attributes", []) == expected, truth
        assert (candidate.about == segment.id) is (truth == "adjudicated")
        if expected:
            made, _ = make_set(session, "attributes", draws=1, options=replace(options, shares={"error": 1}))
            assert made.rule["truth"] == truth
            (item,) = items_of(session.study, made.id)
            assert item.content["truth"] == {"attributes": {"attributes": expected}}


def test_adjudicated_lanes_and_training_rounds_are_left_out(session: Session, tmp_path: Path) -> None:
    both(session, 10)
    create_adjudicated_lane(session, AdjudicationRule())
    assert of_segments(session).left_out["not by a person: adjudicated, or by a model"] == 1
    assert len(of_segments(session).candidates) == 1
    (tmp_path / "round").mkdir()
    with open_round(tmp_path / "round") as trained:
        first = trained.study.rows("SELECT recording_id FROM segment")[0][0]
        trained.annotator_name = "Ada"
        mark(trained, "Ada", 20, 23, recording=first)
        assert "made in a training round" in of_segments(trained, "unreviewed").left_out


def test_of_a_hold_out_there_is_nothing_unless_it_is_asked_for(session: Session) -> None:
    ada, _ = both(session, 10)
    hold_out(session, WALK)
    pool = of_segments(session)
    assert (pool.candidates, pool.gaps) == ((), ())
    assert pool.left_out == {"in a recording that is held out": 2}
    assert candidates_of(session, "hold-out") == [ada]


def test_every_segment_is_a_candidate_or_counted_and_no_source_is_held_out(invented: Session) -> None:
    places = [(segment.scheme, segment.track) for segment in all_segments(invented.study)]
    for include in ((), ("disagreed",), ("disagreed", "reviewed", "unreviewed", "hold-out")):
        pool = of_segments(invented, *include)
        assert len(pool.candidates) + sum(pool.left_out.values()) == places.count(("shrec", "segments"))
    kept_back = hold_outs(invented.study)
    for source in ("chain questions", "written questions", "esi questions", "ratings", "statements"):
        pool = read_pool(invented, source, SamplingOptions())
        assert not {candidate.recording_id for candidate in pool.candidates} & kept_back, source


@pytest.mark.parametrize("task", TASKS)
def test_a_set_is_the_same_for_the_same_seed_and_holds_nothing_of_a_hold_out(invented: Session, task: str) -> None:
    entry = SUITE.make(task)
    first, items = draw_set(invented, entry, 5, 2, 30, SamplingOptions())
    second, again = draw_set(invented, entry, 5, 2, 30, SamplingOptions())
    assert first.sha256 == second.sha256
    assert [item.content for item in items] == [item.content for item in again]
    assert first.sha256 == set_sha256(task, 5, 2, first.rule, items)
    assert draw_set(invented, entry, 6, 2, 30, SamplingOptions())[0].sha256 != first.sha256
    assert hold_outs(invented.study)
    assert not homes_of(items) & hold_outs(invented.study)
    if task in ("pre", "rationale"):
        assert not [item for item in items if {"values", "words"} & {*content(item)}], (
            "only the answer tells the answer"
        )
    assert Counter(item.draw for item in items) == {0: 30, 1: 30}
    assert len({item.id for item in items}) == len(items)


def test_a_set_is_stored_and_found_again_where_it_is_the_same_and_what_cannot_be_made_is_said(
    session: Session,
) -> None:
    for at in range(4):
        both(session, 20 * at, ("error", "competence")[at % 2], **GIVEN)
    made, changes = make_set(session, "verdict", draws=1, size=6)
    assert made.name == "verdict"
    assert changes.ids("item_set") == {made.id}
    assert len(items_of(session.study, made.id)) == len(changes.ids("item")) == 4
    assert make_set(session, "verdict", draws=1, size=6) == (made, Changes())
    assert make_set(session, "verdict", seed=1, draws=1, size=6)[0].name == "verdict-2"
    assert make_set(session, "verdict", "mine", draws=1, size=6)[0].name == "mine"
    assert read_sampling_options(made.rule) == SamplingOptions(scheme="shrec", track="segments")
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"task": "verdicts"}, "no benchmark task “verdicts”"),
        ({"task": "verdict", "name": "mine"}, "“mine” already"),
        ({"task": "verdict", "draws": 0}, "1 to 1000 draws"),
        ({"task": "verdict", "options": SamplingOptions(scheme="mine")}, "“mine” is not in this study"),
        ({"task": "verdict", "options": SamplingOptions(conditions=("blur",))}, "rendered by “blur”"),
        ({"task": "rationale"}, "nothing that “Rationale” can be asked about"),
        ({"task": "r3vqa"}, "no verified question of this sort"),
    ]
    for arguments, message in refusals:
        with pytest.raises(UserError, match=f"(?i){message}"):
            make_set(session, **arguments)
    assert len(all_sets(session.study)) == 3


def test_a_set_knows_what_has_changed_since(session: Session) -> None:
    robot, _ = participants.add_participant(session, "Robi", ParticipantRole.ROBOT, WALK)
    said, _ = transcript.add_utterance(session, WALK, 20 * SECOND, 22 * SECOND, "Next.", robot)
    marked = [both(session, 20 * at, ("error", "competence")[at % 2], **GIVEN)[0] for at in range(6)]
    alike = SamplingOptions(shares={"error": 1, "competence": 1, "none": 1})
    made, _ = make_set(session, "verdict", draws=1, size=9, options=alike)
    items = items_of(session.study, made.id)
    by_about = {item.about: item.id for item in items}
    stretch = next(item for item in items if not item.about)
    assert find_changed_items(session, made) == ()
    session.annotator_name = "Ada"
    edit_segment(session, marked[2], values={"rationale": "Very rude."})
    assert find_changed_items(session, made) == (by_about[marked[2]],)
    delete_segments(session, [marked[3]])
    assert {*find_changed_items(session, made)} == {by_about[marked[2]], by_about[marked[3]]}
    before = {*find_changed_items(session, made)}
    transcript.edit_text(session, said, "Something else.")
    assert by_about[marked[1]] in {*find_changed_items(session, made)} - before
    mark(session, "Cleo", stretch.start_us / SECOND, stretch.end_us / SECOND, "none")
    assert stretch.id in find_changed_items(session, made)
    hold_out(session, WALK)
    assert len(find_changed_items(session, made)) == len(items)


def test_options_call_people_by_their_roles(session: Session) -> None:
    participants.add_participant(session, "P07", ParticipantRole.USER, WALK)
    both(session, 10, rationale="It does not let P07 finish.")
    (candidate,) = of_segments(session).candidates
    assert candidate.content["values"]["rationale"] == "It does not let User finish."


@pytest.mark.parametrize("task", ["pre", "rationale"])
def test_items_with_options_are_told_and_have_examples_of_other_recordings(invented: Session, task: str) -> None:
    made, _ = make_set(invented, task, f"told {task}", draws=1, size=5)
    item = items_of(invented.study, made.id)[0]
    plain = plan_input(invented, f"item/{item.id}", task, settings=InputSettings(frames=0))
    assert plain.truth == content(item)["truth"][task]
    for letter, text in zip("ABCDE", content(item)["options"], strict=True):
        assert f"{letter} = {text}" in plain.text
    assert ("What is said is not told." in plain.notes) is (task == "pre")
    shown = plan_input(invented, f"item/{item.id}", task, "few-shot", settings=InputSettings(frames=0))
    assert shown.text.count("Example:") == 3
    assert item.recording_id not in shown.other_recordings
    assert {*content(item)["homes"]} <= {*shown.other_recordings}


def test_of_the_unwilling_nothing_is_drawn_where_that_is_wished(invented: Session) -> None:
    _, usual = draw_set(invented, SUITE.make("rationale"), 0, 1, 20, SamplingOptions())
    _, items = draw_set(invented, SUITE.make("rationale"), 0, 1, 20, SamplingOptions(willing=True))
    assert homes_of(items)
    assert all(may_send_words(invented, home) for home in homes_of(items))
    assert not all(may_send_words(invented, home) for home in homes_of(usual))


def test_a_set_that_was_drawn_elsewhere_is_stored_unless_a_recording_was_held_out_since(session: Session) -> None:
    for at in range(3):
        both(session, 20 * at)
        both(session, 20 * at + 10, "competence")
    with Session.open(session.study.path, "Ada", read_only=True) as second:
        made, items = draw_set(second, SUITE.make("error"), 0, 1, 6, SamplingOptions())
    hold_out(session, WALK)
    with pytest.raises(UserError, match="held out during"):
        store_set(session, made, items)
    assert all_sets(session.study) == []
    session.study.undo()
    stored, changes = store_set(session, made, items)
    assert items_of(session.study, stored.id) == items
    assert changes
    assert store_set(session, made, items) == (stored, Changes())
