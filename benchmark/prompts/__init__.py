"""What a judge can be asked about a segment: one file a task. Schemes in, forms of answers out; no study, no model."""
