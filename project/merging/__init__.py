"""Brings the work of a copy of a study home: what both know, what differs, three-way row by row, and conflicts."""
