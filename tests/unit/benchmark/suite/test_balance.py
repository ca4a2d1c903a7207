import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.items.sampling import collection_sizes, largest_quotas, quotas
from benchmark.tasks.label_tasks import VERDICT_SHARES
from project.errors import UserError

WEIGHTS = st.dictionaries(st.sampled_from("abcdef"), st.floats(0.01, 10), min_size=1)


def test_a_sample_of_two_hundred_has_the_numbers_of_the_paper() -> None:
    assert quotas(200, VERDICT_SHARES) == {"competence": 59, "error": 100, "none": 41}
    assert quotas(70, {"error": 0.66, "competence": 0.34}) == {"error": 46, "competence": 24}
    assert quotas(15, {"error": 1, "competence": 1, "none": 1}) == {"error": 5, "competence": 5, "none": 5}


@given(st.integers(0, 500), WEIGHTS)
def test_shares_are_kept_to_within_rounding(size: int, shares: dict[str, float]) -> None:
    found = quotas(size, shares)
    assert sum(found.values()) == size
    for key, weight in shares.items():
        assert abs(found[key] - size * weight / sum(shares.values())) < 1 + 1e-6


@given(st.integers(0, 60), WEIGHTS, st.data())
def test_the_largest_draw_takes_no_more_than_there_is_and_could_not_be_larger(
    size: int, shares: dict[str, float], data: st.DataObject
) -> None:
    there = {key: data.draw(st.integers(0, 30)) for key in shares}
    found = largest_quotas(size, shares, there)
    total = sum(found.values())
    assert all(number <= there[key] for key, number in found.items())
    most = min(size, sum(there.values())) if size else sum(there.values())
    for bigger in range(total + 1, most + 1):
        assert any(number > there[key] for key, number in quotas(bigger, shares).items())


@given(st.integers(0, 60), st.dictionaries(st.text(max_size=3), st.integers(1, 30)))
def test_collections_give_alike_and_never_more_than_was_asked_for(size: int, there: dict[str, int]) -> None:
    if 0 < size < len(there):
        with pytest.raises(UserError, match="same number"):
            collection_sizes(size, there)
        return
    found = collection_sizes(size, there)
    assert found.keys() == there.keys()
    assert len({*found.values()}) <= 1
    assert all(1 <= number <= there[key] for key, number in found.items())
    assert not size or sum(found.values()) <= size
