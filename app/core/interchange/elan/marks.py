"""What our own EAFs hold beyond ELAN's format, in the properties of the header, which ELAN keeps."""

ABOUT = "greenroom"
"""Name of the property with a JSON object about the recording: its `id`, `name` and `duration_us`."""
TIER = "greenroom tier "
"""Begins the name of a property about one tier, which ends in the tier's id.

Its JSON object names the `lane`, and either the lane's `kind`, `annotator`, `participant`, `scheme` and `track`, or the
`field` whose values the tier holds.
"""
SEGMENT = "g"
"""Begins the id of an annotation that is one of our segments or utterances; the rest is its own id."""
FINER = "."
"""Stands in the id of a time slot before the microseconds that its milliseconds leave out."""
