"""Judges: models behind one Protocol that say what they make of a segment. Texts and arrays in, typed answers out."""
