from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from project.entities.study_records import Segment, Utterance
from project.schemes.scheme import clip_to_utterance, segment_problems
from project.schemes.scheme_file import load_scheme

CUE = Segment("s", "r", "a", "smile", 10, 20, "cues", "expression")
FILLED = {"participant": "p", "description": "Smiles."}


def said(start_us: int, end_us: int) -> Utterance:
    return Utterance(f"{start_us}", "r", start_us, end_us, "Hm.")


def test_what_is_missing_is_named() -> None:
    segment = Segment("s", "r", "a", "error", 0, 5)
    assert segment_problems(load_scheme(), segment, {"attributes": ["norms"], "rationale": "x"}, 100) == (
        "Channel is missing.",
        "Correction is missing.",
    )


def test_a_value_that_the_scheme_has_no_place_for_does_not_count() -> None:
    segment = Segment("s", "r", "a", "competence", 0, 5)
    values = {"attributes": ["gone"], "channel": "verbal", "rationale": "x"}
    assert segment_problems(load_scheme(), segment, values, 100) == ("Attributes is missing.",)


def test_a_cue_lies_inside_an_utterance() -> None:
    scheme = load_scheme("cues")
    assert segment_problems(scheme, CUE, FILLED, 100, [said(5, 20)]) == ()
    assert segment_problems(scheme, CUE, FILLED, 100, [said(5, 15), said(15, 30)]) == (
        "It does not lie inside one utterance.",
    )
    assert "no transcript" in segment_problems(scheme, CUE, FILLED, 100)[0]


def test_a_label_or_a_track_that_is_gone_is_a_problem() -> None:
    scheme = load_scheme("cues")
    assert "label “grin”" in segment_problems(scheme, replace(CUE, label="grin"), FILLED, 100, [said(0, 50)])[0]
    assert "track “face”" in segment_problems(scheme, replace(CUE, track="face"), FILLED, 100)[0]


@given(st.integers(0, 50), st.integers(1, 20), st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=6))
def test_a_span_is_cut_to_one_utterance_that_it_touches(start: int, length: int, spoken: list[tuple[int, int]]) -> None:
    utterances = [said(a, a + n) for a, n in spoken]
    end = start + length
    found = clip_to_utterance(start, end, utterances)
    touched = [u for u in utterances if min(end, u.end_us) > max(start, u.start_us)]
    assert (found is not None) == bool(touched)
    if found is not None:
        assert start <= found[0] < found[1] <= end
        assert any(u.start_us <= found[0] and found[1] <= u.end_us for u in touched)
        assert found[1] - found[0] == max(min(end, u.end_us) - max(start, u.start_us) for u in touched)
