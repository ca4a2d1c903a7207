"""Recovers what can be read of a damaged study into a new one."""
