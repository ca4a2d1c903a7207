"""The faces of a recording: tracked, gone through, hidden."""
