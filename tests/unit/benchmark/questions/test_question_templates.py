"""Questions by rules: what is asked, and that no option is the answer again, however it is written."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
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
from benchmark.questions.question_validity import (
    MAX_OPTION_CHARS,
    MAX_PATHS,
    QuestionDraft,
    QuestionSpec,
    balance_positions,
    draft_problem,
    find_paths,
    find_required_question,
    normalize_option,
    required_questions,
)
from project.entities.causal_chains import ChainGraph, NodeKind
from project.entities.questions import CHAIN_QUESTION_KINDS, QuestionKind, WrongOption
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


def scattered(texts: Sequence[str]) -> list[ChainGraph]:
    """Return a chain of one node in a recording of its own for each text."""
    return [drawn({f"n{at}": text}, chain=f"c{at}", recording=f"r{at}") for at, text in enumerate(texts)]


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
    first, again, other = (made(graphs, maker=rules(graphs, seed=seed)) for seed in (1, 1, 2))
    assert first == again != other
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
    texts = {"a": "Al alters a window", "b": "Sam drops a plate", "c": "Al hums a song"}
    texts |= {"d": "Sam feeds the cat", "e": "Sam locks the bicycle"}
    home = drawn(texts, people={node: ["r" if "Al" in text else "s"] for node, text in texts.items()})
    draft = only_event(home, [], rules([home], {"r": {"r": "Al", "s": "Sam"}}))
    assert "Al" in draft.text
    assert draft.answer == "Al alters a window", "a name inside of a word stays"
    deeds = ("drops a plate", "hums a song", "feeds the cat", "locks the bicycle")
    assert {option.text for option in draft.wrong} == {f"Al {deed}" for deed in deeds}


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


@given(st.lists(st.text("aäbB 你-'", max_size=30), min_size=1, max_size=20), st.lists(st.text("abc 你", max_size=20)))
def test_texts_are_as_similar_as_scikit_learn_says(known: list[str], asked: list[str]) -> None:
    assume(any(text.strip() for text in known))
    ours, texts = Similarity(known), [*known, *asked]
    theirs = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), sublinear_tf=True, dtype=np.float32).fit(known)
    np.testing.assert_array_equal(ours.vectors(texts).toarray(), theirs.transform(texts).toarray())


def draft(answer: str = "She waves", *wrong: str, text: str = "What happens?") -> QuestionDraft:
    options = wrong or ("He leaves", "They sing", "A door shuts", "It rains")
    return QuestionDraft(QuestionKind.EVENT, "", ("n",), text, answer, tuple(WrongOption(option) for option in options))


def test_what_changes_the_meaning_makes_another_option_and_other_writing_none() -> None:
    assert draft_problem(draft()) == ""
    twice = draft("She waves", "It rains", "it rains!", "They sing", "A door shuts")
    assert draft_problem(twice).startswith("Two wrong")
    near = ("Ada is not angry with Ben", "Ben is angry with Ada", "Ada is angry with Cleo", "Ada was angry with Ben")
    assert draft_problem(draft("Ada is angry with Ben", *near)) == ""
    assert draft_problem(draft("?", "!", "…", "😀", "😢")) == ""
    for again in ("She-WAVES!", WIDE, "She wa\u200bves", "Sh\u00e9 w\u00e0ves", "The she wave"):
        assert draft_problem(draft("She waves", again, "They sing", "A door shuts", "It rains")), again


WIDE = "".join(chr(ord(sign) + 0xFEE0) if sign != " " else sign for sign in "She waves")
CHANGES: list[Callable[[str], str]] = [str.upper, str.lower, str.title, "{}.".format, " {} ".format]


def test_too_few_too_many_empty_and_endless_are_refused() -> None:
    assert "4 options" in draft_problem(draft("She waves", "He leaves", "They sing", "A door shuts"))
    assert draft_problem(draft("She waves", "He leaves", "They sing", "A door shuts"), options=4) == ""
    assert "6 options" in draft_problem(draft("a", "b", "c", "d", "e", "f"))
    for nothing in ("", "  ", "\u200b", "\x00"):
        assert draft_problem(draft(nothing))
        assert draft_problem(draft(text=nothing))
    assert draft_problem(draft("x" * (MAX_OPTION_CHARS + 1)))
    assert draft_problem(draft("half \ud800 a sign"))


@given(st.text(min_size=1, max_size=20), st.sampled_from(CHANGES))
def test_the_answer_in_other_marks_and_case_never_passes(answer: str, changed: Callable[[str], str]) -> None:
    question_draft = draft(answer, changed(answer), "one", "two", "three")
    if normalize_option(changed(answer)) == normalize_option(answer):
        assert draft_problem(question_draft)
    assert draft_problem(replace(question_draft, wrong=(WrongOption(answer), *question_draft.wrong[1:])))


HOUSE = drawn(
    {"a": "rain", "b": "a wet floor", "c": "a fall", "d": "shame", "e": "a laugh", "f": "anger"},
    "a>b b>c c>d e>d d>f",
    kinds={"d": NodeKind.EMOTION, "f": NodeKind.EMOTION},
)


def line(nodes: int) -> ChainGraph:
    return drawn([f"step {at}" for at in range(nodes)], " ".join(f"c{at}>c{at + 1}" for at in range(nodes - 1)))


def test_each_node_and_each_subchain_has_its_questions() -> None:
    wanted = required_questions(HOUSE)
    assert Counter(spec.kind.value for spec in wanted) == {"EU": 4, "MSE": 2, "CW": 4, "CH/W": 4}
    assert {spec.aspect for spec in wanted if spec.kind is QuestionKind.STATE} == {"emotion"}
    (shame,) = [spec for spec in wanted if spec.kind is QuestionKind.WHY and spec.covers[0] == "d"]
    assert shame.covers == ("d", "c", "e")
    assert required_questions(drawn({}), CHAIN_QUESTION_KINDS) == []
    of_one_node = required_questions(drawn({"a": "rain"}), CHAIN_QUESTION_KINDS)
    assert [spec.kind for spec in of_one_node] == [QuestionKind.EVENT]
    wanted = required_questions(HOUSE, CHAIN_QUESTION_KINDS)
    assert [find_required_question(HOUSE, spec.part) for spec in wanted] == wanted
    assert len({spec.part for spec in wanted}) == len(wanted)
    for nothing in ("", "EU:", "EU:z", "CW:a", "multi-step:start:a>b", "XX:a", "multi-step"):
        assert find_required_question(HOUSE, nothing) is None


def test_paths_are_the_longest_between_their_ends_and_have_an_end() -> None:
    short_cut = drawn({"a": "rain", "b": "a wet floor", "c": "a fall", "d": "shame"}, "a>b b>c a>c c>d")
    assert find_paths(short_cut) == [("a", "b", "c", "d"), ("a", "b", "c"), ("b", "c", "d")]
    assert find_paths(drawn({"a": "rain", "b": "a wet floor"}, "a>b")) == []
    assert len(find_paths(line(30))) == MAX_PATHS
    assert len(find_paths(line(30))[0]) == 30
    for nodes, paths in ((1, 0), (3, 1), (11, 45)):
        assert len(find_paths(line(nodes))) == paths
        assert len(required_questions(line(nodes), [QuestionKind.STEPS])) == 3 * paths


@given(st.integers(0, 60), st.integers(2, 8), st.integers(0, 5))
def test_places_are_balanced(count: int, options: int, seed: int) -> None:
    places = balance_positions(count, options, seed)
    times = Counter(places)
    assert len(places) == count
    assert {*places} <= {*range(options)}
    assert max(times.values(), default=0) - min(times[at] for at in range(options)) <= 1
    assert places == balance_positions(count, options, seed)
    many = balance_positions(100, 5, 1)
    assert many not in (sorted(many), balance_positions(100, 5, 2), [at % 5 for at in range(100)])
