"""Voice embeddings: for telling speakers apart, and for measuring how well a voice is hidden."""
