"""Statements about dialogues: asked of judges, taken over for people to rate, and gathered as items."""
