"""Runs of the benchmark: whom to ask what, one round after the other, so that nothing is lost or asked twice."""
