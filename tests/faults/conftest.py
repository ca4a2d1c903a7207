"""Fixtures of the tests of faults: those of the end-to-end tests."""

from tests.e2e.conftest import greenroom, lab

__all__ = ["greenroom", "lab"]
