"""Questions by rules: what their wrong options are, and are never."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmark.questions.question_templates import (
    EMPTY_NODE,
    TOO_FEW_OPTIONS,
    RecordingContext,
    RuleQuestionGenerator,
    Similarity,
)
from benchmark.questions.question_validity import QuestionDraft, QuestionSpec, normalize_option, required_questions
from project.entities.causal_chains import ChainGraph, NodeKind
from project.entities.questions import CHAIN_QUESTION_KINDS, QuestionKind
from tests.builders.drawn_questions import drawn, rules

EVENTS = ("opens a window", "drops a plate", "hums a song", "feeds the cat", "locks the bicycle", "writes a letter")


def made(
    graphs: Sequence[ChainGraph],
    kinds: Sequence[QuestionKind] = CHAIN_QUESTION_KINDS,
    maker: RuleQuestionGenerator | None = None,
) -> list[tuple[QuestionSpec, QuestionDraft | str]]:
    wanted = [(graph, spec) for graph in graphs for spec in required_questions(graph, kinds)]
    return [(spec, draft) for _, spec, draft in (maker or rules(graphs)).drafts(wanted)]


def only_event(
    graph: ChainGraph, others: Sequence[ChainGraph], maker: RuleQuestionGenerator | None = None
) -> QuestionDraft:
    wanted = [(graph, required_questions(graph, [QuestionKind.EVENT])[0])]
    ((_, _, draft),) = (maker or rules([graph, *others])).drafts(wanted)
    assert isinstance(draft, QuestionDraft), draft
    return draft


def sources(draft: QuestionDraft) -> set[str]:
    return {option.source for option in draft.wrong}


PAIRS = [("calls a taxi", "misses a train"), ("finds a coin", "buys an ice"), ("cuts a finger", "asks for help")]
PAIRS += [("loses a bet", "paints a fence"), ("hears thunder", "runs home")]


def scattered(texts: Sequence[str], kind: NodeKind = NodeKind.EVENT) -> list[ChainGraph]:
    """Return a chain of one node in a recording of its own for each text."""
    return [
        drawn({f"n{at}": text}, chain=f"c{at}", recording=f"r{at}", kinds={f"n{at}": kind})
        for at, text in enumerate(texts)
    ]


def test_wrong_options_are_other_nodes_of_the_kind_and_say_where_they_are_from() -> None:
    graphs = scattered(EVENTS)
    feelings = [drawn({"f": "is ashamed"}, chain="f", recording="f", kinds={"f": NodeKind.EMOTION})]
    draft = only_event(graphs[0], [*graphs[1:], *feelings])
    texts = {f"n{at}": text for at, text in enumerate(EVENTS)}
    assert len(draft.wrong) == 4
    for option in draft.wrong:
        assert normalize_option(option.text) == normalize_option(texts[option.source])
        assert option.source != "n0"
    assert draft.answer == "Opens a window"
    assert "0.0 s and 1.0 s" in draft.text


def test_the_likeliest_mistakes_come_first_and_paraphrases_never() -> None:
    shorter = ("drops the hat", "drops the tea", "drops a red hat", "hides the hat")
    near = (*shorter, "drops the blue lamp", "drops the red spoon", "hides the red teapot", "drops the heavy stone")
    far = ("waits", "hums a song", "sings", "sleeps", "reads")
    same = ("The red cup drops", "drops a red cup", "DROPS THE RED CUP!", "drops the red cup in the hall")
    graphs = scattered(["drops the red cup", *same, *near, *far])
    wrong = {normalize_option(option.text) for option in only_event(graphs[0], graphs[1:]).wrong}
    assert wrong.isdisjoint(map(normalize_option, same))
    assert len(wrong & {*map(normalize_option, near)}) >= 3


def test_what_happens_at_the_same_time_is_not_offered_and_what_happens_later_is() -> None:
    home = drawn(
        {"a": "opens a window", "b": "drops a plate", "c": "hums a song"},
        recording="r",
        spans={"a": (0, 5), "b": (4, 6), "c": (8, 9)},
    )
    others = scattered(["feeds the cat", "locks the bicycle", "writes a letter"])
    assert sources(only_event(home, others)) == {"c", "n0", "n1", "n2"}
    home = drawn({"a": "opens a window", "b": "drops a plate"}, recording="r", spans={"a": (0, 5), "b": (4, 6)})
    others = scattered(["drops the plate loudly", *EVENTS[2:]])
    assert "n0" not in sources(only_event(home, others))


def test_nothing_of_the_chain_is_offered_where_it_is_asked_why() -> None:
    home = drawn({f"h{at}": text for at, text in enumerate(EVENTS)}, "h0>h1 h1>h2 h3>h4 h4>h5", chain="home")
    others = [
        drawn({f"{at}a": reason, f"{at}b": result}, f"{at}a>{at}b", chain=f"o{at}", recording=f"o{at}")
        for at, (reason, result) in enumerate(PAIRS)
    ]
    drafts = [
        draft
        for wanted, draft in made([home, *others], [QuestionKind.WHY, QuestionKind.HOW])
        if isinstance(draft, QuestionDraft) and wanted.covers[0].startswith("h")
    ]
    assert len(drafts) == 8
    assert not [source for draft in drafts for source in sources(draft) if source.startswith("h")]


def test_people_of_other_recordings_become_those_of_this_one() -> None:
    graphs = []
    for at, text in enumerate(EVENTS):
        people = {f"n{at}": [f"p{at}"]}
        graphs.append(drawn({f"n{at}": f"P{at} {text} beside P9"}, chain=f"c{at}", recording=f"r{at}", people=people))
    names = {f"r{at}": {f"p{at}": f"P{at}", "p9": "P9"} for at in range(len(EVENTS))}
    names["r0"] = {"p0": "P0", "p8": "P8"}
    maker = rules(graphs, names)
    draft = only_event(graphs[0], graphs[1:], maker)
    assert {option.text.split()[0] for option in draft.wrong} == {"P0"}
    assert "P0" in draft.text
    assert not any(f"P{at}" in option.text for option in draft.wrong for at in range(1, 6))


def test_what_others_do_in_the_same_recording_is_told_of_whom_the_question_asks() -> None:
    texts = {"a": "Robin opens a window", "b": "Sam drops a plate", "c": "Robin hums a song"}
    texts |= {"d": "Sam feeds the cat", "e": "Sam locks the bicycle"}
    people = {node: ["r" if "Robin" in text else "s"] for node, text in texts.items()}
    home = drawn(texts, people=people)
    draft = only_event(home, [], rules([home], {"r": {"r": "Robin", "s": "Sam"}}))
    assert "Robin" in draft.text
    deeds = ("drops a plate", "hums a song", "feeds the cat", "locks the bicycle")
    assert {option.text for option in draft.wrong} == {f"Robin {deed}" for deed in deeds}


def test_a_name_inside_a_word_stays() -> None:
    graphs = scattered(["Al alters a plan", *EVENTS[1:]])
    maker = rules(graphs, {"r0": {"p": "Al"}, "r1": {"q": "Bo"}})
    assert only_event(graphs[0], graphs[1:], maker).answer == "Al alters a plan"


def test_texts_that_may_not_go_as_far_as_the_question_are_not_used() -> None:
    graphs = scattered([*EVENTS, "paints a fence"])
    scenes = {
        f"r{at}": RecordingContext({f"c{at}": 0}, {}, frozenset({"leaves"} if at != 3 else ())) for at in range(7)
    }
    free, shut = (only_event(graphs[at], [], RuleQuestionGenerator(graphs, graphs, scenes, ())) for at in (0, 3))
    assert "n3" not in sources(free)
    assert len(shut.wrong) == 4


def test_too_few_is_said_and_nothing_is_padded() -> None:
    for texts in (["x"] * 9, list("aaaab"), EVENTS[:4], ["opens a window"] * 3):
        for _, draft in made(scattered(texts), [QuestionKind.EVENT]):
            assert draft == TOO_FEW_OPTIONS
    assert made([drawn({})]) == []


def test_a_node_without_text_is_asked_about_nowhere_and_offered_nowhere() -> None:
    home = drawn({"a": "opens a window", "b": " ", "c": "hums a song"}, "a>b c>b", chain="home")
    others = []
    for at, (reason, result) in enumerate(PAIRS):
        texts = {f"{at}a": reason, f"{at}b": result, f"{at}c": ""}
        others.append(drawn(texts, f"{at}a>{at}b {at}c>{at}b", chain=f"o{at}", recording=f"o{at}"))
    offered: set[str] = set()
    for wanted, draft in made([home, *others]):
        if any(node == "b" or (node.endswith("c") and node != "c") for node in wanted.covers):
            assert draft == EMPTY_NODE
        elif isinstance(draft, QuestionDraft):
            offered |= sources(draft)
    assert offered
    assert {source[-1] for source in offered - {"c"}} <= {*"ab"}


def test_the_same_seed_words_alike_and_another_one_otherwise() -> None:
    graphs = scattered(EVENTS)
    first, again, other = (made(graphs, maker=rules(graphs, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_multi_step_questions_ask_for_start_end_and_between() -> None:
    deeds = ["opens", "breaks", "hides", "sells", "paints", "burns", "loses", "mends"]
    things = ["box", "lamp", "hat"]
    graphs = []
    for at, deed in enumerate(deeds):
        texts = {f"{at}{n}": f"{deed} {thing}" for n, thing in enumerate(things)}
        graphs.append(drawn(texts, f"{at}0>{at}1 {at}1>{at}2", chain=f"c{at}", recording=f"r{at}"))
    drafts = [pair for pair in made(graphs, [QuestionKind.STEPS]) if isinstance(pair[1], QuestionDraft)]
    for wanted, draft in drafts:
        chain = graphs[int(wanted.covers[0][0])]
        at = {"start": 0, "between": 1, "end": 2}[wanted.aspect]
        assert normalize_option(draft.answer) == normalize_option(chain.nodes_by_id[wanted.covers[at]].text)
    assert {wanted.aspect for wanted, _ in drafts} == {"start", "between", "end"}


WORD = st.sampled_from(
    ["a", "A", "a.", "x", "Ada", "ADA ", "waves", "waves!", "wave", "the", "", "é", "?", "opens a box"]
)
TEXTS = st.lists(st.lists(WORD, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=9)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS, st.integers(0, 3), st.booleans())
def test_a_wrong_option_that_equals_the_answer_or_another_is_impossible(
    texts: list[str], seed: int, one_recording: bool
) -> None:
    graphs = []
    for at, text in enumerate(texts):
        nodes, home = {f"{at}a": text, f"{at}b": texts[-1 - at]}, "r" if one_recording else f"r{at}"
        graphs.append(drawn(nodes, f"{at}a>{at}b", chain=f"c{at}", recording=home, people={f"{at}a": ["p"]}))
    names = {graph.chain.recording_id: {"p": "Ada" if at % 2 else "x"} for at, graph in enumerate(graphs)}
    for _, draft in made(graphs, maker=rules(graphs, names, seed)):
        if isinstance(draft, QuestionDraft):
            options = [normalize_option(text) for text in (draft.answer, *(option.text for option in draft.wrong))]
            assert len(options) == len({*options}) == 5
            assert all(options)


@pytest.mark.parametrize("kind", [*NodeKind])
def test_every_kind_of_node_is_asked_about(kind: NodeKind) -> None:
    graphs = scattered([f"{text} today" for text in EVENTS], kind)
    drafts = [draft for _, draft in made(graphs, [QuestionKind.EVENT, QuestionKind.STATE])]
    assert len(drafts) == len(EVENTS)
    for draft in drafts:
        assert isinstance(draft, QuestionDraft)
        assert "{" not in draft.text
        assert draft.aspect == ("" if kind is NodeKind.EVENT else kind.value)


@given(st.lists(st.text("aäbB 你-'", max_size=30), min_size=1, max_size=20), st.lists(st.text("abc 你", max_size=20)))
def test_texts_are_as_similar_as_scikit_learn_says(known: list[str], asked: list[str]) -> None:
    assume(any(text.strip() for text in known))
    ours, texts = Similarity(known), [*known, *asked]
    theirs = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), sublinear_tf=True, dtype=np.float32).fit(known)
    np.testing.assert_array_equal(ours.vectors(texts).toarray(), theirs.transform(texts).toarray())


def test_a_text_without_a_word_is_similar_to_none() -> None:
    for known in ([], [""], [" "], ["word"]):
        similarity = Similarity(known)
        assert (similarity.cosines(similarity.vectors([" ", "x"]), similarity.vectors(["word", ""])) == 0).all()
