"""What a judge sees of a segment, planned as data and built into messages."""
