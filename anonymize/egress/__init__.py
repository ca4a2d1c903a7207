"""Egress: whether data of a study may leave this machine, decided before each request and logged."""
