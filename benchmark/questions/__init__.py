"""Multiple-choice questions: rules that make them, edits, verification, the filter, and measures."""
