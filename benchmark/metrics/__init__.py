"""Metrics of answers of judges and people on the items of a benchmark.

Plain functions over sequences; None where undefined.
"""
