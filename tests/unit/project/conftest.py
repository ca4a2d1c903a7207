"""A small study, and what the tests of this floor look at."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from project.store.study import Study
from tests.builders.small_study import Small, furnish


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "study.greenroom", "A study") as made:
        yield made


@pytest.fixture
def small(study: Study) -> Small:
    return furnish(study)
