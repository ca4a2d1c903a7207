"""A figure that has become worse is told from noise."""

from dataclasses import replace
from pathlib import Path

import pytest

from tools.bench.check import again_and_again
from tools.bench.record import VersionRecord, records
from tools.bench.row import Row, figure_of, regressions

SHARE = Row("export", "7 s", "ffmpeg, 6 s", "1.10", "<= 1.5x", True)
FASTER = Row("kappa", "10 ms", "BORIS, 172 s", "1 : 16,473", ">= 500x faster", True)
SPEED = Row("tokens", "57 tokens/s", "bare loop, 57 tokens/s", "1.001", ">= 0.97x", True)
TIME = Row("start", "1.3 s", "", "", "<= 1.5 s", True)


def test_a_ratio_is_read_with_the_way_that_is_better() -> None:
    for row, ratio, smaller in ((SHARE, 1.10, True), (FASTER, 16_473, False), (SPEED, 1.001, False)):
        assert (figure_of(row).ratio, figure_of(row).smaller_is_better) == (ratio, smaller)
    for no_ratio in ("", "0.4 sd", "1.0 se"):
        assert figure_of(replace(SHARE, ratio=no_ratio)) is None


@pytest.mark.parametrize(
    ("row", "now", "is_worse"),
    [
        (SHARE, "1.37", False),
        (SHARE, "1.39", True),
        (FASTER, "1 : 13,000", True),
        (FASTER, "1 : 90,000", False),
    ],
)
def test_a_quarter_worse_is_noise_and_more_is_not(row: Row, now: str, is_worse: bool) -> None:
    assert bool(regressions([row], [replace(row, ratio=now)])) is is_worse


def test_a_target_that_is_no_longer_reached_counts_without_any_ratio() -> None:
    assert regressions([TIME], [replace(TIME, ours="1.6 s", ok=False)])
    assert not regressions([replace(TIME, ok=False)], [replace(TIME, ok=False)])


def test_only_what_is_worse_every_time_counts() -> None:
    bad, well = replace(SHARE, ratio="3.0"), SHARE
    runs = iter([[bad], [well], [bad]])
    assert again_and_again(lambda: next(runs), [SHARE]) == []
    assert len(again_and_again(lambda: [bad], [SHARE])) == 1


def test_records_come_back_by_version(tmp_path: Path) -> None:
    for version in ("0.10.0", "0.2.0"):
        replace(VersionRecord.of({"export": [SHARE], "start": [TIME]}, "2026-01-02"), version=version).write(tmp_path)
    found = records(tmp_path)
    assert [record.version for record in found] == ["0.2.0", "0.10.0"]
    assert found[0].rows == {"export": [SHARE], "start": [TIME]}
