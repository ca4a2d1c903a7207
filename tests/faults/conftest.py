"""Fixtures of the tests of faults: those of the end-to-end tests."""

from tests.e2e.conftest import lab

__all__ = ["lab"]
