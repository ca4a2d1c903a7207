"""Fixtures of the tests of faults: those of the end-to-end tests."""

import pytest

from tests.e2e.conftest import lab

pytest.register_assert_rewrite("tests.faults.kinds_of_work")

__all__ = ["lab"]
