"""Tests of role-played episodes."""
