"""Finds where text stands in pictures: dates, badges, monitors. It reads nothing."""
