"""Judges: models behind one Protocol that answer questions about a segment. Texts and arrays in, typed answers out."""
