"""Blind annotation: hides judgments until a person has answered, and records reveals, revisions and adoptions."""
